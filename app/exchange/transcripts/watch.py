"""Watch over transcripts on disk, which takes new turns in within seconds.

Files are polled by size and time: watchdog was looked at, and notices nothing on network disks, while a write-ahead log
and appended files need the same look at the file afterwards.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from app.core.clock import Clock
from app.core.error_location import error_location
from app.errors import KeepsakeError, MachineError
from app.exchange.transcripts import repo
from app.exchange.transcripts.folders import FileList, TranscriptFolder
from app.exchange.transcripts.intake import Sender, TranscriptIntake
from app.exchange.transcripts.model import CaptureStatus
from app.sentence import Sentence, as_sentence
from app.store.store import Store

_AGAIN_S: Final = 10.0  # until a file is read again for which the disk was full or the database locked
_log = logging.getLogger(__name__)

ACTOR: Final = "capture"
_IDLE_S: Final = 5.0
_GRACE_MS: Final = 300_000  # a conversation that was under way when the watch began is taken in too
_SHARE: Final = 0.05  # of the time that looking at files may take
_MAX_FAILURES: Final = 5
_LOG_SUFFIX: Final = "-wal"


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """Options of the watch.

    Args:
        is_on: Whether transcripts are followed.
        every_s: Seconds between two looks.
        formats: Formats that are followed.
    """

    is_on: bool
    every_s: float
    formats: frozenset[str]


class TranscriptWatch:
    """Follows the transcripts of other programs. Belongs to one event loop.

    Args:
        store: The vault's database.
        clock: The source of the time.
        intake: Takes what is new.
        folders: Where transcripts are.
        options: Returns the current options.
        is_private: Returns whether the person is incognito, and nothing is read.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        intake: TranscriptIntake,
        folders: list[TranscriptFolder],
        options: Callable[[], WatchOptions],
        is_private: Callable[[], bool],
    ) -> None:
        self._is_private = is_private
        self._store = store
        self._clock = clock
        self._intake = intake
        self._files = FileList(folders)
        self._options = options
        self._known: dict[str, tuple[int, int]] | None = None
        self._since_ns = 0
        self._looked_s = 0.0
        self._not_before: dict[str, float] = {}
        self._failed: dict[str, str] = {}
        self._held_up = ""

    @property
    def failures(self) -> tuple[str, ...]:
        """Return a sentence about each failure to read or follow transcripts."""
        held_up = (self._held_up,) if self._held_up else ()
        return (*held_up, *list(self._failed.values())[:_MAX_FAILURES])

    async def status(self) -> CaptureStatus:
        """Return what was taken in."""
        files, totals = await self._store.read(repo.count_files), self._intake.totals
        is_on = self._options().is_on
        return CaptureStatus(is_on, files, totals.messages, totals.secrets, totals.recalled, self.failures)

    async def run(self) -> None:
        """Work until cancelled; a failed look is followed by the next one."""
        while True:
            options = self._options()
            try:
                if not options.is_on:
                    await self._end()
                elif not self._is_private():
                    await self.look(options)
                self._held_up = ""
            except KeepsakeError as error:
                self._held_up = Sentence("Transcripts are not followed for now: {why}", why=error.sentence)
                _log.info("transcripts are not followed for now: %s", error_location(error))
            await asyncio.sleep(max(options.every_s, self._looked_s / _SHARE) if options.is_on else _IDLE_S)

    async def look(self, options: WatchOptions) -> int:
        """Take in what is new since the last look; return how many files there were."""
        known = self._known
        if known is None:
            known = await self._store.read(repo.known_files)
            since = await self._store.write(partial(repo.watched_since, now_ms=self._clock.now_ms()))
            self._since_ns = (since - _GRACE_MS) * 1_000_000
            self._known = known
        begun = time.monotonic()
        changed = await asyncio.to_thread(self._changed, options.formats, known)
        self._looked_s = time.monotonic() - begun
        for form, name, mark in changed:
            await self._take(form, name, mark, known)
        return len(changed)

    def _changed(
        self, formats: frozenset[str], known: dict[str, tuple[int, int]]
    ) -> list[tuple[str, str, tuple[int, int]]]:
        """Return changed files that were known, or changed since the watch began."""
        files: list[tuple[int, str, str, tuple[int, int]]] = []
        for folder, name, status in self._files.files():
            if folder.format not in formats:
                continue
            mark = status.st_size, _changed_ns(folder.format, name, status.st_mtime_ns)
            if self._not_before.get(name, 0.0) > time.monotonic():
                continue
            if known.get(name) != mark and (name in known or mark[1] >= self._since_ns):
                files.append((mark[1], folder.format, name, mark))
        return [(form, name, mark) for _, form, name, mark in sorted(files)]

    async def _take(self, form: str, name: str, mark: tuple[int, int], known: dict[str, tuple[int, int]]) -> None:
        begun = time.monotonic()
        try:
            await self._intake.take_file(Path(name), form, Sender(ACTOR))
        except FileNotFoundError:
            return  # deleted meanwhile; what it said stays
        except (OSError, KeepsakeError) as error:
            reason = error.sentence if isinstance(error, KeepsakeError) else error.strerror or str(error)
            self._failed[name] = Sentence(
                "The transcript {name} could not be read: {why}", name=name, why=as_sentence(reason)
            )
            _log.info("a transcript could not be read: %s", error_location(error))
            if isinstance(error, MachineError):
                # Nothing is wrong with the file, which may never change again: it is read at a later look.
                self._not_before[name] = time.monotonic() + _AGAIN_S
                return
        else:
            self._failed.pop(name, None)
        known[name] = mark
        # A database is read as a whole, however little of it changed.
        self._not_before[name] = time.monotonic() + (time.monotonic() - begun) / _SHARE if form == "cursor" else 0.0

    async def _end(self) -> None:
        if self._known is not None or self._since_ns == 0:
            await self._store.write(repo.end_watch)
            self._known, self._since_ns = None, 1


def _changed_ns(form: str, name: str, changed_ns: int) -> int:
    """Return when a file changed; of a database also its write-ahead log."""
    if form != "cursor":
        return changed_ns
    try:
        return max(changed_ns, Path(name + _LOG_SUFFIX).stat().st_mtime_ns)
    except OSError:
        return changed_ns
