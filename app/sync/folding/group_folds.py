"""Folds of several rows: facts of one key, entities of one name, messages.

They are derived from the rows and never stored as changes, so that a row comes back by itself when the one that took
its place is gone.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from app.store.lanes import UNPLACED, ChangePlace
from app.sync.folding.fold import FoldedRow
from app.sync.segments.change import ERASE, Change


@dataclass(frozen=True, slots=True)
class FactGroups:
    """Facts of which another one of the same category, key and store holds.

    Args:
        superseded: The ids of superseded facts, each with that of the fact that holds.
        contradictions: Pairs of the fact that holds and one that was stated at the same time.
    """

    superseded: Mapping[str, str]
    contradictions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class MessageOrder:
    """Messages of a conversation in the order in which all machines show them.

    Args:
        messages: The changes by which they were said, each message once.
        is_mixed: Whether several machines wrote at the same time, so that local numbers may have another order.
    """

    messages: tuple[Change, ...]
    is_mixed: bool


def fold_facts(rows: Iterable[FoldedRow]) -> FactGroups:
    """Return which live facts hold: of one category, key and store the one stated last.

    Args:
        rows: Memories; those that are no facts, or not there, are left out.
    """
    groups: dict[tuple[str, ...], list[FoldedRow]] = {}
    for row in rows:
        if row.is_live and row.state is not None and row.state.get("kind") == "fact" and row.state.get("key"):
            group = tuple(str(row.state.get(name) or "") for name in ("category", "key", "store"))
            groups.setdefault(group, []).append(row)
    superseded: dict[str, str] = {}
    contradictions: list[tuple[str, str]] = []
    for facts in groups.values():
        *others, holding = sorted(facts, key=lambda fact: (_stated_at(fact), fact.target))
        for other in others:
            superseded[other.target] = holding.target
            if holding.statement is None or not holding.statement.saw(_stated_at(other)):
                contradictions.append((holding.target, other.target))
    return FactGroups(dict(sorted(superseded.items())), tuple(sorted(contradictions)))


def fold_entities(rows: Iterable[FoldedRow], name_key: Callable[[str], str]) -> dict[str, str]:
    """Return the entities that are merged, each with the one that stands for it.

    Of two entities of one name and type the one of the smaller id stays. Merges that lead in a circle lead to its
    smallest id. One that is not in the answer stands for itself, unless it is merged into one that ``rows`` lacks.

    Args:
        rows: Entities.
        name_key: Returns what equal names have in common.
    """
    erased: set[str] = set()
    known: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if row.is_erased:
            erased.add(row.target)
        elif row.state is not None:
            known[row.target] = row.state
    merged = {one: str(into) for one, state in known.items() if (into := state.get("merged_into")) in known}
    for start in sorted(merged):
        if circle := _circle(merged, start):
            merged.pop(min(circle), None)
    named: dict[tuple[str, str], str] = {}
    for one, state in sorted(known.items(), key=lambda item: item[0]):
        into = state.get("merged_into")
        is_known = into is None or into in known or into in erased
        if one in merged or not is_known or (state.get("attributes") or {}).get("retired"):
            continue
        first = named.setdefault((name_key(str(state.get("name"))), str(state.get("type"))), one)
        if first != one:
            merged[one] = first
    return {one: _root(merged, one) for one in sorted(merged)}


def fold_messages(changes: Iterable[Change]) -> MessageOrder:
    """Return the messages of one conversation in canonical order, without those forgotten for ever.

    A message that several machines imported has one id and is there once.
    """
    ordered = sorted(changes, key=lambda change: change.place)
    erased = {change.target for change in ordered if change.event == ERASE}
    messages: dict[str, Change] = {}
    for change in ordered:
        if change.target not in erased and change.after is not None:
            messages.setdefault(change.target, change)
    found = tuple(messages.values())
    return MessageOrder(found, any(not later.saw(earlier.place) for earlier, later in pairwise(found)))


def _stated_at(row: FoldedRow) -> ChangePlace:
    return UNPLACED if row.statement is None else row.statement.place


def _circle(merged: Mapping[str, str], start: str) -> list[str]:
    """Return the ids from an entity back to itself, none without such a way."""
    way = [start]
    while (into := merged.get(way[-1])) is not None and into != start:
        if into in way:
            return []
        way.append(into)
    return [] if into is None else way


def _root(merged: Mapping[str, str], one: str) -> str:
    while one in merged:
        one = merged[one]
    return one
