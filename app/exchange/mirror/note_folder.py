"""Folder of Markdown notes that is followed: what is edited there arrives within seconds.

By itself the folder is only read, and a file that is gone takes no note with it. Where it is mirrored, edits of notes
are written to their files too; see ``NoteMirror``.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

from app.changes import ChangeSet
from app.core.error_location import error_location
from app.core.paths import whole_path
from app.errors import KeepsakeError
from app.exchange.mirror import mirrored_files
from app.exchange.mirror.mirrored_files import FolderScan
from app.exchange.mirror.note_mirror import NoteMirror
from app.exchange.model import NotesFolderStatus
from app.part import BackgroundTask, Part
from app.sentence import Sentence, as_sentence

_log = logging.getLogger(__name__)

EVERY_S: Final = 1.0
_IDLE_S: Final = 2.0
_SHARE: Final = 0.1  # of the time that looking and reading may take
_LONGEST_S: Final = 10.0


class NoteFolderWatch(Part):
    """Follows a folder of Markdown notes. Belongs to one event loop.

    Args:
        mirror: Carries edits over.
        folder: Returns the path that is followed, ``""`` for none.
        writes: Returns whether edits of notes are written to their files.
        is_private: Returns whether the person is incognito, and nothing is read.
    """

    def __init__(
        self,
        mirror: NoteMirror,
        folder: Callable[[], str],
        writes: Callable[[], bool],
        is_private: Callable[[], bool],
    ) -> None:
        self._mirror = mirror
        self._folder = folder
        self._writes = writes
        self._is_private = is_private
        self._known: tuple[str, bool, FolderScan] | None = None
        self._has_edits = False
        self._failure = ""
        # A look carries over what differs from what it saw at its begin; another one would change that under it.
        self._looking = asyncio.Lock()

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the following of the folder."""
        return (BackgroundTask("note-folder", self.run, is_essential=False),)

    def on_change(self, changes: ChangeSet) -> None:
        """Note that notes were edited."""
        if "memories" in changes.areas:
            self._has_edits = True

    @property
    def failures(self) -> tuple[str, ...]:
        """Return sentences about why the folder, or a note of it, is not followed."""
        return (self._failure,) if self._failure else self._mirror.problems

    def status(self) -> NotesFolderStatus:
        """Return what is followed, and what was carried over since the start."""
        scan = FolderScan() if self._known is None else self._known[2]
        counts = self._mirror.counts
        return NotesFolderStatus(
            folder=self._folder().strip(),
            writes=self._writes(),
            files=len(scan.notes),
            read=counts.read,
            written=counts.written,
            conflicts=counts.conflicts,
            problems=self.failures,
        )

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            folder, begun = self._folder().strip(), time.monotonic()
            if not folder:
                self._forget()
            elif not self._is_private():
                await self.look(folder)
            self._mirror.note_time()
            if not folder:
                await asyncio.sleep(_IDLE_S)
                continue
            await asyncio.sleep(min(max(EVERY_S, (time.monotonic() - begun) / _SHARE), _LONGEST_S))

    async def look(self, folder: str) -> bool:
        """Carry over what is new since the last look; return whether there was anything."""
        async with self._looking:
            return await self._look(folder)

    async def _look(self, folder: str) -> bool:
        writes = self._writes()
        if self._known is not None and self._known[:2] != (folder, writes):
            self._forget()
        try:
            root = whole_path(folder)
            if writes:
                await self._mirror.begin(root)
            scan = await asyncio.to_thread(mirrored_files.scan, root)
            if self._known == (folder, writes, scan) and not (writes and self._has_edits):
                self._failure = ""
                return False
            self._has_edits = False
            await self._mirror.settle(root, scan, writes=writes)
        except (OSError, KeepsakeError) as error:
            reason = error.sentence if isinstance(error, KeepsakeError) else error.strerror or str(error)
            self._failure = Sentence(
                "The folder of notes {folder} could not be read: {why}", folder=folder, why=as_sentence(reason)
            )
            self._known = None
            _log.info("the folder of notes could not be read: %s", error_location(error))
            return False
        # As it was before: what somebody wrote meanwhile is new to the next look, and so is what we wrote.
        self._known, self._failure = (folder, writes, scan), ""
        return True

    def _forget(self) -> None:
        self._known, self._failure = None, ""
        self._mirror.forget()
