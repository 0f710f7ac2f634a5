"""Turns of conversations as changes of a lane.

A turn becomes part of a change when the lane is sealed, so that appending costs nothing more. It is named by its
conversation, the lane it was written in and its number there, which may be another here. Owns message_batches.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from app.store import lanes

MOST_TURNS: Final = 1_000
"""Turns of one change, at most."""
MOST_CHARACTERS: Final = 500_000
_OWN: Final = "origin_seq IS NULL"
_FLOOR: Final = "SELECT coalesce(max(last_rowid), 0) FROM message_batches"


@dataclass(frozen=True, slots=True)
class LaneTurn:
    """A turn as all machines know it.

    Args:
        n: The number of the change that it is part of.
        session: The id of its conversation.
        lane: The lane that it was written in.
        seq: Its number there.
        said: The other columns of its row, by name.
    """

    n: int
    session: str
    lane: int
    seq: int
    said: dict[str, Any]


TEXTS: Final = ("tool_calls", "payload")
COLUMNS: Final = (
    "role", "author", "content", "tool_call_id", "tool_name", *TEXTS, "importance", "created_at",
)  # fmt: skip


def number_turns(connection: apsw.Connection, wall_ms: int) -> None:
    """Make changes of the turns written here since the last time.

    To be called before the lane is sealed.
    """
    floor = int(connection.execute(_FLOOR).get)
    rows = connection.execute(
        f"SELECT rowid, length(content) + coalesce(length(payload), 0) + coalesce(length(tool_calls), 0)"
        f" FROM messages WHERE rowid > ? AND {_OWN} ORDER BY rowid",
        (floor,),
    )
    for first, last in _batches((int(str(rowid)), int(str(size))) for rowid, size in rows.fetchall()):
        place = lanes.next_place(connection, wall_ms)
        connection.execute(
            "INSERT INTO message_batches (lane, n, hlc, at, first_rowid, last_rowid) VALUES (?, ?, ?, ?, ?, ?)",
            (place.lane, place.n, place.hlc, wall_ms, first, last),
        )


def _batches(sizes: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the first and last rowid of each batch."""
    first, last, count, characters = 0, 0, 0, 0
    for rowid, size in sizes:
        if count and (count >= MOST_TURNS or characters + size > MOST_CHARACTERS):
            yield first, last
            first, count, characters = 0, 0, 0
        first, last, count, characters = first or rowid, rowid, count + 1, characters + size
    if count:
        yield first, last


def turns_of(connection: apsw.Connection, lane: int, n: int) -> list[LaneTurn]:
    """Return the turns of one change that are still here, in order."""
    rows = connection.execute(
        f"SELECT m.session_id, l.lane, m.seq, {', '.join(f'm.{name}' for name in COLUMNS)} FROM message_batches b"
        " JOIN messages m ON m.rowid BETWEEN b.first_rowid AND b.last_rowid JOIN lanes l ON l.number = m.origin"
        f" WHERE b.lane = ? AND b.n = ? AND m.{_OWN} ORDER BY m.rowid",
        (lane, n),
    )
    return [LaneTurn(n, str(row[0]), int(str(row[1])), int(str(row[2])), _said(row[3:])) for row in rows]


def turns_after(
    connection: apsw.Connection, session: str, seq: int, most_characters: int
) -> tuple[list[LaneTurn], int | None]:
    """Return a session's turns after a number here, and after which to go on.

    Turns that are withheld are among them. Of the last ones the number is ``None``.

    Args:
        connection: Any connection.
        session: The id of the session.
        seq: The number here.
        most_characters: So much is returned at once, or one turn if that has more.
    """
    columns = f"session_id, seq, origin, origin_seq, {', '.join(COLUMNS)}"
    rows = connection.execute(
        f"SELECT m.seq, l.lane, coalesce(m.origin_seq, m.seq), {', '.join(f'm.{name}' for name in COLUMNS)} FROM"
        f" (SELECT {columns} FROM messages WHERE session_id = ?1 AND seq > ?2 UNION ALL SELECT {columns}"
        " FROM withheld_messages WHERE session_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3) m"
        " JOIN lanes l ON l.number = m.origin ORDER BY 1",
        (session, seq, MOST_TURNS),
    ).fetchall()
    turns: list[LaneTurn] = []
    size, last = 0, seq
    for row in rows:
        said = _said(row[3:])
        size += len(said["content"]) + sum(len(str(said[name])) for name in TEXTS if said[name] is not None)
        if turns and size > most_characters:
            return turns, last
        turns.append(LaneTurn(0, session, int(str(row[1])), int(str(row[2])), said))
        last = int(str(row[0]))
    return turns, None if len(rows) < MOST_TURNS else last


def _said(values: Sequence[Any]) -> dict[str, Any]:
    said = dict(zip(COLUMNS, values, strict=True))
    return said | {name: None if said[name] is None else json.loads(said[name]) for name in TEXTS}


def global_name(connection: apsw.Connection, session: str, seq: int) -> tuple[int, int] | None:
    """Return lane and number of a turn by its number here; ``None`` without it."""
    for table in ("messages", "withheld_messages"):
        row = connection.execute(
            f"SELECT l.lane, coalesce(m.origin_seq, m.seq) FROM {table} m JOIN lanes l ON l.number = m.origin"
            " WHERE m.session_id = ? AND m.seq = ?",
            (session, seq),
        ).fetchone()
        if row is not None:
            return int(str(row[0])), int(str(row[1]))
    return None


def known_names(connection: apsw.Connection, session: str) -> set[tuple[int, int]]:
    """Return lane and number of the turns that a conversation has."""
    return {
        (int(str(lane)), int(str(seq)))
        for table in ("messages", "withheld_messages")
        for lane, seq in connection.execute(
            f"SELECT l.lane, coalesce(m.origin_seq, m.seq) FROM {table} m JOIN lanes l ON l.number = m.origin"
            " WHERE m.session_id = ?",
            (session,),
        )
    }


def local_number(connection: apsw.Connection, session: str, lane: int, seq: int) -> int | None:
    """Return the number here of a turn of a lane; ``None`` without it."""
    for table in ("messages", "withheld_messages"):
        # Of a conversation that only one machine wrote, it is the same number; that is looked for first.
        for where in ("m.seq = ?3 AND coalesce(m.origin_seq, m.seq) = ?3", "coalesce(m.origin_seq, m.seq) = ?3"):
            row = connection.execute(
                f"SELECT m.seq FROM {table} m JOIN lanes l ON l.number = m.origin"
                f" WHERE m.session_id = ?1 AND l.lane = ?2 AND {where}",
                (session, lane, seq),
            ).fetchone()
            if row is not None:
                return int(str(row[0]))
    return None


def local_numbers(connection: apsw.Connection, session: str, lane: int, first: int, last: int) -> list[int]:
    """Return the numbers here of the turns of a lane between two of its numbers."""
    return [
        int(str(seq))
        for table in ("messages", "withheld_messages")
        for (seq,) in connection.execute(
            f"SELECT m.seq FROM {table} m JOIN lanes l ON l.number = m.origin WHERE m.session_id = ? AND l.lane = ?"
            " AND coalesce(m.origin_seq, m.seq) BETWEEN ? AND ?",
            (session, lane, first, last),
        )
    ]
