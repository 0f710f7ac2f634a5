"""Stored files of an attachments folder: plain, or sealed in an encrypted vault."""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from app.attachments.model import Attachment, kind_of, link_of, name_of
from app.core.files import from_os, replace_file
from app.core.regular_files import make_folder, open_for_reading, require_file, require_folder
from app.core.stop_signal import StopSignal
from app.encryption.data_key import DataKey
from app.encryption.file_sealing import overwrite, seal_file, unseal_file
from app.encryption.sealed_files import (
    MAGIC,
    SUFFIX,
    is_sealed,
    open_name,
    open_parts,
    sealed_name,
    sealed_parts,
    sealed_size,
)
from app.encryption.vault_keys import is_plain_expected, key_for_encrypted_file, key_for_new_file
from app.errors import VaultDamagedError
from app.sentence import Sentence

_PARTIAL: Final = ".partial"


def path_of(folder: Path, name: str) -> Path:
    """Return where the file called ``name`` lies, or is to lie when it is new.

    Raises:
        PassphraseRequiredError: The folder's vault is locked.
    """
    known, wanted = key_for_encrypted_file(folder / name), key_for_new_file(folder / name)
    plain = folder / name
    sealed = plain if known is None else folder / sealed_name(known, name)
    if os.path.lexists(sealed):
        return sealed
    # What another program laid into the folder of an encrypted vault is plain; ``open_attachment`` refuses it.
    return plain if wanted is None or os.path.lexists(plain) else sealed


def attachment_at(path: Path, name: str) -> Attachment:
    """Return the attachment that is stored at ``path``.

    Raises:
        OSError: It is missing, a link, or no file.
    """
    require_file(path, is_written=False)
    size = path.lstat().st_size
    if path.name == name:
        return Attachment(name, link_of(name), kind_of(name), size, str(path))
    with open_for_reading(path) as file:
        contents = sealed_size(file, size)
    return Attachment(name, link_of(name), kind_of(name), contents, str(path), is_sealed=True)


def files_of(folder: Path, unreadable: list[str] | None = None) -> Iterator[Attachment]:
    """Yield the regular files of an attachments folder, which may be missing, by name.

    Args:
        folder: The folder.
        unreadable: Takes the names of what the system does not let us read, the folder's own among them.

    Raises:
        KeepsakeError: Something cannot be read, and no ``unreadable`` takes its name.
    """
    attachments: list[Attachment] = []
    try:
        paths = _regular_files(folder)
    except OSError as error:
        _pass_over(folder, error, unreadable)
        return
    for path in paths:
        try:
            name = _name_at(path)
            if not path.name.endswith(_PARTIAL) and name and name_of(link_of(name)) == name:
                attachments.append(attachment_at(path, name))
        except FileNotFoundError:
            continue  # it was removed meanwhile
        except OSError as error:
            _pass_over(path, error, unreadable)
    yield from sorted(attachments, key=lambda attachment: attachment.name)


def _regular_files(folder: Path) -> list[Path]:
    try:
        require_folder(folder)
        return [Path(entry.path) for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _pass_over(path: Path, error: OSError, unreadable: list[str] | None) -> None:
    if unreadable is None:
        raise from_os(error, path) from error
    unreadable.append(path.name)


def open_attachment(path: Path) -> BinaryIO:
    """Open the contents of a stored file for reading.

    Raises:
        OSError: It cannot be read, or is a link or no file.
        VaultDamagedError: It is sealed and was changed, or it is plain in an encrypted vault.
        PassphraseRequiredError: It is sealed and its vault is locked.
    """
    file = open_for_reading(path)
    try:
        if not is_sealed(file.read(len(MAGIC))):
            _require_plain_expected(path)
            file.seek(0)
            return file
        key = _required_key(path)
        file.seek(0)
        # As a whole: an attachment has a size limit, and what is half read has not been verified.
        contents = io.BytesIO(b"".join(open_parts(key, file)))
    except BaseException:
        file.close()
        raise
    file.close()
    return contents


def write_attachment(path: Path, name: str, data: bytes) -> None:
    """Write a file to where ``path_of`` has it, whole or not at all.

    Raises:
        MachineError: It cannot be written.
    """
    make_folder(path.parent)
    key = key_for_new_file(path)
    replace_file(path, data if key is None else b"".join(sealed_parts(key, [data], name)))


def rename_attachment(folder: Path, name: str, new_name: str) -> bool:
    """Give a stored file another name, and return whether there is one.

    A sealed file holds its name, so that it is sealed anew.

    Raises:
        OSError: It cannot be read.
        MachineError: It cannot be written.
        VaultDamagedError: It is sealed and was changed.
    """
    source, target = path_of(folder, name), path_of(folder, new_name)
    if not os.path.lexists(source):
        return False
    if source.name == name and target.name == new_name:
        source.replace(target)
        return True
    with open_attachment(source) as stream:
        data = stream.read()
    write_attachment(target, new_name, data)
    source.unlink()
    return True


def stored_names(folder: Path) -> list[str]:
    """Return the names of all files of a folder, attachments or not.

    Raises:
        OSError: The folder or a file cannot be read.
    """
    return [name for path in _regular_files(folder) if (name := _name_at(path))]


def holds(path: Path, data: bytes) -> bool:
    """Return whether the file at ``path`` has these contents."""
    try:
        require_file(path, is_written=False)
        with open_attachment(path) as stream:
            return stream.read(len(data) + 1) == data
    except (OSError, VaultDamagedError):
        return False


def convert_attachments(folder: Path, target: DataKey | None, key: DataKey, stop: StopSignal) -> None:
    """Seal the files of a folder, or open them.

    Args:
        folder: The attachments folder, there or not.
        target: Seal them with this key; open them when ``None``.
        key: The key of those that are sealed.
        stop: Stops it between two files.

    Raises:
        CancelledByPersonError: ``stop`` was set.
        VaultDamagedError: A sealed file was changed; it stays as it is.
    """
    try:
        require_folder(folder)
        paths = sorted(Path(entry.path) for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
    except FileNotFoundError:
        return
    for path in paths:
        stop.check()
        if path.name.endswith(_PARTIAL):  # of a write that was cut off; the whole file is there, or was never
            overwrite(path)
            path.unlink()
            continue
        with open_for_reading(path) as file:
            was_sealed = is_sealed(file.read(len(MAGIC)))
        if was_sealed == (target is not None):
            continue
        if target is not None:
            seal_file(path, folder / sealed_name(target, path.name), target)
        else:
            unseal_file(path, key)


def plain_names(folder: Path) -> list[str]:
    """Return the names of the files of a folder that are plain, sorted.

    Raises:
        OSError: The folder or a file cannot be read.
    """
    names = []
    for entry in os.scandir(folder) if folder.is_dir() else ():
        if entry.is_file(follow_symlinks=False) and not entry.name.endswith(_PARTIAL):
            with open_for_reading(Path(entry.path)) as file:
                if not is_sealed(file.read(len(MAGIC))):
                    names.append(entry.name)
    return sorted(names)


def _require_plain_expected(path: Path) -> None:
    if not is_plain_expected(path):
        raise VaultDamagedError(
            Sentence(
                "{name} in the attachments is not encrypted, and these memories are: another program has put it "
                "there. It was not read. Move it out of the folder; if you want it, attach it again.",
                name=path.name,
            ),
            state="plain",
        )


def _required_key(path: Path) -> DataKey:
    key = key_for_encrypted_file(path)
    if key is None:
        raise VaultDamagedError(
            Sentence("{path} is encrypted, and its vault is not.", path=path), path=str(path), state="sealed"
        )
    return key


def _name_at(path: Path) -> str:
    """Return the name of a file, ``""`` of a sealed one of another vault."""
    if not path.name.endswith(SUFFIX):
        return path.name
    try:
        key = key_for_encrypted_file(path)
        with open_for_reading(path) as file:
            return "" if key is None else open_name(key, file)
    except VaultDamagedError:
        return ""
