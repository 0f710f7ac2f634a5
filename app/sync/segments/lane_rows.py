"""Rows that other lanes' changes are kept in: marks, knowledge, history entries and erasures.

They are those of the vault's own lane, with the lane, number and clock that each change has on all machines.
"""

import json
from collections.abc import Iterable
from typing import Final, get_args

import apsw

from app.erasure import erasures
from app.erasure.model import TargetKind
from app.store import lanes
from app.sync.segments import turn_references
from app.sync.segments.capture import KINDS, LanePart
from app.sync.segments.change import ERASE, Change

_ERASABLE: Final = get_args(TargetKind)
Row = tuple[str, str]
"""Kind and id of a row."""


def mark(connection: apsw.Connection, lane: int) -> tuple[int, str]:
    """Return the last number of a lane in the exchange, with the digest there."""
    row = connection.execute("SELECT shared_n, digest FROM lanes WHERE lane = ?", (lane,)).fetchone()
    return (0, "") if row is None else (int(str(row[0])), str(row[1]))


def marks(connection: apsw.Connection) -> dict[int, int]:
    """Return for each lane the last number that is in the exchange."""
    return {int(str(lane)): int(str(n)) for lane, n in connection.execute("SELECT lane, shared_n FROM lanes")}


def set_mark(connection: apsw.Connection, lane: int, n: int, digest: str) -> None:
    """Note that the changes of a lane up to a number are in the exchange."""
    connection.execute("UPDATE lanes SET shared_n = ?, digest = ? WHERE lane = ?", (n, digest, lane))


def is_understood(part: LanePart) -> bool:
    """Return whether all changes of a part are of kinds that this Keepsake knows."""
    return all(change.target_kind in (_ERASABLE if change.event == ERASE else KINDS) for change in part.changes)


def lacking(connection: apsw.Connection, part: LanePart) -> dict[int, int]:
    """Return the lanes of which a writer knew more, with the last number here."""
    known = {int(str(lane)): int(str(n)) for lane, n in connection.execute("SELECT lane, n FROM lanes")}
    return {other: known.get(other, 0) for _, other, up_to in part.knowledge if known.get(other, 0) < up_to}


def agrees(connection: apsw.Connection, part: LanePart) -> bool:
    """Return whether changes that are here already are those of a part."""
    rows = connection.execute(
        "SELECT n, hlc FROM memory_history WHERE lane = ? AND n BETWEEN ? AND ?", (part.lane, part.first, part.last)
    )
    clocks = {int(str(n)): int(str(hlc)) for n, hlc in rows}
    return all(clocks.get(change.place.n, change.place.hlc) == change.place.hlc for change in part.changes)


def add_lane(connection: apsw.Connection, part: LanePart, wall_ms: int) -> None:
    """Keep how far a lane has come, and what it knew."""
    clocks = [change.place.hlc for change in part.changes] + [hlc for _, hlc, _ in part.places]
    add_lanes(connection, {part.lane, *(turn.lane for turn in part.turns)}, wall_ms)
    connection.execute(
        "UPDATE lanes SET n = max(n, ?1), sealed = max(n, ?1), hlc = max(hlc, ?2) WHERE lane = ?3",
        (part.last, max(clocks, default=0), part.lane),
    )
    add_knowledge(connection, [(part.lane, *learned) for learned in part.knowledge])


def add_lanes(connection: apsw.Connection, names: Iterable[int], wall_ms: int) -> None:
    """Make lanes known, unless they are."""
    connection.executemany(
        "INSERT INTO lanes (lane, is_own, began_at) VALUES (?, 0, ?) ON CONFLICT (lane) DO NOTHING",
        [(lane, wall_ms) for lane in names],
    )


def follow(connection: apsw.Connection, lane: int, hlc: int) -> None:
    """Note a clock of a lane, which what is written here comes after."""
    connection.execute("UPDATE lanes SET hlc = max(hlc, ?) WHERE lane = ?", (hlc, lane))


def reach(connection: apsw.Connection, lane: int, n: int, digest: str) -> None:
    """Note that a lane is here, and in the exchange, up to a number."""
    connection.execute(
        "UPDATE lanes SET n = max(n, ?2), sealed = max(sealed, ?2), shared_n = ?2, digest = ?3"
        " WHERE lane = ?1 AND shared_n < ?2",
        (lane, n, digest),
    )


def add_knowledge(connection: apsw.Connection, knowledge: Iterable[tuple[int, int, int, int]]) -> None:
    """Keep what lanes knew of others.

    Args:
        connection: The writer's connection, inside a transaction.
        knowledge: From which change of which lane on, of which other lane, up to which number.
    """
    connection.executemany(
        "INSERT INTO lane_knowledge (lane, n, of_lane, known) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", knowledge
    )


def add_erasures(connection: apsw.Connection, changes: Iterable[Change]) -> list[Change]:
    """Keep the erasures of another lane, and return its changes that no erasure forgets."""
    others: list[Change] = []
    for change in changes:
        place = change.place
        if change.event != ERASE:
            others.append(change)
            continue
        connection.execute(
            "INSERT INTO erasures (lane, n, hlc, at, actor, target_kind, target) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (place.lane, place.n, place.hlc, change.at_ms, change.actor, change.target_kind, change.target),
        )
    return [one for one in others if not erasures.forgets(connection, one.target_kind, one.target, one.place)]


def add_changes(connection: apsw.Connection, changes: Iterable[Change]) -> list[Row]:
    """Keep changes of another lane, and return the rows that they change."""
    touched: dict[Row, None] = {}
    for change in changes:
        _add_entry(connection, change)
        touched[change.target_kind, change.target] = None
    return list(touched)


def _add_entry(connection: apsw.Connection, change: Change) -> None:
    kind, target, place = change.target_kind, change.target, change.place
    before, after = (
        turn_references.to_local(connection, kind, target, None if state is None else dict(state))
        for state in (change.before, change.after)
    )
    # A vault that was put back has the tail of its own lane, of which the last entry may have grown since.
    connection.execute(
        "INSERT INTO memory_history (target_kind, target, event, before, after, actor, run_id, at, hlc, lane, n,"
        " undoes_lane, undoes_n) VALUES (?1, ?2, ?3, stored_state(?1, ?4), stored_state(?1, ?5), ?6, ?7, ?8, ?9,"
        " ?10, ?11, ?12, ?13) ON CONFLICT (lane, n) WHERE n > 0"
        " DO UPDATE SET event = excluded.event, before = excluded.before, after = excluded.after,"
        " run_id = excluded.run_id, undoes_lane = excluded.undoes_lane, undoes_n = excluded.undoes_n",
        (
            kind, target, change.event, _dump(before), _dump(after), change.actor, change.run_id, change.at_ms,
            place.hlc, place.lane, place.n, *(change.undoes or (None, None)),
        ),
    )  # fmt: skip
    if change.undoes is not None:
        # Of two that undid the same, the first counts.
        connection.execute(
            "UPDATE memory_history SET undone_by = (SELECT u.id FROM memory_history u WHERE u.lane = ?1 AND u.n = ?2)"
            " WHERE lane = ?3 AND n = ?4 AND (undone_by IS NULL OR (SELECT (u.hlc, u.lane, u.n) > (?5, ?1, ?2)"
            " FROM memory_history u WHERE u.id = memory_history.undone_by))",
            (place.lane, place.n, *change.undoes, place.hlc),
        )


def _dump(state: turn_references.State | None) -> str | None:
    return None if state is None else json.dumps(state, ensure_ascii=False, separators=(",", ":"))


def seal(connection: apsw.Connection) -> None:
    """Seal what was written here before something else is taken in."""
    lanes.seal(connection)


def learn(connection: apsw.Connection) -> None:
    """Note that what is written here from now on knows all that is here.

    Not while an entity is to be forgotten that is here as it was: what is written of it meanwhile is forgotten too.
    """
    if not erasures.are_entities_left(connection):
        lanes.learn(connection)


def has_others(connection: apsw.Connection) -> bool:
    """Return whether there are changes of other machines here."""
    return connection.execute("SELECT 1 FROM lanes WHERE NOT was_own AND n > 0 LIMIT 1").fetchone() is not None


def rows_of_own(connection: apsw.Connection, after: int) -> list[Row]:
    """Return the rows that were changed here after a number."""
    rows = connection.execute(
        "SELECT DISTINCT target_kind, target FROM memory_history"
        " WHERE lane = (SELECT lane FROM lanes WHERE is_own) AND n > ?",
        (after,),
    )
    return [(str(kind), str(target)) for kind, target in rows]
