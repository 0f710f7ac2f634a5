"""Projection of the shared store in the background."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from app.changes import ChangeSet
from app.errors import CallStoppedError, CancelledByPersonError, KeepsakeError
from app.part import BackgroundTask, Part
from app.projection.service import ProjectionService
from app.sentence import Sentence

_log = logging.getLogger(__name__)
_SEEN: Final = frozenset({"memories", "tags"})


@dataclass(frozen=True, slots=True)
class ProjectionTiming:
    """Times of the projection, in seconds.

    Args:
        quiet: Without a change for so long, those before are projected.
        longest: They are projected after so long at the latest.
        look: Proposals are looked for after so long where nothing tells of them.
        apart: Proposals are carried out in rounds so far apart, of few of each agent: none keeps the vault busy.
        hear: How long the database is listened to at once; closing the vault waits no longer than that.
    """

    quiet: float = 2.0
    longest: float = 30.0
    look: float = 15.0
    apart: float = 1.0
    hear: float = 1.0


TIMING: Final = ProjectionTiming()


class ProjectionLoop(Part):
    """Projects a vault whose person wants it. Belongs to one event loop.

    Args:
        service: The projection.
        timing: When it does so.
    """

    def __init__(self, service: ProjectionService, timing: ProjectionTiming = TIMING) -> None:
        self.service = service
        self._timing = timing
        self._changed: set[str] | None = None
        self._has_changed = asyncio.Event()
        self._is_due = asyncio.Event()
        self._failure: str = ""

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the projection, and what listens for proposals."""
        return (
            BackgroundTask("projection", self.run, is_essential=False),
            BackgroundTask("projection proposals", self.hear, is_essential=False),
        )

    @property
    def failures(self) -> Sequence[str]:
        """Why the database does not have what the vault has."""
        return (self._failure,)

    def on_change(self, changes: ChangeSet) -> None:
        """Note the memories that changed, and that the person may have decided on proposals."""
        if changes.areas & _SEEN:
            if not changes.ids:
                self._changed = None
            elif self._changed is not None:
                self._changed.update(changes.ids)
            self._has_changed.set()
        elif changes.areas & {"inbox", "agents"}:
            self._has_changed.set()

    def wake(self) -> None:
        """Project at once."""
        self._is_due.set()

    async def run(self) -> None:
        """Project until the vault is closed."""
        while True:
            await self.service.until_begun()
            self._is_due.clear()
            self._has_changed.clear()
            changed, self._changed = self._changed, set()
            try:
                if await self.service.project(changed):
                    self._is_due.set()
                    await asyncio.sleep(self._timing.apart)
                self._failure = ""
            except CancelledByPersonError:
                return
            except CallStoppedError:  # the person ends it
                self._changed = None
            except KeepsakeError as error:
                self._changed = None
                failure = Sentence("The shared store on a server is not up to date. {reason}", reason=error.sentence)
                if failure != self._failure:
                    _log.warning("projection failed: %s", error.code)
                self._failure = failure
            await self._until_due()
            if not (await self.service.state()).place:
                self._failure, self._changed = "", None

    async def hear(self) -> None:
        """Listen for proposals until the vault is closed."""
        while True:
            await self.service.until_begun()
            try:
                if await self.service.hear(self._timing.hear):
                    self._is_due.set()
            except CallStoppedError:
                continue
            except KeepsakeError:
                # The projection says so; it looks from time to time meanwhile.
                await asyncio.sleep(self._timing.look)

    async def close(self) -> None:
        """End the connections to the database."""
        await self.service.close()

    async def _until_due(self) -> None:
        """Wait for a proposal, a pause in the writing, or the time to look."""
        changed, due = asyncio.ensure_future(self._has_changed.wait()), asyncio.ensure_future(self._is_due.wait())
        try:
            await asyncio.wait({changed, due}, timeout=self._timing.look, return_when=asyncio.FIRST_COMPLETED)
        finally:
            changed.cancel()
            due.cancel()
        loop = asyncio.get_running_loop()
        latest = loop.time() + self._timing.longest
        while self._has_changed.is_set() and not self._is_due.is_set() and loop.time() < latest:
            self._has_changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._has_changed.wait(), self._timing.quiet)
