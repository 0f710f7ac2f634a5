"""Folder of Markdown notes that is followed: what is edited there arrives within seconds.

The folder is only read. A file that is gone takes no note with it, so a disk that is not there wipes nothing.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from app.changes import ChangeSet
from app.core.error_location import error_location
from app.core.paths import user_path
from app.errors import KeepsakeError
from app.exchange.formats.markdown import SUFFIXES
from app.exchange.service import ExchangeService

_log = logging.getLogger(__name__)

ACTOR: Final = "folder"
EVERY_S: Final = 1.0
_IDLE_S: Final = 2.0
_SHARE: Final = 0.1  # of the time that looking and reading may take
_SEEN: Final = frozenset({"memories", "tags", "links"})

Marks = dict[str, tuple[int, int]]


class _Unwatched:
    """Job without progress that cannot be stopped."""

    def is_cancelled(self) -> bool:
        return False

    def advance(self, done: int, total: int | None, detail: str = "") -> None:
        pass


class NoteFolderWatch:
    """Follows a folder of Markdown notes. Belongs to one event loop.

    Args:
        exchange: Imports the folder.
        folder: Returns the path that is followed, ``""`` for none.
        is_private: Returns whether the person is incognito, and nothing is read.
        publish: Tells of what was taken in.
    """

    def __init__(
        self,
        exchange: ExchangeService,
        folder: Callable[[], str],
        is_private: Callable[[], bool],
        publish: Callable[[ChangeSet], object],
    ) -> None:
        self._exchange = exchange
        self._folder = folder
        self._is_private = is_private
        self._publish = publish
        self._known: tuple[str, Marks] = "", {}
        self._failure = ""

    @property
    def failures(self) -> tuple[str, ...]:
        """Return a sentence about why the folder is not followed, if it is not."""
        return (self._failure,) if self._failure else ()

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            folder, begun = self._folder().strip(), time.monotonic()
            if not folder:
                self._known, self._failure = ("", {}), ""
                await asyncio.sleep(_IDLE_S)
                continue
            if not self._is_private():
                await self.look(folder)
            await asyncio.sleep(max(EVERY_S, (time.monotonic() - begun) / _SHARE))

    async def look(self, folder: str) -> bool:
        """Take in what is new since the last look; return whether there was anything."""
        try:
            path = user_path(folder)
            marks = await asyncio.to_thread(_marks, path)
            if (folder, marks) == self._known:
                self._failure = ""
                return False
            report = await self._exchange.import_path(path, "markdown", "private", ACTOR, _Unwatched())
        except (OSError, KeepsakeError) as error:
            reason = error.message if isinstance(error, KeepsakeError) else error.strerror or str(error)
            self._failure = f"The folder of notes {folder} could not be read: {reason}"
            _log.info("the folder of notes could not be read: %s", error_location(error))
            return False
        self._known, self._failure = (folder, marks), ""
        if report.memories or report.updated:
            self._publish(ChangeSet(_SEEN, (), ACTOR))
        return True


def _marks(folder: Path) -> Marks:
    """Return the size and time of each note below a folder, hidden folders left out.

    Raises:
        OSError: The folder is not there.
    """
    found: Marks = {}
    with os.scandir(folder):
        pass  # os.walk passes over a folder that is not there
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.lower().endswith(tuple(SUFFIXES)):
                file = os.path.join(place, name)  # noqa: PTH118  (thousands of files, each second)
                try:
                    state = os.stat(file)  # noqa: PTH116
                except OSError:
                    continue  # moved away meanwhile; the next look sees that
                found[file] = state.st_size, state.st_mtime_ns
    return found
