"""History entries of canonical changes, with the states before and after each.

Undo replays them. Owns memory_history.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from app.errors import InternalError
from app.history.model import TargetKind
from app.store import lanes
from app.store.lanes import NEWEST_FIRST, UNPLACED, ChangePlace

State = dict[str, Any]

FIELDS: Final = ("id", "target_kind", "target", "event", "before", "after", "actor", "run_id", "at", "undone_by")
"""Columns of an entry, without its place in the order of all changes."""
COLUMNS: Final = "id, target_kind, target, event, state_json(before), state_json(after), actor, run_id, at, undone_by"
"""In SQL, what they hold, states as JSON."""
_ALL: Final = f"{COLUMNS}, hlc, lane, n"


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One entry; ``at_ms`` in milliseconds UTC, ``before``/``after`` the target's whole state or ``None``.

    ``id`` names it in this vault only; ``place`` is its place in the order of all changes, the same on every machine.
    That of a change which was not made is ``UNPLACED``.
    """

    id: int
    target_kind: TargetKind
    target: str
    event: str
    before: State | None
    after: State | None
    actor: str
    run_id: str | None
    at_ms: int
    undone_by: int | None
    place: ChangePlace = UNPLACED


def record(
    connection: apsw.Connection,
    *,
    target_kind: TargetKind,
    target: str,
    event: str,
    before: State | None,
    after: State | None,
    actor: str,
    at_ms: int,
    run_id: str | None = None,
) -> int:
    """Write one history entry and return its id.

    To be called in the transaction of the change itself.
    """
    values = (target_kind, target, event, dump_state(before), dump_state(after), actor, run_id, at_ms)
    return insert(connection, values, at_ms)


def insert(connection: apsw.Connection, said: Sequence[str | int | None], wall_ms: int) -> int:
    """Write one entry as the next of this vault's own lane, and return its id.

    Args:
        connection: The writer's connection, inside a transaction.
        said: What it says: ``FIELDS`` but for ``id`` and ``undone_by``, states as JSON.
        wall_ms: The wall time that the hybrid clock follows, milliseconds since 1970 UTC.
    """
    place = lanes.next_place(connection, wall_ms)
    connection.execute(
        "INSERT INTO memory_history (target_kind, target, event, before, after, actor, run_id, at, hlc, lane, n)"
        " VALUES (?1, ?2, ?3, stored_state(?1, ?4), stored_state(?1, ?5), ?6, ?7, ?8, ?9, ?10, ?11)",
        (*said, place.hlc, place.lane, place.n),
    )
    return connection.last_insert_rowid()


def entry(connection: apsw.Connection, history_id: int) -> HistoryRow | None:
    """Return the history entry with this id, ``None`` when there is none."""
    row = connection.execute(f"SELECT {_ALL} FROM memory_history WHERE id = ?", (history_id,)).fetchone()
    return None if row is None else _row(row)


def entries(
    connection: apsw.Connection,
    *,
    target: str | None = None,
    run_id: str | None = None,
    limit: int = 50,
    before_id: int | None = None,
) -> list[HistoryRow]:
    """Return history entries, newest first.

    They are of one target or run where named, and older than ``before_id`` where given.
    """
    # Only clauses with a value stand in the statement, for else no index would serve it.
    clauses = {"target = ?": target, "run_id = ?": run_id, "id < ?": before_id}
    where = " AND ".join(["TRUE", *(clause for clause, value in clauses.items() if value is not None)])
    values = [value for value in clauses.values() if value is not None]
    # All there is is listed as it came in: what arrives late is news.
    order = "id DESC" if target is None and run_id is None else NEWEST_FIRST
    rows = connection.execute(
        f"SELECT {_ALL} FROM memory_history WHERE {where} ORDER BY {order} LIMIT ?", (*values, limit)
    )
    return [_row(row) for row in rows]


def entry_at(connection: apsw.Connection, place: ChangePlace) -> HistoryRow | None:
    """Return the history entry of a change, ``None`` when there is none."""
    values = (place.lane, place.n)
    row = connection.execute(f"SELECT {_ALL} FROM memory_history WHERE lane = ? AND n = ?", values).fetchone()
    return None if row is None else _row(row)


def kinds_of_run(connection: apsw.Connection, run_id: str) -> set[str]:
    """Return the kinds of what a run changed."""
    rows = connection.execute("SELECT DISTINCT target_kind FROM memory_history WHERE run_id = ?", (run_id,))
    return {str(row[0]) for row in rows}


def last_id(connection: apsw.Connection) -> int:
    """Return the id of the newest entry, 0 without one."""
    return int(str(connection.execute("SELECT coalesce(max(id), 0) FROM memory_history").get))


def entries_after(connection: apsw.Connection, history_id: int) -> list[HistoryRow]:
    """Return the entries written after one, oldest first."""
    rows = connection.execute(f"SELECT {_ALL} FROM memory_history WHERE id > ? ORDER BY id", (history_id,))
    return [_row(row) for row in rows]


def put_in_run(connection: apsw.Connection, after_id: int, run_id: str) -> None:
    """Make the entries written after one part of a run."""
    connection.execute("UPDATE memory_history SET run_id = ? WHERE id > ?", (run_id, after_id))


def extend(connection: apsw.Connection, history_id: int, after: State) -> None:
    """Make ``after`` what an entry led to: a change that went on is one change.

    See ``is_open``.
    """
    _require_open(connection, history_id)
    connection.execute(
        "UPDATE memory_history SET after = stored_state(target_kind, ?) WHERE id = ?",
        (dump_state(after), history_id),
    )


def extend_before(connection: apsw.Connection, history_id: int, before: State) -> None:
    """Make ``before`` what undoing an entry leads to: what is undone with it has grown.

    See ``is_open``.
    """
    _require_open(connection, history_id)
    connection.execute(
        "UPDATE memory_history SET before = stored_state(target_kind, ?) WHERE id = ?",
        (dump_state(before), history_id),
    )


def later_entries(connection: apsw.Connection, entry: HistoryRow, *, with_undoing: bool) -> Iterator[HistoryRow]:
    """Yield the later entries of the same target that are not undone, newest first.

    Args:
        connection: Any connection.
        entry: The entry that they follow.
        with_undoing: Include entries that are themselves the undoing of another.
    """
    undoing = "EXISTS (SELECT 1 FROM memory_history u WHERE u.target = h.target AND u.undone_by = h.id)"
    sql = (
        f"SELECT {_ALL} FROM memory_history h WHERE h.target_kind = ? AND h.target = ? AND (hlc, lane, n) > (?, ?, ?)"
        f" AND h.undone_by IS NULL AND (? OR NOT {undoing}) ORDER BY {NEWEST_FIRST}"
    )
    place = entry.place
    values = (entry.target_kind, entry.target, place.hlc, place.lane, place.n, with_undoing)
    yield from map(_row, connection.execute(sql, values))


def undoes_another(connection: apsw.Connection, entry: HistoryRow) -> bool:
    """Return whether ``entry`` is itself the undoing of another entry of its target."""
    row = connection.execute(
        "SELECT 1 FROM memory_history WHERE target = ? AND undone_by = ?", (entry.target, entry.id)
    ).fetchone()
    return row is not None


def has_gone_on(connection: apsw.Connection, entry: HistoryRow) -> bool:
    """Return whether who made ``entry`` did something else since.

    Imports do not count, for they go on for a while beside other work, nor does saying a fact once more.
    """
    row = connection.execute(
        "SELECT 1 FROM memory_history WHERE actor = ? AND at >= ? AND (hlc, lane, n) > (?, ?, ?)"
        " AND event <> 'MENTION' AND coalesce(run_id, '') NOT LIKE 'import:%' LIMIT 1",
        (entry.actor, entry.at_ms, entry.place.hlc, entry.place.lane, entry.place.n),
    ).fetchone()
    return row is not None


def is_addition_undone(connection: apsw.Connection, target: str) -> bool:
    """Return whether the latest change of a target undid its addition, even after redos."""
    row = connection.execute(
        "WITH RECURSIVE chain (id, next, stands) AS ("
        " SELECT id, undone_by, 1 FROM memory_history WHERE target = ?1 AND event = 'ADD'"
        " UNION ALL SELECT h.id, h.undone_by, 1 - chain.stands FROM chain JOIN memory_history h ON h.id = chain.next)"
        " SELECT 1 FROM chain WHERE next IS NULL AND NOT stands"
        f" AND id = (SELECT id FROM memory_history WHERE target = ?1 ORDER BY {NEWEST_FIRST} LIMIT 1)",
        (target,),
    ).fetchone()
    return row is not None


def mark_undone(connection: apsw.Connection, history_id: int, by: int | None) -> None:
    """Note that entry ``by`` undid ``history_id``; ``None`` makes that stand again."""
    connection.execute("UPDATE memory_history SET undone_by = ? WHERE id = ?", (by, history_id))
    connection.execute(
        "UPDATE memory_history SET (undoes_lane, undoes_n) = (SELECT lane, n FROM memory_history WHERE id = ?)"
        " WHERE id = ? AND undoes_n IS NULL",
        (history_id, by),
    )


def is_open(connection: apsw.Connection, history_id: int) -> bool:
    """Return whether an entry can still grow.

    It was written in this vault's own lane, and is not sealed.
    """
    row = connection.execute(
        "SELECT 1 FROM memory_history h JOIN lanes l ON l.lane = h.lane WHERE h.id = ? AND l.is_own AND h.n > l.sealed",
        (history_id,),
    ).fetchone()
    return row is not None


def _require_open(connection: apsw.Connection, history_id: int) -> None:
    if not is_open(connection, history_id):
        raise InternalError("A sealed entry of the history cannot go on.", history=history_id)


def place_unplaced(connection: apsw.Connection) -> None:
    """Give entries without a place one in this vault's own lane.

    They keep the order of their ids; they came from a vault that had no lanes yet.
    """
    rows = connection.execute("SELECT id, at FROM memory_history WHERE n = 0 ORDER BY id").fetchall()
    for history_id, at_ms in rows:
        place = lanes.next_place(connection, int(str(at_ms)))
        connection.execute(
            "UPDATE memory_history SET hlc = ?, lane = ?, n = ? WHERE id = ?",
            (place.hlc, place.lane, place.n, history_id),
        )


def dump_state(state: State | None) -> str | None:
    """Return a state as the JSON that is stored."""
    return None if state is None else json.dumps(state, ensure_ascii=False, separators=(",", ":"))


def _row(row: Sequence[Any]) -> HistoryRow:
    before, after = (None if text is None else json.loads(text) for text in (row[4], row[5]))
    return HistoryRow(
        row[0], row[1], row[2], row[3], before, after, row[6], row[7], row[8], row[9], ChangePlace(*row[10:13])
    )
