"""Notes of the lanes that are written on this machine.

A note lies outside the vault and its backups, so that no copy of a vault has it. It says which file on this machine the
lane is written in, and how far: it is written before each change is committed, so that it never says less than the
database. A database that was copied, put back from a backup or a copy, or moved to another machine is another file or
does not stand where its note says; it begins a new lane then, so that no number is given to two changes. So does one
whose machine stopped while it was open, for the last words of its note may be lost. A lost note costs a lane more, and
nothing else.

What is set back together with its note is not noticed: the whole machine, or the whole disk with both on it. Nor is a
copy of a whole disk, block by block, that is written on the same machine as the first, or a copy on another disk that
has the same number of a file, where the file system has no identity (some network and FUSE file systems).
"""

import json
import os
import secrets
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

import apsw
import platformdirs

from app.core.clock import SystemClock
from app.core.files import replace_file
from app.core.paths import APP_NAME
from app.core.regular_files import make_folder, open_file, open_for_reading
from app.errors import KeepsakeError
from app.store import lanes
from app.store.connection_threads import Work
from app.store.lanes import OwnLane
from app.trace.trace import Trace

T = TypeVar("T")

_FOLDER: Final = "lanes"
_MACHINE_FILES: Final = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
_BOOT_FILE: Final = Path("/proc/sys/kernel/random/boot_id")
_OTHER_BOOT: Final = secrets.token_hex(8)
"""The start of a machine that names none: that of this process, so that no other trusts it."""
_NOTE_BYTES: Final = 512
"""The length of a note, so that one may be written over another."""
_MOST_BYTES: Final = 4_096


@dataclass(frozen=True, slots=True)
class LaneNote:
    """Note of a lane, outside the vault in which it is written.

    Args:
        machine: The machine's id, ``""`` where the system gives it none.
        file_system: The number of the file system, 0 where it has none.
        inode: The number of the database's file in its file system.
        n: The number of the last change.
        hlc: The hybrid clock of that change.
        boot: The start of the machine since which the lane is written, ``""`` once the vault was closed.
    """

    machine: str
    file_system: int
    inode: int
    n: int
    hlc: int
    boot: str = ""


class LaneWriter:
    """Writer of a vault's own lane, while the vault is open.

    The lane is settled when the first change is written, so that an opening writes nothing. All methods belong to the
    thread of the writer.

    Args:
        database: The vault's database.
        trace: Told of a lane that was begun, and of a note that could not be written.
    """

    def __init__(self, database: Path, trace: Trace | None = None) -> None:
        self._database = database
        self._trace = trace or Trace()
        self._lane = 0
        self._is_committed = False
        """The lane is the database's own: a transaction that began it did not roll back."""
        self._file: BinaryIO | None = None
        self._note: LaneNote | None = None

    def in_lane(self, work: Work[T]) -> Work[T]:
        """Return work that may make changes, in the lane of this vault.

        It goes on with the lane that the database has as its own, or begins a new one where this file may not be its
        writer.

        Args:
            work: What to do, in a transaction of the writer.
        """

        def settled(connection: apsw.Connection) -> T:
            self._settle(connection)
            result = work(connection)
            self._follow(connection)
            return result

        settled.__wrapped__ = work  # type: ignore[attr-defined]  # traces name it
        return settled

    def begin(self, connection: apsw.Connection) -> None:
        """Begin a new lane, in which all is written from now on."""
        lane = lanes.begin(connection, SystemClock().now_ms())
        self._trace.event("store.lane_begun")
        self._begin_note(lane)
        self._lane, self._is_committed = lane.lane, False

    def close(self, connection: apsw.Connection) -> None:
        """Write down that the lane is written no more, and how far it came.

        Where nothing can be written outside the vault, the next opening goes on in a new lane.
        """
        self._close_file()
        lane = lanes.own(connection) if self._lane else None
        # Another lane would be that of a file which was copied; a note would make this one its writer.
        if lane is not None and lane.lane == self._lane:
            self._write(lane, "")

    def _settle(self, connection: apsw.Connection) -> None:
        if self._is_committed or (not self._lane and not lanes.are_known(connection)):
            return
        lane = lanes.own(connection)
        # A transaction that was rolled back took the new lane with it, so what counts is the database.
        if lane is not None and lane.lane == self._lane:
            self._is_committed = True
            return
        # A lane whose changes cannot be noted is left: a copy of it could take up its old note.
        if lane is None or not _is_writer(lane, self._database) or not self._begin_note(lane):
            lane = lanes.begin(connection, SystemClock().now_ms())
            self._trace.event("store.lane_begun")
            self._begin_note(lane)
        self._lane = lane.lane

    def _begin_note(self, lane: OwnLane) -> bool:
        """Write the note of a lane and keep its file open; return whether that worked."""
        self._close_file()
        self._note = self._write(lane, _boot())
        if self._note is None:
            return False
        try:
            self._file = os.fdopen(open_file(_path(lane.lane), os.O_RDWR), "r+b", buffering=0)
        except OSError as error:
            self._tell(error)
        return self._file is not None

    def _follow(self, connection: apsw.Connection) -> None:
        """Write down how far the lane comes with this transaction.

        The file is not forced to the disk: what a stop of the machine takes away is not trusted.
        """
        if self._file is None or self._note is None:
            return
        lane = lanes.own(connection)
        if lane is None or lane.lane != self._lane or (lane.n, lane.hlc) == (self._note.n, self._note.hlc):
            return
        self._note = replace(self._note, n=lane.n, hlc=lane.hlc)
        try:
            self._file.write(_bytes(self._note))
            self._file.seek(0)
        except OSError as error:
            self._tell(error)
            self._close_file()
            # The note says too little now, so the next change begins a new lane.
            self._lane, self._is_committed = 0, False

    def _write(self, lane: OwnLane, boot: str) -> LaneNote | None:
        try:
            now = _note_of(lane, self._database, boot)
            if _noted(lane.lane) != now:
                make_folder(_path(lane.lane).parent)
                replace_file(_path(lane.lane), _bytes(now))
        except (KeepsakeError, OSError) as error:
            self._tell(error)
            return None
        return now

    def _tell(self, error: Exception) -> None:
        self._trace.event("store.lane_not_noted", error=type(error).__name__)

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def was_written_here(lane: int) -> bool:
    """Return whether a lane was written on this machine.

    Also where the vault that wrote it was put back since.
    """
    noted = _noted(lane)
    return noted is not None and noted.machine == _machine()


def _is_writer(lane: OwnLane, database: Path) -> bool:
    noted = _noted(lane.lane)
    if noted is None or noted.boot not in ("", _boot()):
        return False
    return replace(noted, boot="") == _note_of(lane, database, "")


def _note_of(lane: OwnLane, database: Path, boot: str) -> LaneNote:
    place = database.stat()
    # The number of a device may change when the machine starts; on Windows it is that of the file system.
    file_system = os.statvfs(database).f_fsid if os.name == "posix" else place.st_dev
    return LaneNote(_machine(), file_system, place.st_ino, lane.n, lane.hlc, boot)


def _bytes(note: LaneNote) -> bytes:
    # Done with every change, so that no function looks for the fields.
    fields = {"machine": note.machine, "file_system": note.file_system, "inode": note.inode, "boot": note.boot}
    return json.dumps(fields | {"n": note.n, "hlc": note.hlc}).ljust(_NOTE_BYTES).encode()


def _noted(lane: int) -> LaneNote | None:
    """Return the note of a lane, ``None`` where there is none that can be read."""
    try:
        with open_for_reading(_path(lane)) as file:
            fields: dict[str, Any] = json.loads(file.read(_MOST_BYTES))
        file_system, inode, n, hlc = (int(fields[name]) for name in ("file_system", "inode", "n", "hlc"))
        return LaneNote(str(fields["machine"]), file_system, inode, n, hlc, str(fields["boot"]))
    except (OSError, ValueError, KeyError, TypeError, KeepsakeError):
        return None


def _path(lane: int) -> Path:
    return Path(platformdirs.user_state_dir(APP_NAME, appauthor=False)) / _FOLDER / f"{lane:016x}.json"


@lru_cache(maxsize=1)
def _machine() -> str:
    for path in _MACHINE_FILES if os.name == "posix" else ():
        try:
            return path.read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            continue
    return ""


@lru_cache(maxsize=1)
def _boot() -> str:
    """Return the start of the machine, in a word."""
    try:
        return _BOOT_FILE.read_text(encoding="ascii").strip() or _OTHER_BOOT
    except (OSError, ValueError):
        return _OTHER_BOOT
