"""Access counts of memories: how often each is found and fetched.

They are counted off the read path: in memory first, then in one short write. Counts are no part of what a memory says:
they make no entry of the history, no version and no work for the index. A crash loses those of the last seconds and
nothing else.
"""

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import apsw

from app.core.clock import Clock
from app.errors import KeepsakeError
from app.sentence import Sentence
from app.store.store import Store

_log = logging.getLogger(__name__)

FLUSH_SECONDS = 5.0
BATCH = 500  # memories a write
MAX_WAITING = 10_000  # memories whose counts are held at most; while the disk is full, those of more are lost


@dataclass(slots=True)
class _Access:
    """Access count of a memory, with the time of the last access."""

    count: int
    at_ms: int


class AccessCounter:
    """Counts accesses; belongs to one event loop.

    Args:
        store: The vault's database.
        clock: When an access was.
        pause_s: Seconds between two writes at most.
    """

    def __init__(self, store: Store, clock: Clock, pause_s: float = FLUSH_SECONDS) -> None:
        self._store = store
        self._clock = clock
        self._pause_s = pause_s
        self._waiting: dict[str, _Access] = {}
        self._full = asyncio.Event()
        self._failure = ""

    @property
    def failures(self) -> tuple[str, ...]:
        """Return sentences for the person about what is not counted; none when all is well."""
        return (self._failure,) if self._failure else ()

    @property
    def waiting(self) -> int:
        """Return of how many memories counts wait to be written."""
        return len(self._waiting)

    def count(self, ids: Iterable[str]) -> None:
        """Count one access to each memory of ``ids``; unknown ids are passed over."""
        now = self._clock.now_ms()
        for memory_id in ids:
            held = self._waiting.get(memory_id)
            if held is not None:
                held.count += 1
                held.at_ms = max(held.at_ms, now)
            elif len(self._waiting) < MAX_WAITING:
                self._waiting[memory_id] = _Access(1, now)
        if len(self._waiting) >= BATCH:
            self._full.set()

    async def run(self) -> None:
        """Write the waiting counts every few seconds until cancelled.

        A full batch is written at once.
        """
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._full.wait(), self._pause_s)
            self._full.clear()
            await self.flush()

    async def flush(self) -> None:
        """Write what waits; what cannot be written now waits on."""
        while self._waiting:
            batch = dict(list(self._waiting.items())[:BATCH])
            for memory_id in batch:
                del self._waiting[memory_id]
            try:
                # Shielded: once handed over it is written, even when the caller that waits is cancelled.
                await asyncio.shield(self._store.write(partial(write, counted=batch)))
            except KeepsakeError as error:
                # Counts are a convenience: the failure shows in the status, and the next round tries again.
                self._keep(batch)
                self._failure = Sentence(
                    "How often memories are read is not counted at the moment. {why}", why=error.sentence
                )
                _log.info("accesses were not written: %s", error.code)
                return
            self._failure = ""

    def _keep(self, batch: Mapping[str, _Access]) -> None:
        for memory_id, access in batch.items():
            held = self._waiting.setdefault(memory_id, _Access(0, access.at_ms))
            held.count += access.count
            held.at_ms = max(held.at_ms, access.at_ms)


def write(connection: apsw.Connection, counted: Mapping[str, _Access]) -> None:
    """Add counts to the rows of memories."""
    connection.executemany(
        "UPDATE memories SET access_count = access_count + ?, last_accessed = max(coalesce(last_accessed, 0), ?)"
        " WHERE id = ?",
        [(access.count, access.at_ms, memory_id) for memory_id, access in counted.items()],
    )
