"""Synchronisation in the background: soon after each change, and from time to time.

What is being written is not cut in two: it is sealed once nothing was written for a moment.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from app.changes import ChangeSet
from app.errors import CallStoppedError, CancelledByPersonError, KeepsakeError
from app.part import BackgroundTask, Part
from app.sentence import Sentence
from app.sync.service import ACTOR, OPERATION, SyncService

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SyncTiming:
    """Times of the synchronisation, in seconds.

    Args:
        quiet: Without a change here for so long, those before are sealed.
        longest: They are sealed after so long at the latest.
        look: Others are looked at after so long where the place does not tell of what is new.
        look_longest: A server is looked at ever more rarely while nothing happens, and after so long at the latest.
        look_anyway: The same where it does.
        hear: How long the place is listened to at once; closing the vault waits no longer than that.
    """

    quiet: float = 2.0
    longest: float = 30.0
    look: float = 15.0
    look_longest: float = 120.0
    look_anyway: float = 60.0
    hear: float = 1.0


TIMING: Final = SyncTiming()


class SyncLoop(Part):
    """Synchronises a vault that is joined to others. Belongs to one event loop.

    Args:
        service: The synchronisation.
        publish: Tells everyone who listens that its state is another one.
        timing: When it does so.
    """

    def __init__(self, service: SyncService, publish: Callable[[ChangeSet], None], timing: SyncTiming = TIMING) -> None:
        self._service = service
        self._publish = publish
        self.timing = timing
        self._has_news = asyncio.Event()
        self._has_changed = asyncio.Event()
        self._changed_s = 0.0
        self._is_hearing = False
        self._idle_looks = 0
        self._failure: str = ""

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the synchronisation, and what listens for the other machines."""
        return (
            BackgroundTask("sync", self.run, is_essential=False),
            BackgroundTask("sync news", self.hear, is_essential=False),
        )

    @property
    def failures(self) -> Sequence[str]:
        """Why the other machines do not hear of this one, or the reverse."""
        return (self._failure,)

    def on_change(self, changes: ChangeSet) -> None:
        """Note a change of the vault, or of how it is shared."""
        if changes.operation != OPERATION:
            self._changed_s = time.monotonic()
            self._has_changed.set()

    async def run(self) -> None:
        """Synchronise until the vault is closed."""
        while True:
            await self._service.until_begun()
            self._has_news.clear()
            try:
                report = await self._service.sync()
                self._idle_looks = 0 if report.taken or report.added else self._idle_looks + 1
                self._failure = report.waiting and Sentence(
                    "Not everything of your other machines is here yet. {reason}", reason=report.waiting
                )
            except CancelledByPersonError:
                return
            except CallStoppedError:  # the person paused or left, or named another place
                self._failure = ""
                continue
            except KeepsakeError as error:
                if await self._service.joined() is None:  # the person left meanwhile
                    self._failure = ""
                    continue
                failure = Sentence(
                    "This machine and your others do not hear of each other. {reason}", reason=error.sentence
                )
                if failure != self._failure:
                    _log.warning("synchronisation failed: %s", error.code)
                self._failure = failure
            self._publish(ChangeSet(frozenset({"devices"}), (), ACTOR, OPERATION))
            await self._until_due()

    async def hear(self) -> None:
        """Listen for what other machines add, until the vault is closed."""
        while True:
            await self._service.until_begun()
            try:
                has_news = await self._service.hear(self.timing.hear)
                self._is_hearing = has_news is not None
                if has_news:
                    self._has_news.set()
            except CallStoppedError:
                self._is_hearing = False
            except KeepsakeError:
                # The synchronisation says so; it looks from time to time meanwhile.
                self._is_hearing = False
                await asyncio.sleep(self.timing.look)

    async def _pause_s(self) -> float:
        """Return the seconds until others are looked at without a change or news."""
        timing = self.timing
        if self._is_hearing:
            return timing.look_anyway
        if await self._service.is_near():
            return timing.look
        return min(timing.look * (1 << min(self._idle_looks, 8)), timing.look_longest)

    async def _until_due(self) -> None:
        """Wait for news, a pause in the writing, or the time to look."""
        changed, news = asyncio.ensure_future(self._has_changed.wait()), asyncio.ensure_future(self._has_news.wait())
        try:
            await asyncio.wait(
                {changed, news},
                timeout=await self._pause_s(),
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            changed.cancel()
            news.cancel()
        if self._has_changed.is_set():
            await self._until_quiet(time.monotonic() + self.timing.longest)
            self._has_changed.clear()

    async def _until_quiet(self, latest_s: float) -> None:
        """Wait until nothing was written for a moment."""
        rest_s = 1.0  # a timer for each change would make each slower
        while rest_s > 0:
            rest_s = min(self._changed_s + self.timing.quiet, latest_s) - time.monotonic()
            await asyncio.sleep(max(rest_s, 0))
