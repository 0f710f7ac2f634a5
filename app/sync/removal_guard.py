"""Guard against the loss of much at once.

Where another machine removed a lot, its changes wait for the person. Nothing is lost meanwhile: they stay in the
exchange, and those of other machines go on. Owns the vault's ``sync.accepted`` values.
"""

from typing import Final

import apsw

from app.store import meta
from app.sync.segments.capture import LanePart
from app.sync.segments.change import ERASE, Change

LEAST: Final = 50
"""Rows; fewer never wait."""
LARGEST_SHARE: Final = 0.05
"""Of all memories and conversations that are there."""
_ACCEPTED: Final = "sync.accepted"
_ENDED: Final = ("deleted_at", "forgotten_at")
_LIVE: Final = {
    "memory": "SELECT count(*) FROM memories WHERE valid_until IS NULL",
    "session": "SELECT count(*) FROM sessions WHERE forgotten_at IS NULL",
}
_ONE_LIVE: Final = {
    "memory": "SELECT 1 FROM memories WHERE valid_until IS NULL AND id = ?",
    "session": "SELECT 1 FROM sessions WHERE forgotten_at IS NULL AND id = ?",
}


def removed_by(connection: apsw.Connection, part: LanePart) -> int:
    """Return how many memories and conversations that are here some changes remove."""
    last = {(change.target_kind, change.target): change for change in part.changes if change.target_kind in _ONE_LIVE}
    return sum(
        connection.execute(_ONE_LIVE[kind], (target,)).fetchone() is not None
        for (kind, target), change in last.items()
        if _removes(change)
    )


def is_too_much(connection: apsw.Connection, removed: int) -> bool:
    """Return whether the person is to be asked before so many rows go."""
    live = sum(int(connection.execute(sql).get) for sql in _LIVE.values())
    return removed >= LEAST and removed > LARGEST_SHARE * live


def is_accepted(connection: apsw.Connection, lane: int, n: int) -> bool:
    """Return whether the person accepted what a lane removed up to a change."""
    return int(meta.read(connection, f"{_ACCEPTED}.{lane:016x}") or 0) >= n


def accept(connection: apsw.Connection, lane: int, n: int) -> None:
    """Note that the person accepts what a lane removed up to a change."""
    meta.write(connection, f"{_ACCEPTED}.{lane:016x}", str(n))


def _removes(change: Change) -> bool:
    after = change.after
    return change.event == ERASE or after is None or any(after.get(name) is not None for name in _ENDED)
