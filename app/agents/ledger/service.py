"""The ledger service: records calls, answers who did what, removes old calls.

Recording costs the caller no write: calls wait in memory and are written together.
"""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

import apsw

from app.agents.ledger import repo
from app.agents.ledger.model import AgentActivity, LedgerFilter, LedgerPage, NewCall, Reader
from app.changes import Changed, ChangeSet
from app.core.clock import DAY_MS, Clock, to_ms
from app.core.text import counted
from app.core.text_rules.recall_fence import recalled_ranges
from app.erasure.call_records import forget_in_ledger
from app.errors import KeepsakeError
from app.part import BackgroundTask, Part
from app.sentence import Sentence, counted_sentence, joined
from app.store.store import Store

_log = logging.getLogger(__name__)

FLUSH_SECONDS: Final = 1.0
BATCH: Final = 200  # calls a transaction, and calls that are not left to wait
MAX_WAITING: Final = 50_000  # calls held while nothing can be written
MAX_PAGE: Final = 500
AREA: Final = "ledger"
_PRUNE_BATCH: Final = 500
_PRUNE_SECONDS: Final = 3600.0
_PRUNE_AFTER: Final = 5_000  # calls
_PAUSE_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class LedgerOptions:
    """Settings of the ledger.

    Args:
        days: How long calls are kept.
        entries: How many are kept.
    """

    days: int = 365
    entries: int = 200_000


class LedgerService(Part):
    """Records calls; belongs to one event loop.

    Args:
        store: The vault's database.
        clock: The source of the time.
        options: Returns the settings as they are now.
        pause_s: Seconds between two writes at most.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        options: Callable[[], LedgerOptions] = LedgerOptions,
        pause_s: float = FLUSH_SECONDS,
    ) -> None:
        self._store = store
        self._clock = clock
        self._options = options
        self._pause_s = pause_s
        self._waiting: deque[NewCall] = deque()
        self._erased: set[str] = set()
        self._begun = asyncio.Event()  # something waits
        self._full = asyncio.Event()
        self._many = asyncio.Event()  # so much was written that old calls may have to leave
        self._one_at_a_time = asyncio.Lock()
        self._until_pruning = _PRUNE_AFTER
        self._lost = 0
        self._failure = ""

    @property
    def failures(self) -> tuple[str, ...]:
        """Return sentences for the person about what is not recorded; none when all is well."""
        return (self._failure,) if self._failure else ()

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the writing of calls, and the removal of old ones."""
        return (BackgroundTask("ledger", self.run), BackgroundTask("ledger-pruning", self.prune))

    async def close(self) -> None:
        """Write the waiting calls."""
        await self.flush()

    def add(self, call: NewCall) -> None:
        """Record a call; returns at once."""
        if self._store.read_only is not None:
            return
        self._waiting.append(call)
        self._begun.set()
        if len(self._waiting) >= BATCH:
            self._full.set()
        if len(self._waiting) > MAX_WAITING:
            self._waiting.popleft()
            self._lost += 1

    def forget(self, items: Iterable[str]) -> None:
        """Remove items from all calls, soon; returns at once."""
        if self._store.read_only is None:
            self._erased.update(items)
            self._begun.set()
            self._full.set()

    async def run(self) -> None:
        """Write what waits a second after it came, until cancelled; a full batch at once."""
        while True:
            await self._begun.wait()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._full.wait(), self._pause_s)
            self._begun.clear()
            self._full.clear()
            await self.flush()
            if self._failure:
                self._begun.set()

    async def flush(self) -> None:
        """Write the waiting calls.

        What cannot be written now waits on, and the failure shows in the status.
        """
        async with self._one_at_a_time:
            while self._waiting or self._erased:
                batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
                erased = frozenset(self._erased) if not self._waiting else frozenset[str]()
                try:
                    # Shielded: once handed over it is written, even when the waiting caller is told to stop.
                    await asyncio.shield(self._store.write(partial(_write, batch, erased), is_derived=True))
                except KeepsakeError as error:
                    self._waiting.extendleft(reversed(batch))
                    lost = counted_sentence(self._lost, "1 call was lost.", "{count} calls were lost.")
                    what = Sentence("What agents do is not recorded at the moment.")
                    self._failure = joined((what, error.sentence, lost if self._lost else ""))
                    _log.info("the ledger was not written: %s", error.code)
                    return
                self._failure = ""
                self._erased -= erased
                self._until_pruning -= len(batch)
                if self._until_pruning <= 0:
                    self._many.set()

    async def calls(self, wanted: LedgerFilter, limit: int, before: int | None = None) -> LedgerPage:
        """Return calls, the newest first."""
        await self.flush()
        most = max(1, min(limit, MAX_PAGE))
        rows = await self._store.read(partial(repo.page, wanted=wanted, limit=most + 1, before=before))
        return LedgerPage(tuple(rows[:most]), rows[most - 1].id if len(rows) > most else None)

    async def readers(self, item: str) -> list[Reader]:
        """Return which agents were given an item, the latest first."""
        await self.flush()
        return await self._store.read(partial(repo.readers, item=item))

    async def activity(self, agent: str, searches: Collection[str], since: datetime | None = None) -> AgentActivity:
        """Return sums of an agent's calls.

        Args:
            agent: Its name.
            searches: The operations whose calls count as searches.
            since: Calls at or after; all that are kept when left out.
        """
        await self.flush()
        since_ms = None if since is None else to_ms(since)
        activity = await self._store.read(partial(repo.activity, agent=agent, searches=searches, since_ms=since_ms))
        return replace(activity, sentence=_sentence(activity))

    async def clear(self, before: datetime | None = None, *, actor: str) -> Changed[int]:
        """Delete the calls from before a time, or all, and return how many."""
        await self.flush()
        before_ms = self._clock.now_ms() + 1 if before is None else to_ms(before)
        count = await self._delete(partial(repo.delete_before, before_ms=before_ms))
        return Changed(count, ChangeSet(frozenset({AREA}), (), actor))

    async def prune(self) -> None:
        """Remove old calls now and then, until cancelled."""
        while True:
            with contextlib.suppress(KeepsakeError):  # the next round tries again; the writer's own fault is shown
                await self.prune_once()
            self._until_pruning = _PRUNE_AFTER
            self._many.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._many.wait(), _PRUNE_SECONDS)

    async def prune_once(self) -> int:
        """Remove calls that are too old or too many, and return how many."""
        options = self._options()
        before_ms = self._clock.now_ms() - options.days * DAY_MS
        count = await self._delete(partial(repo.delete_before, before_ms=before_ms))
        return count + await self._delete(partial(repo.delete_beyond, most=options.entries))

    async def _delete(self, some: Callable[..., int]) -> int:
        count = 0
        while deleted := await self._store.write(partial(some, limit=_PRUNE_BATCH), is_derived=True):
            count += deleted
            await self._store.yield_to_readers(_PAUSE_S)
        return count


def _write(calls: Sequence[NewCall], erased: Iterable[str], connection: apsw.Connection) -> None:
    echoes = {place for place, call in enumerate(calls) if any(map(recalled_ranges, call.texts))}
    repo.insert(connection, calls, echoes)
    for name in erased:
        forget_in_ledger(connection, name)


def _sentence(sums: AgentActivity) -> str:
    """Return an agent's sums in words."""
    if not sums.calls:
        return Sentence("{agent} has not called.", agent=sums.agent)
    parts = [
        counted(sums.searches, "search", "searches"),
        f"{counted(sums.reads - sums.searches, 'other read')}, {counted(sums.items_read, 'item')} in all",
        f"{counted(sums.writes, 'write')} to {counted(sums.items_written, 'item')}",
    ]
    for count, single, many in (
        (sums.proposed, "proposal for the inbox", "proposals for the inbox"),
        (sums.refusals, "call refused", "calls refused"),
        (sums.failures, "call failed", "calls failed"),
        (sums.echoes, "write that repeated recalled text", "writes that repeated recalled text"),
    ):
        if count:
            parts.append(counted(count, single, many))
    return f"{sums.agent}: {'; '.join(parts)}."
