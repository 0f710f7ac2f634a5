"""Changes of a lane as other machines are told of them.

The history is the record of changes: each is read from its entry, and nothing is written twice. Turns of conversations
and erasures are numbered in the same lane.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import apsw

from app.erasure import erasures
from app.store import lanes
from app.store.lanes import ChangePlace
from app.sync.segments import turn_log, turn_references
from app.sync.segments.change import ERASE, Change, Seen
from app.sync.segments.turn_log import LaneTurn

KINDS: Final = ("memory", "session", "entity", "schedule", "saved_search", "inbox_rule")
"""Kinds of rows whose changes travel. A proposal waits on the machine where its agent made it."""
_ENTRIES: Final = (
    f"SELECT hlc, lane, n, at, actor, run_id, target_kind, target, event, state_json(before), state_json(after),"
    " undoes_lane, undoes_n"
    f" FROM memory_history h WHERE target_kind IN ({', '.join(map(repr, KINDS))})"
)
_BY_KIND: Final = "CASE target_kind WHEN 'session' THEN 1 WHEN 'memory' THEN 2 ELSE 3 END, target_kind"
"""In SQL, the order of kinds in which each finds what it refers to."""
_HEAD: Final = (
    "SELECT json_object('id', id, 'title', title, 'agent', agent, 'channel', channel, 'trust', trust,"
    " 'created_at', created_at, 'first_seen', first_seen, 'attributes', json(attributes), 'aliases',"
    " (SELECT json_group_array(json_array(alias, added_at)) FROM session_aliases WHERE session_id = sessions.id))"
    " FROM sessions WHERE id = ?"
)


@dataclass(frozen=True, slots=True)
class LanePart:
    """Consecutive changes of one lane.

    Args:
        lane: The lane.
        first: The number of the first change.
        last: The number of the last. One between them that is not here was forgotten, or is of this machine alone.
        knowledge: What the lane learned of others meanwhile: from which change on, of which lane, up to which number.
        sessions: The conversations that are meant, as they began, with their other ids.
        names: Name and type of entities that are meant and may be unknown elsewhere, by id.
        changes: The changes of rows, in order.
        turns: The turns that were said, in order.
        places: The clock and the time of the changes that consist of turns, by number.
    """

    lane: int
    first: int
    last: int
    knowledge: tuple[tuple[int, int, int], ...] = ()
    sessions: tuple[Mapping[str, Any], ...] = ()
    names: Mapping[str, tuple[str, str]] | None = None
    changes: tuple[Change, ...] = ()
    turns: tuple[LaneTurn, ...] = ()
    places: tuple[tuple[int, int, int], ...] = ()


def part_after(
    connection: apsw.Connection, lane: int, after: int, most_characters: int, up_to: int | None = None
) -> LanePart | None:
    """Return the next sealed changes of a lane, ``None`` where there are none.

    Args:
        connection: Any connection.
        lane: A lane that was written here.
        after: The number of the last change that is known already.
        most_characters: So much is returned at once, or one change if that has more.
        up_to: The number of the last change, whatever the size; ``None`` where the size decides.
    """
    sealed = int(connection.execute("SELECT sealed FROM lanes WHERE lane = ?", (lane,)).get or 0)
    if sealed <= after or (up_to is not None and up_to > sealed):
        return None
    last = up_to or _last_within(connection, lane, after, sealed, most_characters)
    changes = tuple(_changes(connection, lane, after, last))
    places = tuple(_places(connection, lane, after, last))
    turns = tuple(turn for n, _, _ in places for turn in turn_log.turns_of(connection, lane, n))
    sessions = {turn.session: None for turn in turns}
    sessions |= {change.target: None for change in changes if change.target_kind == "session"}
    begun = (head_of(connection, session) for session in sessions)
    knowledge = connection.execute(
        "SELECT n, of_lane, known FROM lane_knowledge WHERE lane = ? AND n > ? AND n <= ? ORDER BY n, of_lane",
        (lane, after, last),
    )
    return LanePart(
        lane=lane,
        first=after + 1,
        last=last,
        knowledge=tuple((int(str(n)), int(str(other)), int(str(known))) for n, other, known in knowledge),
        sessions=tuple(head for head in begun if head is not None),
        names=names_in(connection, changes),
        changes=changes,
        turns=turns,
        places=places,
    )


def is_of_several_lanes(connection: apsw.Connection, kind: str, target: str) -> bool:
    """Return whether a row was changed in more than one lane."""
    lanes_of_row = connection.execute(
        "SELECT DISTINCT lane FROM memory_history WHERE target_kind = ? AND target = ? LIMIT 2", (kind, target)
    ).fetchall()
    return len(lanes_of_row) > 1


def changes_of_row(connection: apsw.Connection, kind: str, target: str) -> list[Change]:
    """Return all changes of a row, of all lanes, in canonical order.

    Those of an entity that are forgotten, and are here for a moment still, are left out.
    """
    rows = connection.execute(f"{_ENTRIES} AND target_kind = ? AND target = ?", (kind, target)).fetchall()
    erased = connection.execute(
        "SELECT hlc, lane, n, at, actor FROM erasures WHERE target_kind = ? AND target = ?", (kind, target)
    ).fetchall()
    found = [_change(connection, row, _known(connection, row)) for row in rows]
    if kind == "entity":
        places = erasures.places_of_target(connection, target)
        found = [change for change in found if all(change.saw(place) for place in places)]
    else:
        found += [_erasure(connection, (*row, kind, target)) for row in erased]
    return sorted(found, key=lambda change: change.place)


def shared_changes(connection: apsw.Connection) -> Iterator[Change]:
    """Yield all changes that are in the exchange, row by row.

    Those of a row are of all lanes and in canonical order, and their ``seen`` is empty. What was forgotten for ever is
    left out; erasures come first.
    """
    erased = connection.execute(
        "SELECT e.hlc, e.lane, e.n, e.at, e.actor, e.target_kind, e.target FROM erasures e"
        " JOIN lanes l ON l.lane = e.lane AND e.n <= l.shared_n ORDER BY e.hlc, e.lane, e.n"
    ).fetchall()
    for hlc, lane, n, at, actor, kind, target in erased:
        place = ChangePlace(int(str(hlc)), int(str(lane)), int(str(n)))
        yield Change(place, {}, int(str(at)), str(actor), None, str(kind), str(target), ERASE, None, None)
    rows = connection.execute(
        f"{_ENTRIES} AND n BETWEEN 1 AND (SELECT l.shared_n FROM lanes l WHERE l.lane = h.lane)"
        " AND (target NOT IN (SELECT target FROM erasures) OR (target_kind = 'entity' AND NOT"
        f" {erasures.IS_FORGOTTEN})) ORDER BY {_BY_KIND}, target, hlc, lane, n"
    )
    for row in rows:
        yield _change(connection, row, {})


def head_of(connection: apsw.Connection, session: str) -> Mapping[str, Any] | None:
    """Return how a conversation began, with its other ids; ``None`` without it."""
    head = connection.execute(_HEAD, (session,)).get
    return None if head is None else dict(json.loads(str(head)))


def _last_within(connection: apsw.Connection, lane: int, after: int, sealed: int, most: int) -> int:
    """Return the number of the last change that still fits."""
    size, last = 0, after
    rows = connection.execute(
        "SELECT n, coalesce(length(state_json(before)), 0) + coalesce(length(state_json(after)), 0)"
        " FROM memory_history"
        " WHERE lane = ?1 AND n > ?2 AND n <= ?3"
        " UNION ALL SELECT b.n, (SELECT coalesce(sum(length(content)), 0) FROM messages m WHERE m.rowid BETWEEN"
        " b.first_rowid AND b.last_rowid) FROM message_batches b WHERE lane = ?1 AND n > ?2 AND n <= ?3 ORDER BY 1",
        (lane, after, sealed),
    )
    for n, length in rows:
        size += int(str(length))
        if size > most and last > after:
            return last
        last = int(str(n))
    return sealed


def _changes(connection: apsw.Connection, lane: int, after: int, last: int) -> Iterator[Change]:
    rows = connection.execute(f"{_ENTRIES} AND lane = ? AND n > ? AND n <= ?", (lane, after, last)).fetchall()
    erased = connection.execute(
        "SELECT hlc, lane, n, at, actor, target_kind, target FROM erasures WHERE lane = ? AND n > ? AND n <= ?",
        (lane, after, last),
    ).fetchall()
    found = [_change(connection, row, _known(connection, row)) for row in rows] + [
        _erasure(connection, row) for row in erased
    ]
    yield from sorted(found, key=lambda change: change.place.n)


def _known(connection: apsw.Connection, row: tuple[Any, ...]) -> Seen:
    return lanes.known_at(connection, row[1], row[2])


def _change(connection: apsw.Connection, row: tuple[Any, ...], seen: Seen) -> Change:
    hlc, lane, n, at, actor, run_id, kind, target, event, before, after, *undoes = row
    before, after = (None if text is None else json.loads(text) for text in (before, after))
    return Change(
        place=ChangePlace(hlc, lane, n),
        seen=seen,
        at_ms=at,
        actor=actor,
        run_id=run_id,
        target_kind=kind,
        target=target,
        event=event,
        before=turn_references.to_global(connection, kind, target, before),
        after=turn_references.to_global(connection, kind, target, after),
        undoes=None if undoes[1] is None else (undoes[0], undoes[1]),
    )


def _erasure(connection: apsw.Connection, row: tuple[Any, ...]) -> Change:
    hlc, lane, n, at, actor, kind, target = row
    seen = lanes.known_at(connection, lane, n)
    return Change(ChangePlace(hlc, lane, n), seen, at, actor, None, kind, target, ERASE, None, None)


def _places(connection: apsw.Connection, lane: int, after: int, last: int) -> Iterator[tuple[int, int, int]]:
    rows = connection.execute(
        "SELECT n, hlc, at FROM message_batches WHERE lane = ? AND n > ? AND n <= ? ORDER BY n", (lane, after, last)
    )
    yield from ((int(str(n)), int(str(hlc)), int(str(at))) for n, hlc, at in rows.fetchall())


def named_in(changes: Iterable[Change]) -> set[str]:
    """Return the ids of the entities that states of entities name."""
    return {
        other
        for change in changes
        if change.target_kind == "entity"
        for state in (change.before, change.after)
        if state is not None
        for other in named_ids(state)
    }


def names_in(connection: apsw.Connection, changes: Iterable[Change]) -> dict[str, tuple[str, str]]:
    """Return name and type of the entities that states of entities name by id."""
    ids = named_in(changes)
    rows = connection.execute(
        "SELECT id, canonical_name, type FROM entities WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(sorted(ids)),),
    )
    return {str(identity): (str(name), str(kind)) for identity, name, kind in rows}


def named_ids(state: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids of the entities that the state of one names."""
    yield from (str(edge[1]) for edge in state.get("relations", ()))
    yield from (str(claim[2]) for claim in state.get("claims", ()))
    if state.get("merged_into") is not None:
        yield str(state["merged_into"])
