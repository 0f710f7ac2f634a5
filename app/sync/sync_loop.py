"""Synchronisation in the background: soon after something was written, and from time to time.

What is being written is not cut in two: it is sealed once nothing was written for a moment.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from app.changes import ChangeSet
from app.errors import CancelledByPersonError, KeepsakeError
from app.part import BackgroundTask, Part
from app.sync.service import OPERATION, SyncService

_log = logging.getLogger(__name__)

QUIET_S: Final = 2.0
LONGEST_S: Final = 30.0
POLL_S: Final = 60.0


class SyncLoop(Part):
    """Synchronises a vault that is joined to others. Belongs to one event loop.

    Args:
        service: The synchronisation.
        quiet_s: Seconds without a change after which those before are sealed.
        longest_s: Seconds after which they are sealed at the latest.
        poll_s: Seconds after which others are looked at without a change here.
    """

    def __init__(
        self, service: SyncService, quiet_s: float = QUIET_S, longest_s: float = LONGEST_S, poll_s: float = POLL_S
    ) -> None:
        self._service = service
        self._quiet_s = quiet_s
        self._longest_s = longest_s
        self._poll_s = poll_s
        self._changed = asyncio.Event()
        self._failure = ""

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the synchronisation."""
        return (BackgroundTask("sync", self.run, is_essential=False),)

    @property
    def failures(self) -> Sequence[str]:
        """Why the other machines do not hear of this one, or the reverse."""
        return (self._failure,)

    def on_change(self, changes: ChangeSet) -> None:
        """Note a change of the vault."""
        if changes.operation != OPERATION:
            self._changed.set()

    async def run(self) -> None:
        """Synchronise until the vault is closed."""
        while True:
            await self._service.until_joined()
            await self._until_quiet()
            try:
                report = await self._service.sync()
                self._failure = report.waiting and f"Other machines are not all heard of: {report.waiting}."
            except CancelledByPersonError:
                return
            except KeepsakeError as error:
                self._failure = f"Other machines and this one do not hear of each other: {error.message}"
                _log.warning("synchronisation failed: %s", error.code)

    async def _until_quiet(self) -> None:
        """Wait for a pause in the writing, or until it is time to look."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), self._poll_s)
        loop = asyncio.get_running_loop()
        latest = loop.time() + self._longest_s
        while self._changed.is_set() and loop.time() < latest:
            self._changed.clear()
            await asyncio.sleep(self._quiet_s)
        self._changed.clear()
