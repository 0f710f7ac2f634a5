"""Export targets: a file or folder, written beside its place and then moved there.

Nothing but an earlier export is overwritten.
"""

import contextlib
import errno
import hashlib
import json
import logging
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO
from uuid import uuid4

from app.errors import DiskFullError, FormatError, InputError, MachineError
from app.exchange.formats.detect import detect
from app.sentence import Sentence

MANIFEST = ".keepsake-export.json"
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
_PARTIAL_END = ".partial"
_ABANDONED_S = 600.0
_log = logging.getLogger(__name__)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def writable(path: Path) -> Iterator[None]:
    """Turn the system's refusal to write into an error a person can act on."""
    try:
        yield
    except OSError as error:
        what = {"path": str(path), "errno": error.errno}
        if error.errno in _FULL:
            raise DiskFullError(
                Sentence("The disk is full; {name} was not written.", name=path.name), **what
            ) from error
        raise MachineError(
            Sentence("{path} could not be written: {strerror}.", path=path, strerror=error.strerror or error), **what
        ) from error


def _require_name(path: Path) -> None:
    """Refuse a name that the system refuses, before anything is written under another."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        path.lstat()


def _partial_path(path: Path) -> Path:
    if not path.parent.is_dir():
        raise InputError(
            Sentence("There is no folder {parent}. Make it first, or choose another place.", parent=path.parent),
            path=str(path),
        )
    return path.parent / f"{_partial_start(path)}{uuid4().hex[:8]}{_PARTIAL_END}"


def _partial_start(path: Path) -> str:
    return f".{path.name[:40]}."


def _remove_abandoned(path: Path) -> None:
    """Remove the hidden files and folders of killed exports to ``path``.

    Only after an export succeeded, for until then what is left may be the only copy.
    """
    start, before = _partial_start(path), time.time() - _ABANDONED_S
    named = re.compile(re.escape(start) + "[0-9a-f]{8}" + re.escape(_PARTIAL_END))
    try:
        for abandoned in list(path.parent.iterdir()):
            if named.fullmatch(abandoned.name) and not abandoned.is_symlink() and _last_written(abandoned) < before:
                shutil.rmtree(abandoned) if abandoned.is_dir() else abandoned.unlink()
    except OSError as error:
        _log.info("what an earlier export left could not be removed: %s", error)


def _last_written(left: Path) -> float:
    inside = left.rglob("*") if left.is_dir() else ()
    return max(float(path.lstat().st_mtime) for path in (left, *inside))


class FileTarget:
    """One file that appears when it is complete.

    Args:
        path: Its place.
        is_ours: Tells whether what lies there is an earlier export, which may be replaced.

    Raises:
        InputError: Something that is no Keepsake export is there.
    """

    def __init__(self, path: Path, is_ours: Callable[[Path], bool] | None = None) -> None:
        self.path = path
        _require_name(path)
        if path.is_dir():
            raise InputError(
                Sentence("{path} is a folder. Name a file to export to, such as keepsake.jsonl.", path=path),
                path=str(path),
            )
        if path.exists() and path.stat().st_size and not (is_ours or _is_ours)(path):
            raise InputError(
                Sentence("{path} holds something else and was not overwritten. Choose another name.", path=path),
                path=str(path),
            )
        self.partial = _partial_path(path)

    def open(self) -> IO[bytes]:
        """Open the file for writing, readable by its owner alone."""
        return _open_new(self.partial)

    def commit(self) -> None:
        """Put the written file in its place."""
        self.partial.replace(self.path)
        _remove_abandoned(self.path)

    def abandon(self) -> None:
        """Remove what was written."""
        self.partial.unlink(missing_ok=True)


def _open_new(path: Path) -> IO[bytes]:
    """Open a new file for writing, readable by its owner alone under any umask."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, PRIVATE_FILE), "wb")


def _is_ours(path: Path) -> bool:
    try:
        return detect(path) == "keepsake"
    except FormatError:
        return False


class FolderTarget:
    """Folder that appears when it is complete.

    An earlier export there is replaced unless one of its files was changed.

    Args:
        path: Its place.

    Raises:
        InputError: Files that are not from an export, or were changed since, are there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._written: dict[str, tuple[int, str]] = {}
        _require_name(path)
        if path.exists() and not path.is_dir():
            raise InputError(Sentence("{path} is a file. Name a folder to export to.", path=path), path=str(path))
        if path.is_dir():
            _check_replaceable(path)
        self.partial = _partial_path(path)
        self.partial.mkdir(mode=PRIVATE_FOLDER)

    @property
    def files(self) -> int:
        """Number of files written."""
        return len(self._written)

    @property
    def bytes(self) -> int:
        """Number of bytes written."""
        return sum(size for size, _ in self._written.values())

    def open(self, place: PurePosixPath) -> "TargetFile":
        """Open a file of the folder for writing."""
        file = self.partial / place
        for folder in reversed(PurePosixPath(place).parents):  # the mode counts for the last of a path only
            (self.partial / folder).mkdir(exist_ok=True, mode=PRIVATE_FOLDER)
        return TargetFile(file, place, self._written)

    def verify(self) -> None:
        """Read every file again.

        Raises:
            MachineError: One is not what was written.
        """
        for name, known in self._written.items():
            file = self.partial / name
            if known != (file.stat().st_size, _digest(file)):
                raise MachineError(
                    Sentence(
                        "{name} reads back differently from what was written: the disk may be failing. Nothing "
                        "was replaced. Export to another disk.",
                        name=name,
                    ),
                    path=str(self.path),
                )

    def commit(self) -> None:
        """Put the written folder in its place."""
        manifest = {"keepsake": 1, "files": self._written}
        with _open_new(self.partial / MANIFEST) as stream:
            stream.write(json.dumps(manifest).encode())
        old = _partial_path(self.path)
        if self.path.exists():
            self.path.rename(old)
        self.partial.rename(self.path)
        shutil.rmtree(old, ignore_errors=True)
        _remove_abandoned(self.path)

    def abandon(self) -> None:
        """Remove what was written."""
        shutil.rmtree(self.partial, ignore_errors=True)


class TargetFile:
    """A file being written, whose size and digest are noted when it closes."""

    def __init__(self, file: Path, place: PurePosixPath, written: dict[str, tuple[int, str]]) -> None:
        self._stream = _open_new(file)
        self._place = place.as_posix()
        self._written = written
        self._digest = hashlib.blake2b(digest_size=16)
        self._size = 0

    def write(self, text: str) -> None:
        """Append ``text`` as UTF-8."""
        self.write_bytes(text.encode("utf-8", "replace"))

    def write_bytes(self, data: bytes) -> None:
        """Append ``data``."""
        self._digest.update(data)
        self._size += len(data)
        self._stream.write(data)

    def close(self) -> None:
        """Finish the file."""
        self._stream.close()
        self._written[self._place] = (self._size, self._digest.hexdigest())


def _check_replaceable(folder: Path) -> None:
    existing = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if not file.is_dir()}
    if not existing:
        return
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        known = {str(name): (int(size), str(digest)) for name, (size, digest) in manifest["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            Sentence(
                "{folder} is not empty and holds no Keepsake export. Choose a new or empty folder.", folder=folder
            ),
            path=str(folder),
        ) from error
    del existing[MANIFEST]
    for name, file in existing.items():
        if name not in known or known[name] != (file.stat().st_size, _digest(file)):
            raise InputError(
                Sentence(
                    "{folder} holds an earlier export in which {name} was added or changed. Choose another folder.",
                    folder=folder,
                    name=name,
                ),
                path=str(folder),
                file=name,
            )


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
