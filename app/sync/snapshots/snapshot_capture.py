"""Capture of a snapshot from the vault, in parts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import apsw

from app.erasure import erasures
from app.sync.segments import capture, turn_log
from app.sync.segments.change import Change
from app.sync.segments.lane_segment import Line
from app.sync.segments.turn_log import LaneTurn
from app.sync.snapshots import snapshot_format
from app.sync.snapshots.snapshot_format import LaneEnd

MOST_CHARACTERS: Final = 1 << 20
"""Of the texts of a part, unless one change or turn alone has more."""
_MOST_KNOWLEDGE: Final = 20_000
TurnCursor = tuple[int, int]
"""Conversation, by its row, and number of the turn after which to go on."""
START: Final[TurnCursor] = (0, -1)


@dataclass(frozen=True, slots=True)
class CapturedChanges:
    """Frontier of a snapshot and what it has but for turns.

    Args:
        lanes: Up to where all of each lane is in the exchange.
        erased: Up to which number of each lane the erasures are carried out.
        parts: The parts with changes, packed.
        rows: How many changes and turns there are.
    """

    lanes: Mapping[int, LaneEnd]
    erased: Mapping[int, int]
    parts: tuple[bytes, ...]
    rows: int


def changes_of(connection: apsw.Connection) -> CapturedChanges | None:
    """Return all changes in the exchange, ``None`` while something is being forgotten."""
    if erasures.receipts_digest(connection) is None or erasures.are_entities_left(connection):
        return None
    rows = connection.execute("SELECT lane, shared_n, digest, hlc FROM lanes WHERE shared_n > 0 ORDER BY lane")
    lanes = {int(str(lane)): LaneEnd(int(str(n)), str(digest), int(str(hlc))) for lane, n, digest, hlc in rows}
    parts = (*_knowledge_parts(connection), *_change_parts(connection))
    return CapturedChanges(lanes, erasures.last_numbers(connection), parts, rows_of(connection))


def rows_of(connection: apsw.Connection) -> int:
    """Return how many changes and turns a vault has, about."""
    return sum(
        int(connection.execute(f"SELECT count(*) FROM {table}").get)
        for table in ("memory_history", "messages", "withheld_messages")
    )


def turns_after(connection: apsw.Connection, cursor: TurnCursor) -> tuple[bytes | None, TurnCursor | None]:
    """Return the next part with turns, and where to go on, ``None`` at the end.

    The part is ``None`` without a turn.
    """
    lines: list[Line] = []
    size = 0
    row, seq = cursor
    while size < MOST_CHARACTERS:
        found = connection.execute(
            "SELECT rowid, id FROM sessions WHERE (rowid > ?1 OR (rowid = ?1 AND ?2 >= 0))"
            " AND id NOT IN (SELECT target FROM erasures) ORDER BY rowid LIMIT 1",
            (row, seq),
        ).fetchone()
        if found is None:
            return (snapshot_format.pack(lines) if lines else None), None
        after = seq if int(str(found[0])) == row else -1
        turns, following = turn_log.turns_after(connection, str(found[1]), after, MOST_CHARACTERS - size)
        if turns:
            lines += _with_head(connection, str(found[1]), turns)
        size += sum(len(turn.said["content"]) + len(turn.said) for turn in turns)
        row, seq = int(str(found[0])), -1 if following is None else following
    return snapshot_format.pack(lines), (row, seq)


def _with_head(connection: apsw.Connection, session: str, turns: Iterable[LaneTurn]) -> Iterator[Line]:
    head = capture.head_of(connection, session)
    if head is not None:
        yield {"session": head}
        yield from snapshot_format.turn_lines(turns)


def _knowledge_parts(connection: apsw.Connection) -> Iterator[bytes]:
    rows = connection.execute(
        "SELECT k.lane, k.n, k.of_lane, k.known FROM lane_knowledge k JOIN lanes l ON l.lane = k.lane"
        " AND k.n <= l.shared_n ORDER BY 1, 3, 2"
    ).fetchall()
    for first in range(0, len(rows), _MOST_KNOWLEDGE):
        yield snapshot_format.pack({"knew": list(row)} for row in rows[first : first + _MOST_KNOWLEDGE])


def _change_parts(connection: apsw.Connection) -> Iterator[bytes]:
    changes: list[Change] = []
    size = 0
    for change in capture.shared_changes(connection):
        changes.append(change)
        size += _length(change.before) + _length(change.after)
        if size >= MOST_CHARACTERS:
            yield _packed(connection, changes)
            changes, size = [], 0
    if changes:
        yield _packed(connection, changes)


def _packed(connection: apsw.Connection, changes: list[Change]) -> bytes:
    sessions = dict.fromkeys(change.target for change in changes if change.target_kind == "session")
    begun = (capture.head_of(connection, session) for session in sessions)
    lines: list[Line] = [{"session": head} for head in begun if head is not None]
    lines += [{"name": [identity, *said]} for identity, said in capture.names_in(connection, changes).items()]
    lines += snapshot_format.change_lines(changes)
    return snapshot_format.pack(lines)


def _length(state: Mapping[str, Any] | None) -> int:
    """Return about how long a state is as text."""
    return 0 if state is None else 200 + sum(len(value) for value in state.values() if isinstance(value, str))
