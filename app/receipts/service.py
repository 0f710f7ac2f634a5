"""Keeps receipts of writes for a month, and removes them after."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Final
from weakref import WeakValueDictionary

import apsw
import msgspec

from app.core.clock import DAY_MS, Clock
from app.errors import KeepsakeError
from app.part import BackgroundTask, Part
from app.receipts import repo
from app.receipts.model import Receipt, check_key
from app.receipts.repo import StoredReceipt
from app.store.store import Store
from app.store.transaction_wrapper import DeliberateRollbackError

_log = logging.getLogger(__name__)
KEPT_MS: Final = 30 * DAY_MS
MOST_KEPT: Final = 100_000
_CHECK_S = 3600.0


class ClaimedWrite:
    """A write under a key.

    Args:
        receipt: Its receipt: of an earlier call where there was one, else the one that this write has to fulfil.
        is_earlier: Whether there was an earlier call.
    """

    def __init__(self, receipt: Receipt, *, is_earlier: bool) -> None:
        self.receipt = receipt
        self.is_earlier = is_earlier
        self.outcome: Receipt | None = None

    def fulfil(self, receipt: Receipt) -> None:
        """Note what the write came to."""
        self.outcome = receipt


class WriteReceipts(Part):
    """Receipts of writes that their callers gave a key.

    Args:
        store: The vault's database.
        clock: Where the time comes from.
        most: How many are kept of each operation of each actor, the newest.
    """

    def __init__(self, store: Store, clock: Clock, most: int = MOST_KEPT) -> None:
        self._store = store
        self._clock = clock
        self._most = most
        self._locks: WeakValueDictionary[tuple[str, str, str], asyncio.Lock] = WeakValueDictionary()

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the removal of old receipts."""
        return (BackgroundTask("write-receipts", self.run),)

    @asynccontextmanager
    async def claim(
        self, actor: str, key: str, operation: str, arguments: object, memory_id: str
    ) -> AsyncIterator[ClaimedWrite]:
        """Hold a key while its write is done; the same key waits meanwhile.

        The receipt is stored before the write, with the id that the memory gets, and again when the claim is fulfilled:
        so a write that was cut off in between is recognised by its id. One that fails, or that waits for the person,
        gives its key free.

        Args:
            actor: Who writes; the keys of different callers have nothing to do with each other.
            key: The caller's key.
            operation: The operation that is called; another has keys of its own.
            arguments: Its arguments, or what they ask for.
            memory_id: The id that a new memory gets.

        Raises:
            KeyConflictError: The key was used before, with other arguments.
            InputError: The key is too long or cannot be stored.
        """
        check_key(key)
        digest = sha256(msgspec.json.encode(arguments, order="deterministic")).hexdigest()
        lock = self._locks.setdefault((actor, operation, key), asyncio.Lock())
        async with lock:
            mine = StoredReceipt(operation, digest, _encoded(Receipt(memory_id)), self._clock.now_ms())
            earlier = await self._store.write(partial(_claimed, actor=actor, key=key, mine=mine), is_bookkeeping=True)
            receipt = msgspec.json.decode((earlier or mine).answer, type=Receipt)
            claim = ClaimedWrite(receipt, is_earlier=earlier is not None)
            try:
                yield claim
            except (KeepsakeError, DeliberateRollbackError):
                if earlier is None:
                    free = partial(repo.remove, actor=actor, operation=operation, key=key)
                    await self._store.write(free, is_bookkeeping=True)
                raise
            if claim.outcome is not None:
                done = replace(mine, answer=_encoded(claim.outcome))
                await self._store.write(partial(repo.put, actor=actor, key=key, stored=done), is_bookkeeping=True)

    async def run(self) -> None:
        """Remove old receipts now and every hour, until cancelled."""
        while True:
            try:
                await self.tidy()
            except KeepsakeError as error:
                _log.info("receipts of writes were not tidied up: %s", error.code)  # the next time does it
            await asyncio.sleep(_CHECK_S)

    async def tidy(self) -> None:
        """Remove the receipts that are too old."""
        before = self._clock.now_ms() - KEPT_MS
        while await self._store.write(partial(repo.remove_old, before_ms=before, most=self._most)):
            pass


def _claimed(connection: apsw.Connection, actor: str, key: str, mine: StoredReceipt) -> StoredReceipt | None:
    """Return the receipt of an earlier write with the same key, else store this one."""
    earlier = repo.find_same(connection, actor, mine.operation, key, mine.arguments)
    if earlier is None:
        repo.put(connection, actor, key, mine)
    return earlier


def _encoded(receipt: Receipt) -> str:
    return msgspec.json.encode(receipt).decode()
