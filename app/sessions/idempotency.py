"""Idempotent appends: a caller's key, so that repeating stores nothing twice.

Keys are kept for a limited time.
"""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial

import apsw

from app.core.clock import DAY_MS, Clock
from app.core.text import storable
from app.errors import InputError, KeepsakeError, KeyConflictError
from app.sessions.model import Appended, NewMessage
from app.store.store import Store

_log = logging.getLogger(__name__)

KEPT_MS = 30 * DAY_MS
MOST_OF_A_SESSION = 10_000
_BATCH = 500  # rows that one transaction removes
_CHECK_S = 6 * 3600.0
_OLD = "SELECT actor, key FROM append_receipts WHERE at < ? LIMIT ?"
_FULL = "SELECT session_id FROM append_receipts GROUP BY session_id HAVING count(*) > ? LIMIT 1"
_BEYOND = (
    "SELECT actor, key FROM (SELECT actor, key, at, last_seq FROM append_receipts WHERE session_id = ?"
    " ORDER BY at DESC, last_seq DESC LIMIT -1 OFFSET ?) LIMIT ?"
)

Keys = list[tuple[str, str]]


class IdempotencyKeyCleaner:
    """Cleaner of append keys that are old or too many for a session.

    Args:
        store: The vault's database.
        clock: Where the time comes from.
        kept_ms: How long keys are kept, milliseconds.
        most: Keys of one conversation that are kept, the newest.
    """

    def __init__(self, store: Store, clock: Clock, kept_ms: int = KEPT_MS, most: int = MOST_OF_A_SESSION) -> None:
        self._store = store
        self._clock = clock
        self._kept_ms = kept_ms
        self._most = most

    async def run(self) -> None:
        """Tidy up now and some times a day, until cancelled."""
        while True:
            try:
                await self.tidy()
            except KeepsakeError as error:
                _log.info("keys of appends were not tidied up: %s", error.code)  # the next time does it
            await asyncio.sleep(_CHECK_S)

    async def tidy(self) -> int:
        """Remove what need not stay, some at a time, and return how many keys went."""
        count = 0
        before = self._clock.now_ms() - self._kept_ms
        while keys := await self._store.read(partial(_due, before_ms=before, most=self._most)):
            await self._store.write(partial(_remove, keys=keys))
            count += len(keys)
        return count


def _due(connection: apsw.Connection, before_ms: int, most: int) -> Keys:
    """Return some keys that may go."""
    old = connection.execute(_OLD, (before_ms, _BATCH)).fetchall()
    full = None if old else connection.execute(_FULL, (most,)).fetchone()
    found = old if full is None else connection.execute(_BEYOND, (full[0], most, _BATCH)).fetchall()
    return [(str(actor), str(key)) for actor, key in found]


def _remove(connection: apsw.Connection, keys: Keys) -> None:
    connection.executemany("DELETE FROM append_receipts WHERE actor = ? AND key = ?", keys)


def previous_append(
    connection: apsw.Connection, actor: str, key: str, session: str | None, messages: Sequence[NewMessage]
) -> Appended | None:
    """Return the result of an earlier append with the same key, ``None`` for none.

    Args:
        connection: The writer's connection.
        actor: Who appends; the keys of different callers have nothing to do with each other.
        key: The caller's key.
        session: The session named this time, if any.
        messages: The messages given this time.

    Raises:
        KeyConflictError: The key was used for other messages.
        InputError: The key was used for another session, or for one that was forgotten since.
    """
    row = connection.execute(
        "SELECT r.session_id, r.first_seq, r.last_seq, r.created, s.forgotten_at FROM append_receipts r"
        " JOIN sessions s ON s.id = r.session_id WHERE r.actor = ? AND r.key = ?",
        (actor, key),
    ).fetchone()
    if row is None:
        return None
    landed, first, last, created, forgotten = row
    if session is not None and session != landed:
        raise InputError(f"The key was used before, for session {landed}.", field="key", session=landed)
    if forgotten is not None:
        raise InputError(f"Session {landed} was forgotten. Undo that, or use another key.", session=landed)
    stored = connection.execute(
        "SELECT seq, role, content FROM messages WHERE session_id = ? AND seq BETWEEN ? AND ? ORDER BY seq",
        (landed, first, last),
    ).fetchall()
    if [(role, text) for _, role, text in stored] != [(one.role, storable(one.content)[0]) for one in messages]:
        raise KeyConflictError(
            "The key was used before, for other messages. Give every append a key of its own.",
            field="key",
            session=landed,
        )
    return Appended(landed, tuple(int(str(seq)) for seq, _, _ in stored), created=bool(created))


def is_known(connection: apsw.Connection, actor: str, key: str) -> bool:
    """Return whether an append with a caller's key was done."""
    sql = "SELECT 1 FROM append_receipts WHERE actor = ? AND key = ?"
    return bool(key) and connection.execute(sql, (actor, key)).fetchone() is not None


def note_append(connection: apsw.Connection, actor: str, key: str, done: Appended, now_ms: int) -> None:
    """Remember, in the transaction of an append, that ``key`` stands for it."""
    connection.execute(
        "INSERT INTO append_receipts (actor, key, session_id, first_seq, last_seq, at, created)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (actor, key, done.session_id, done.seqs[0], done.seqs[-1], now_ms, done.created),
    )
