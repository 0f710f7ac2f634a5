"""Files of a mirrored folder: found, read, written and moved without leaving the folder."""

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from app.attachments.stored_files import open_attachment, path_of
from app.core.regular_files import open_for_reading, open_replacing, remove_abandoned, replacement_path
from app.errors import InputError
from app.exchange.exporting.filenames import FileNames, safe_name
from app.exchange.formats.markdown import SUFFIXES

TRASH: Final = ".trash"
"""The folder in the folder to which deleted notes go, as Obsidian has it."""
_APPLE_DOUBLE: Final = "._"

Mark = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class FolderScan:
    """Files of a folder, hidden ones and links left out.

    Args:
        notes: Size, time and number of each note's file, by its place.
        others: The other files with their sizes.
        unreadable: Folders in it that cannot be read.
    """

    notes: Mapping[str, Mark] = field(default_factory=dict)
    others: tuple[tuple[Path, int], ...] = ()
    unreadable: tuple[str, ...] = ()

    def is_hidden(self, place: str) -> bool:
        """Return whether a file lies in a folder that cannot be read."""
        return any(place.startswith(f"{folder}/") for folder in self.unreadable)


def scan(root: Path) -> FolderScan:
    """Look through a folder.

    Raises:
        OSError: The folder is not there.
    """
    notes: dict[str, Mark] = {}
    others: list[tuple[Path, int]] = []
    with os.scandir(root):
        pass  # os.walk passes over a folder that is not there
    unreadable: list[str] = []

    def skip(error: OSError) -> None:
        unreadable.append(Path(str(error.filename)).relative_to(root).as_posix())

    for place, folders, names in os.walk(root, onerror=skip, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(place, name)
            if name.startswith("."):
                continue
            try:
                state = file.lstat()
            except OSError:
                continue  # moved away meanwhile; the next look sees that
            if not stat.S_ISREG(state.st_mode):
                continue
            if file.suffix.lower() in SUFFIXES and not name.startswith(_APPLE_DOUBLE):
                notes[file.relative_to(root).as_posix()] = state.st_size, state.st_mtime_ns, state.st_ino
            elif not remove_abandoned(file):
                others.append((file, state.st_size))
    return FolderScan(notes, tuple(others), tuple(unreadable))


def hash_of(data: bytes) -> str:
    """Return the hash of a file's bytes."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def contents(root: Path, place: str) -> bytes | None:
    """Return the bytes of a note's file, ``None`` for none or a link."""
    try:
        with open_for_reading(_inside(root, place)) as file:
            return file.read()
    except OSError:
        return None


def write(root: Path, place: str, data: bytes, expected: str) -> bool:
    """Replace a note's file; False where it is not what it was.

    Args:
        root: The folder.
        place: The file's path in it.
        data: Its new bytes.
        expected: The hash of its old ones, ``""`` for no file.

    Raises:
        OSError: It cannot be written; the file is as it was.
    """
    path = _inside(root, place)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = replacement_path(path)
    try:
        with os.fdopen(open_replacing(partial), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        before = contents(root, place)
        if (hash_of(before) if before is not None else "") != expected or (before is None and os.path.lexists(path)):
            return False
        if before is not None:
            partial.chmod(stat.S_IMODE(path.lstat().st_mode))
        else:
            partial.chmod(stat.S_IMODE(path.parent.stat().st_mode) & 0o666)  # as readable as the folder
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return True


def move(root: Path, place: str, to: str) -> str:
    """Move a note's file within the folder, and return the place that was free.

    Raises:
        OSError: It cannot be moved.
    """
    target = free_place(root, to)
    path = _inside(root, target)
    path.parent.mkdir(parents=True, exist_ok=True)
    _inside(root, place).rename(path)
    return target


def take_back(root: Path, place: str) -> None:
    """Take a note's file out of the folder's trash, if it is there.

    Raises:
        OSError: It cannot be moved.
    """
    trashed = _inside(root, f"{TRASH}/{place.rpartition('/')[2]}")
    path = _inside(root, place)
    if trashed.is_file() and not trashed.is_symlink() and not os.path.lexists(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        trashed.rename(path)


def copy_attachment(source: Path, name: str, root: Path, place: str) -> None:
    """Copy an attachment of the vault into the folder, unless something lies there.

    Raises:
        OSError: It cannot be written.
    """
    path = _inside(root, place)
    stored = path_of(source, name)
    if os.path.lexists(path) or not stored.is_file():
        return
    with open_attachment(stored) as file:
        data = file.read()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = replacement_path(path)
    try:
        with os.fdopen(open_replacing(partial), "wb") as file:
            file.write(data)
        partial.chmod(stat.S_IMODE(path.parent.stat().st_mode) & 0o666)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def remove(root: Path, place: str) -> None:
    """Delete a note's file for good."""
    _inside(root, place).unlink(missing_ok=True)


def free_place(root: Path, wanted: str, but: str = "") -> str:
    """Return a place like ``wanted`` at which nothing lies, also where case does not count.

    Args:
        root: The folder.
        wanted: The place.
        but: A place that may be taken over.
    """
    folder, _, name = wanted.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    names = FileNames()
    try:
        existing_names = os.listdir(root / folder)  # noqa: PTH208  (names are enough)
    except FileNotFoundError:
        existing_names = []
    for other in existing_names:
        if f"{folder}/{other}".lstrip("/") != but:
            parts = other.rpartition(".")
            names.take(PurePosixPath(folder), parts[0] or other, parts[1] + parts[2] if parts[0] else "")
    return names.take(PurePosixPath(folder), stem or name, dot + suffix if stem else "").as_posix()


def place_of(title: str, folder: str = "", suffix: str = ".md") -> str:
    """Return the place of a note of this title in a folder of the folder."""
    return f"{folder}/{safe_name(title)}{suffix}".lstrip("/")


def _inside(root: Path, place: str) -> Path:
    """Return the path of a place, which no link leads out of the folder.

    Raises:
        InputError: It leads out.
    """
    path = root / place
    if not path.parent.resolve().is_relative_to(root.resolve()) or ".." in Path(place).parts:
        raise InputError("A link in the folder of notes leads out of it; nothing is written there.")
    return path
