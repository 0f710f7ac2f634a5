"""Notes of the lanes that are written on this machine.

A note lies outside the vault and its backups, so that no copy of a vault has it. It says which file on this machine the
lane is written in, and how far. A database that was copied, put back from a backup or moved to another machine is
another file or is behind its note; it begins a new lane then, so that two copies never give the same number to
different changes. A lost note costs a lane more, and nothing else.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw
import platformdirs

from app.core.clock import SystemClock
from app.core.files import replace_file
from app.core.paths import APP_NAME
from app.core.regular_files import make_folder, open_for_reading
from app.errors import KeepsakeError
from app.store import lanes
from app.store.connection_threads import Work
from app.store.lanes import OwnLane
from app.trace.trace import Trace

T = TypeVar("T")

_FOLDER: Final = "lanes"
_MACHINE_FILES: Final = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
_MOST_BYTES: Final = 4_096


@dataclass(frozen=True, slots=True)
class LaneNote:
    """Note of a lane, outside the vault in which it is written.

    Args:
        machine: The machine's id, ``""`` where the system gives it none.
        inode: The number of the database's file in its file system.
        n: The number of the last change when the note was written.
        hlc: The hybrid clock of that change.
    """

    machine: str
    inode: int
    n: int
    hlc: int


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

    def in_lane(self, work: Work[T]) -> Work[T]:
        """Return work that may make changes, in the lane of this vault.

        It goes on with the lane that the database has as its own, or begins a new one where this file may not be its
        writer.

        Args:
            work: What to do, in a transaction of the writer.
        """

        def settled(connection: apsw.Connection) -> T:
            self._settle(connection)
            return work(connection)

        settled.__wrapped__ = work  # type: ignore[attr-defined]  # traces name it
        return settled

    def seal(self, connection: apsw.Connection) -> int:
        """Seal all changes that were written here, and note it.

        See ``lanes.seal``. Returns the number of the last.
        """
        last = lanes.seal(connection)
        self.note(connection)
        return last

    def begin(self, connection: apsw.Connection) -> None:
        """Begin a new lane, in which all is written from now on."""
        self._lane = lanes.begin(connection, SystemClock().now_ms()).lane
        self._trace.event("store.lane_begun")
        self.note(connection)

    def note(self, connection: apsw.Connection) -> None:
        """Write down how far the lane has come that is written here, if any is.

        Where nothing can be written outside the vault, the next opening goes on in a new lane.
        """
        lane = lanes.own(connection) if self._lane else None
        # Another lane would be that of a file which was copied; a note would make this one its writer.
        if lane is not None and lane.lane == self._lane:
            self._note(lane)

    def _settle(self, connection: apsw.Connection) -> None:
        if not self._lane and not lanes.are_known(connection):
            return
        found = lanes.own(connection)
        # A transaction that was rolled back took the new lane with it, so what counts is the database.
        if found is not None and found.lane == self._lane:
            return
        if found is None or not _is_writer(found, self._database):
            found = lanes.begin(connection, SystemClock().now_ms())
            self._trace.event("store.lane_begun")
        self._lane = found.lane
        self._note(found)

    def _note(self, lane: OwnLane) -> None:
        try:
            now = _note_of(lane, self._database)
            if _noted(lane) != now:
                make_folder(_path(lane).parent)
                replace_file(_path(lane), json.dumps(asdict(now)).encode())
        except (KeepsakeError, OSError) as error:
            self._trace.event("store.lane_not_noted", error=type(error).__name__)


def _is_writer(lane: OwnLane, database: Path) -> bool:
    noted, now = _noted(lane), _note_of(lane, database)
    if noted is None or (noted.machine, noted.inode) != (now.machine, now.inode):
        return False
    return noted.n < now.n or (noted.n, noted.hlc) == (now.n, now.hlc)


def _note_of(lane: OwnLane, database: Path) -> LaneNote:
    return LaneNote(_machine(), database.stat().st_ino, lane.n, lane.hlc)


def _noted(lane: OwnLane) -> LaneNote | None:
    """Return the note of a lane, ``None`` where there is none that can be read."""
    try:
        with open_for_reading(_path(lane)) as file:
            said: dict[str, Any] = json.loads(file.read(_MOST_BYTES))
        return LaneNote(str(said["machine"]), int(said["inode"]), int(said["n"]), int(said["hlc"]))
    except (OSError, ValueError, KeyError, TypeError, KeepsakeError):
        return None


def _path(lane: OwnLane) -> Path:
    return Path(platformdirs.user_state_dir(APP_NAME, appauthor=False)) / _FOLDER / f"{lane.lane:016x}.json"


def _machine() -> str:
    for path in _MACHINE_FILES if os.name == "posix" else ():
        try:
            return path.read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            continue
    return ""
