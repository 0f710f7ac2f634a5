"""Attachment service: keeps files in the vault's attachments folder and finds them for notes."""

import asyncio
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from app.attachments.content_check import picture_suffix, require_attachable, require_size
from app.attachments.model import FOLDER, Attachment, clean_name, link_of, name_of, suffix_of
from app.attachments.stored_files import (
    attachment_at,
    files_of,
    holds,
    open_attachment,
    path_of,
    rename_attachment,
    stored_names,
    write_attachment,
)
from app.core.files import from_os, is_there
from app.core.regular_files import UnsafeFileError, make_folder, open_for_reading, require_folder
from app.errors import InputError, NotFoundError, VaultDamagedError
from app.sentence import Sentence

BACKUPS = "backups"
_TRIES = 10_000
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
        """Return the files of the folder by name.

        Raises:
            KeepsakeError: The folder or a sealed file cannot be read.
        """
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

    async def read(self, link: str, offset: int, length: int) -> bytes:
        """Return bytes of an attachment; see ``locate`` for errors.

        Args:
            link: The link.
            offset: Where to begin.
            length: How many at most.
        """
        attachment = await self.locate(link)
        return await asyncio.to_thread(_part_of, Path(attachment.path), offset, length)

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
                path = path_of(self._folder, name)
                count += path.exists()
                path.unlink(missing_ok=True)
                path_of(self._folder, f"{_ASIDE}{name}").unlink(missing_ok=True)
                if backups:
                    path_of(self._folder.parent / BACKUPS / FOLDER, name).unlink(missing_ok=True)
        except OSError as error:
            raise from_os(error, self._folder) from error
        return count

    def _set_aside(self, names: Sequence[str], since_ms: int) -> int:
        count = 0
        for name in filter(None, map(name_of, map(link_of, names))):
            path = path_of(self._folder, name)
            if os.path.lexists(path) and path.lstat().st_mtime_ns // 1_000_000 >= since_ms:
                count += self._rename(name, f"{_ASIDE}{name}")
        return count

    def _bring_back(self, name: str) -> bool:
        is_there = os.path.lexists(path_of(self._folder, name))
        return not is_there and self._rename(f"{_ASIDE}{name}", name)

    def _rename(self, name: str, new_name: str) -> bool:
        try:
            require_folder(self._folder)
            return rename_attachment(self._folder, name, new_name)
        except (FileNotFoundError, VaultDamagedError):
            return False
        except OSError as error:
            raise from_os(error, self._folder) from error

    def _aside(self) -> list[str]:
        try:
            names = stored_names(self._folder)
        except OSError as error:
            raise from_os(error, self._folder) from error
        return [name.removeprefix(_ASIDE) for name in names if name.startswith(_ASIDE)]

    def _find(self, name: str) -> Attachment:
        try:
            require_folder(self._folder)
            if not os.path.lexists(path_of(self._folder, name)):
                self._bring_back(name)  # a note that shows it was restored
            attachment = attachment_at(path_of(self._folder, name), name)
        except UnsafeFileError:
            raise InputError("It leads out of the attachments folder, so it is not shown.") from None
        except PermissionError as error:
            raise from_os(error, self._folder) from None
        except OSError:
            # The system's error names the file, and a name of a note's file is content.
            raise NotFoundError("There is no such file among the attachments.") from None
        require_size(name, attachment.bytes)
        return attachment

    def _keep(self, name: str, data: bytes) -> Attachment:
        name = clean_name(name)
        if not suffix_of(name):
            name += picture_suffix(data)
        require_attachable(name, data)
        try:
            make_folder(self._folder)
            name = self._free_name(name, data)
            path = path_of(self._folder, name)
            is_kept = is_there(path)
        except OSError as error:
            raise from_os(error, self._folder) from error
        if not is_kept:
            write_attachment(path, name, data)
        return self._find(name)

    def _free_name(self, name: str, data: bytes) -> str:
        """Return a name that is free, or whose file has ``data`` already."""
        suffix = suffix_of(name)
        stem = name[: len(name) - len(suffix)]
        for number in range(1, _TRIES):
            tried = name if number == 1 else f"{stem}-{number}{suffix}"
            path = path_of(self._folder, tried)
            if not os.path.lexists(path) or holds(path, data):
                return tried
        raise InputError("There are too many attachments of this name. Give the file another name.")


def copy_missing(source: Path, target: Path, *, unreadable: list[str] | None = None) -> int:
    """Copy the files of one attachments folder that another lacks, and return their number.

    Args:
        source: The folder to copy from.
        target: The folder to copy to.
        unreadable: Takes the names of what cannot be read, the folder's own among them; it is then passed over.

    Raises:
        MachineError: ``target`` cannot be written, or a file cannot be read.
    """
    copied = 0
    for attachment in files_of(source, unreadable):
        place = path_of(target, attachment.name)
        if os.path.lexists(place):
            continue
        try:
            with open_attachment(Path(attachment.path)) as stream:
                data = stream.read()
        except (OSError, VaultDamagedError) as error:
            # A plain file in an encrypted vault is none of it; the check names it.
            is_foreign = isinstance(error, VaultDamagedError) and error.data.get("state") == "plain"
            if unreadable is None:
                if is_foreign:
                    continue
                raise from_os(error, Path(attachment.path)) if isinstance(error, OSError) else error from error
            unreadable.append(attachment.name)
            continue
        try:
            write_attachment(place, attachment.name, data)
        except OSError as error:
            raise from_os(error, target) from error
        copied += 1
    return copied


def _part_of(path: Path, offset: int, length: int) -> bytes:
    try:
        with open_attachment(path) as stream:
            stream.seek(offset)
            return stream.read(length)
    except OSError as error:
        raise InputError(Sentence("This file cannot be read: {strerror}.", strerror=error.strerror)) from None


def _contents(path: Path) -> bytes:
    try:
        # A link that the person chose is theirs to follow; a pipe or device would never end.
        with open_for_reading(path.resolve(strict=True)) as stream:
            require_size(path.name, os.fstat(stream.fileno()).st_size)
            return stream.read()
    except FileNotFoundError:
        raise NotFoundError("This file is not there any more.") from None
    except UnsafeFileError as error:
        raise InputError(Sentence("{sentence} It cannot be attached.", sentence=error.sentence)) from None
    except (OSError, RuntimeError) as error:  # older Pythons tell of a circle of links with a RuntimeError
        reason = getattr(error, "strerror", None) or "it is a link to itself"
        raise InputError(Sentence("This file cannot be read: {reason}.", reason=reason)) from None
