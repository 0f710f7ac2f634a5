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
from typing import Any, Final

import apsw
import platformdirs

from app.core.clock import SystemClock
from app.core.files import replace_file
from app.core.paths import APP_NAME
from app.core.regular_files import make_folder, open_for_reading
from app.errors import KeepsakeError
from app.store import lanes
from app.store.lanes import OwnLane
from app.trace.trace import Trace

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


def settle(connection: apsw.Connection, database: Path, trace: Trace | None = None) -> OwnLane:
    """Go on with the lane of an opened vault, or begin a new one.

    A new one begins where this file may not be the writer of the one before.

    Args:
        connection: The writer's connection, outside a transaction.
        database: The vault's database.
        trace: Told of a note that could not be written.
    """
    found = lanes.own(connection)
    if found is not None and _is_writer(found, database):
        lane = found
    else:
        with connection:
            lane = lanes.begin(connection, SystemClock().now_ms())
        (trace or Trace()).event("store.lane_begun")
    note(lane, database, trace)
    return lane


def note(lane: OwnLane, database: Path, trace: Trace | None = None) -> None:
    """Write down how far a lane has come.

    Where nothing can be written outside the vault, the next opening begins a new lane.
    """
    try:
        now = _note_of(lane, database)
        if _noted(lane) != now:
            make_folder(_path(lane).parent)
            replace_file(_path(lane), json.dumps(asdict(now)).encode())
    except (KeepsakeError, OSError) as error:
        (trace or Trace()).event("store.lane_not_noted", error=type(error).__name__)


def note_own(connection: apsw.Connection, database: Path, trace: Trace | None = None) -> None:
    """Write down how far the lane that is written here has come."""
    if (lane := lanes.own(connection)) is not None:
        note(lane, database, trace)


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
