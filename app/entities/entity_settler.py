"""Settling of entities: each becomes what the changes of all machines made of it.

Of two of one name and type the one of the smaller id stays, and the other stands for it.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

import apsw

from app.entities import entity_state, repo
from app.entities.model import name_key
from app.errors import StaleError
from app.sync.folding.fold import FoldedRow
from app.sync.folding.group_folds import fold_entities
from app.sync.folding.row_settler import folded, local

State = dict[str, Any]
_NAMELESS = "\x1f"  # begins no name


class EntitySettler:
    """Settler of entities that a person touched."""

    def settle(self, connection: apsw.Connection, targets: Sequence[str], now_ms: int) -> Sequence[str]:
        """Make entities what all their changes say; return those that are another now."""
        rows: dict[str, FoldedRow] = {}
        found: Sequence[str] = targets
        while found:
            rows.update((target, folded(connection, "entity", target)) for target in found)
            found = [target for target in _related(connection, rows) if target not in rows]
        merged = _merged(rows)
        waiting = {target: _wanted(connection, row, merged, rows) for target, row in rows.items() if not row.is_erased}
        changed: list[str] = []
        # One may take a name only once another has left it; each round settles at least one of them.
        while waiting:
            left: dict[str, State | None] = {}
            error: StaleError | None = None
            for target, state in sorted(waiting.items(), key=lambda one: (not _is_merged(one[1]), one[0])):
                try:
                    if _write(connection, target, state, now_ms):
                        changed.append(target)
                except StaleError as stale:
                    left[target], error = state, stale
            if error is not None and len(left) == len(waiting):
                raise error
            waiting = left
        return changed

    def add_named(self, connection: apsw.Connection, names: Mapping[str, tuple[str, str]], now_ms: int) -> None:
        """Add entities that others name by id, unless they are here.

        One of a name that a person decided about stands for that one.
        """
        for identity, (name, kind) in names.items():
            if repo.get(connection, identity) is not None:
                continue
            known = repo.named(connection, name_key(name), kind)
            if known is None:
                repo.insert(connection, identity, name, kind, now_ms)
                continue
            repo.insert_merged(connection, identity, name, kind, known, now_ms)


def _merged(rows: Mapping[str, FoldedRow]) -> dict[str, str]:
    """Return the entities that stand for others, by the ids of those.

    One that no person decided about has no claim to its name, and stands for the one that has it.
    """
    decided, others = {}, {}
    for target, row in rows.items():
        state = row.state
        if state is None or state["touched"]:
            decided[target] = row
        else:
            others[target] = replace(row, state={**state, "name": f"{_NAMELESS}{target}"})
    merged = fold_entities((*decided.values(), *others.values()), name_key)
    holders = {
        (name_key(state["name"]), state["type"]): target
        for target, row in decided.items()
        if (state := row.state) is not None and target not in merged and not state["attributes"].get("retired")
    }
    for target in others:
        state = rows[target].state or {}
        holder = holders.get((name_key(state["name"]), state["type"]))
        if holder is not None and state["merged_into"] is None:
            merged[target] = holder
    return merged


def _wanted(
    connection: apsw.Connection, row: FoldedRow, merged: Mapping[str, str], known: Container[str]
) -> State | None:
    state = local(connection, row, row.state)
    if state is None:
        return None
    # One that was merged stays with the one that it was merged into, whatever became of that, but in a circle.
    stays = state["merged_into"] is not None and (row.target in merged or state["merged_into"] not in known)
    return state if stays else {**state, "merged_into": merged.get(row.target)}


def _write(connection: apsw.Connection, target: str, state: State | None, now_ms: int) -> bool:
    now = entity_state.read(connection, target)
    if state is None:
        if now is None:
            return False
        entity_state.retire(connection, target, now_ms)
        return True
    if now is not None and _comparable(now) == _comparable(state):
        return False
    if repo.get(connection, target) is None and (_is_merged(state) or state["attributes"].get("retired")):
        # It never has its name here, which another may have.
        repo.insert_merged(connection, target, state["name"], state["type"], state["merged_into"] or target, now_ms)
    entity_state.write(connection, target, state, now_ms)
    return True


def _comparable(state: State) -> dict[str, Any]:
    return {name: sorted(map(repr, value)) if isinstance(value, list) else value for name, value in state.items()}


def _is_merged(state: State | None) -> bool:
    return state is None or state.get("merged_into") is not None


def _related(connection: apsw.Connection, rows: Mapping[str, FoldedRow]) -> list[str]:
    """Return the ids of entities that share a name or are merged with some."""
    found: dict[str, None] = {}
    is_recorded = "EXISTS (SELECT 1 FROM memory_history h WHERE h.target = e.id AND h.target_kind = 'entity')"
    for target, row in rows.items():
        # One that stood for another of its name stands for itself once that one has another name.
        merged = f"SELECT id FROM entities e WHERE merged_into = ? AND {is_recorded} ORDER BY id"
        found.update((str(one[0]), None) for one in connection.execute(merged, (target,)))
        for state in (row.state, entity_state.read(connection, target)):
            if state is None:
                continue
            ids = connection.execute(
                "SELECT id FROM entities e WHERE ((name_key = ?1 AND type = ?2 AND touched) OR id = ?3)"
                f" AND {is_recorded} ORDER BY id",
                (name_key(str(state["name"])), state["type"], state["merged_into"]),
            )
            found.update((str(one[0]), None) for one in ids)
    return list(found)
