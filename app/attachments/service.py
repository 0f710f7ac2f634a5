"""Attachment service: keeps files in the vault's attachments folder and finds them for notes."""

import asyncio
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from app.attachments.content_check import picture_suffix, require_attachable, require_size
from app.attachments.model import FOLDER, Attachment, clean_name, kind_of, link_of, name_of, suffix_of
from app.core.files import from_os, replace_file
from app.core.regular_files import (
    UnsafeFileError,
    make_folder,
    open_for_reading,
    open_replacing,
    require_file,
    require_folder,
)
from app.errors import InputError, NotFoundError

BACKUPS = "backups"
_TRIES = 10_000
_PARTIAL = ".partial"
_ASIDE = ".undone-"
"""Begins the names of files whose import was undone; a name with a dot is no attachment."""


class AttachmentService:
    """Files of one vault's attachments folder; a file that is there is never changed.

    Args:
        vault: The vault's folder.
    """

    def __init__(self, vault: Path) -> None:
        self._folder = vault / FOLDER
        # Two of one name at once would both find it free.
        self._one_at_a_time = asyncio.Lock()

    async def add(self, name: str, data: bytes) -> Attachment:
        """Keep ``data`` under ``name``, or under one like it where another file has it.

        Raises:
            InputError: It is empty, too large, of a type that is not kept, or not what its name says.
            MachineError: The folder cannot be written.
        """
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._keep, name, data)

    async def add_file(self, path: Path) -> Attachment:
        """Keep a copy of the file at ``path``.

        Raises:
            NotFoundError: There is none.
            InputError: It is a folder or device, or see ``add``.
        """
        data = await asyncio.to_thread(_contents, path)
        return await self.add(path.name, data)

    async def all(self) -> list[Attachment]:
        """Return the files of the folder by name."""
        return await asyncio.to_thread(lambda: list(files_of(self._folder)))

    async def locate(self, link: str) -> Attachment:
        """Return the file that a link of a note means.

        Raises:
            InputError: It leads somewhere else, is a link out of the folder, or too large.
            NotFoundError: The folder has no such file.
        """
        name = name_of(link)
        if not name:
            raise InputError("Keepsake shows only files of the vault's attachments folder.", field="link")
        return await asyncio.to_thread(self._find, name)

    async def set_aside(self, names: Iterable[str], since_ms: int) -> int:
        """Hide files as if they were removed, and return how many; see ``bring_back``.

        Args:
            names: Their names in the folder.
            since_ms: Those that were there before stay, in milliseconds since 1970 UTC.
        """
        return await asyncio.to_thread(self._set_aside, list(names), since_ms)

    async def bring_back(self, names: Iterable[str]) -> int:
        """Return files that were set aside to their places, and return how many."""
        return await asyncio.to_thread(lambda: sum([self._bring_back(name) for name in names]))

    async def aside(self) -> list[str]:
        """Return the names of the files that are set aside."""
        return await asyncio.to_thread(self._aside)

    async def remove(self, names: Iterable[str], *, backups: bool) -> int:
        """Delete files for good, and return how many there were.

        Args:
            names: Their names in the folder.
            backups: Also the copies beside the backups.
        """
        return await asyncio.to_thread(self._remove, list(names), backups)

    def _remove(self, names: Sequence[str], backups: bool) -> int:
        count = 0
        try:
            for name in filter(None, map(name_of, map(link_of, names))):
                path = self._folder / name
                count += path.exists()
                path.unlink(missing_ok=True)
                (self._folder / f"{_ASIDE}{name}").unlink(missing_ok=True)
                if backups:
                    (self._folder.parent / BACKUPS / FOLDER / path.name).unlink(missing_ok=True)
        except OSError as error:
            raise from_os(error, self._folder) from error
        return count

    def _set_aside(self, names: Sequence[str], since_ms: int) -> int:
        count = 0
        try:
            require_folder(self._folder)
            for name in filter(None, map(name_of, map(link_of, names))):
                path = self._folder / name
                if os.path.lexists(path) and path.lstat().st_mtime_ns // 1_000_000 >= since_ms:
                    path.replace(self._folder / f"{_ASIDE}{name}")
                    count += 1
        except FileNotFoundError:
            return count
        except OSError as error:
            raise from_os(error, self._folder) from error
        return count

    def _bring_back(self, name: str) -> bool:
        path, aside = self._folder / name, self._folder / f"{_ASIDE}{name}"
        try:
            require_folder(self._folder)
            if os.path.lexists(path) or not os.path.lexists(aside):
                return False
            aside.replace(path)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise from_os(error, self._folder) from error
        return True

    def _aside(self) -> list[str]:
        try:
            require_folder(self._folder)
            names = [entry.name for entry in os.scandir(self._folder)]
        except OSError:
            return []
        return [name.removeprefix(_ASIDE) for name in names if name.startswith(_ASIDE)]

    def _find(self, name: str) -> Attachment:
        path = self._folder / name
        try:
            require_folder(self._folder)
            if not os.path.lexists(path):
                self._bring_back(name)  # a note that shows it was restored
            require_file(path, is_written=False)
            size = path.lstat().st_size
        except UnsafeFileError:
            raise InputError("It leads out of the attachments folder, so it is not shown.") from None
        except OSError:
            # The system's error names the file, and a name of a note's file is content.
            raise NotFoundError("There is no such file among the attachments.") from None
        require_size(name, size)
        return Attachment(name, link_of(name), kind_of(name), size, str(path))

    def _keep(self, name: str, data: bytes) -> Attachment:
        name = clean_name(name)
        if not suffix_of(name):
            name += picture_suffix(data)
        require_attachable(name, data)
        try:
            make_folder(self._folder)
            path = self._place(name, data)
        except OSError as error:
            raise from_os(error, self._folder) from error
        if not path.exists():
            replace_file(path, data)
        return self._find(path.name)

    def _place(self, name: str, data: bytes) -> Path:
        """Return where to keep ``data``: a free name, or the file that has it already."""
        suffix = suffix_of(name)
        stem = name[: len(name) - len(suffix)]
        for number in range(1, _TRIES):
            path = self._folder / (name if number == 1 else f"{stem}-{number}{suffix}")
            if not os.path.lexists(path) or holds(path, data):
                return path
        raise InputError("There are too many attachments of this name. Give the file another name.")


def files_of(folder: Path) -> Iterator[Attachment]:
    """Yield the regular files of an attachments folder by name."""
    try:
        require_folder(folder)
        found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in found:
        is_own = entry.is_file(follow_symlinks=False) and not entry.is_symlink() and not entry.name.endswith(_PARTIAL)
        if is_own and name_of(link_of(entry.name)) == entry.name:
            size = entry.stat(follow_symlinks=False).st_size
            yield Attachment(entry.name, link_of(entry.name), kind_of(entry.name), size, entry.path)


def copy_missing(source: Path, target: Path, *, unreadable: list[str] | None = None) -> int:
    """Copy the files of one attachments folder that another lacks, and return their number.

    Args:
        source: The folder to copy from.
        target: The folder to copy to.
        unreadable: Takes the names of files that cannot be read, which are then passed over.

    Raises:
        MachineError: ``target`` cannot be written, or a file cannot be read.
    """
    copied = 0
    for found in files_of(source):
        if os.path.lexists(target / found.name):
            continue
        try:
            stream = open_for_reading(Path(found.path))
        except OSError as error:
            if unreadable is None:
                raise from_os(error, Path(found.path)) from error
            unreadable.append(found.name)
            continue
        try:
            with stream:
                make_folder(target)
                partial = target / f".{found.name}{_PARTIAL}"
                with os.fdopen(open_replacing(partial), "wb") as copy:
                    shutil.copyfileobj(stream, copy)
                partial.replace(target / found.name)
        except OSError as error:
            raise from_os(error, target) from error
        copied += 1
    return copied


def holds(path: Path, data: bytes) -> bool:
    """Return whether the file at ``path`` has these bytes."""
    try:
        if path.lstat().st_size != len(data):
            return False
        with open_for_reading(path) as stream:
            return stream.read() == data
    except OSError:
        return False


def _contents(path: Path) -> bytes:
    try:
        # A link that the person chose is theirs to follow; a pipe or device would never end.
        with open_for_reading(path.resolve(strict=True)) as stream:
            require_size(path.name, os.fstat(stream.fileno()).st_size)
            return stream.read()
    except FileNotFoundError:
        raise NotFoundError("This file is not there any more.") from None
    except UnsafeFileError:
        raise InputError("This is no file, so it cannot be attached.") from None
    except (OSError, RuntimeError) as error:  # older Pythons tell of a circle of links with a RuntimeError
        reason = getattr(error, "strerror", None) or "it is a link to itself"
        raise InputError(f"This file cannot be read: {reason}.") from None
