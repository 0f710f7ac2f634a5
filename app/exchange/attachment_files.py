"""Attachments in exports and imports: files that lie beside the notes."""

import posixpath
import re
from pathlib import Path, PurePosixPath
from typing import Final

from app.attachments.content_check import require_attachable
from app.attachments.model import FOLDER, MAX_BYTES
from app.attachments.service import copy_missing
from app.attachments.stored_files import files_of, holds, open_attachment, path_of, write_attachment
from app.errors import InputError, KeepsakeError, VaultDamagedError
from app.exchange.exporting.export_target import MANIFEST, FolderTarget
from app.exchange.model import AttachmentRecord
from app.exchange.parsing.attachment_links import file_problem
from app.memories.foreign_record import Problem
from app.memories.text.code_spans import CodeRanges, code_ranges
from app.sentence import Sentence

EXPORTED: Final = PurePosixPath("notes") / FOLDER
_LINK: Final = re.compile(rf"(?<=\]\()(<?){FOLDER}/")
_NOTE_SUFFIXES: Final = (".jsonl", ".jsonl.gz", ".json", ".gz")


def with_moved_links(text: str, folder: PurePosixPath) -> str:
    """Return a note's text with links to attachments as seen from ``folder`` of an export."""
    place = posixpath.relpath(str(EXPORTED), str(folder))
    if place == FOLDER or (f"]({FOLDER}/" not in text and f"](<{FOLDER}/" not in text):
        return text
    code = CodeRanges(code_ranges(text))
    return _LINK.sub(
        lambda match: match[0] if code.touch(*match.span()) else f"{match[1]}{place}/",
        text,
    )


def copy_into(target: FolderTarget, vault: Path) -> list[str]:
    """Copy a vault's attachments into an exported folder; return the names of unreadable ones."""
    skipped: list[str] = []
    for attachment in files_of(vault / FOLDER, skipped):
        try:
            with open_attachment(Path(attachment.path)) as stream:
                data = stream.read(MAX_BYTES + 1)
        except (OSError, VaultDamagedError):
            skipped.append(attachment.name)
            continue
        file = target.open(EXPORTED / attachment.name)
        file.write_bytes(data)
        file.close()
    return skipped


def attachments_folder(path: Path) -> Path:
    """Return the folder of attachments that belongs to an exported file: ``notes.attachments`` for ``notes.jsonl``."""
    suffix = next((ending for ending in _NOTE_SUFFIXES if path.name.endswith(ending)), "")
    return path.with_name(f"{path.name[: len(path.name) - len(suffix)]}.{FOLDER}")


def copy_to_folder(path: Path, vault: Path, skipped: list[str]) -> tuple[int, int]:
    """Copy a vault's attachments beside an exported file, and return their number and bytes.

    Args:
        path: The exported file.
        vault: The vault's folder.
        skipped: Takes the names of files that cannot be read, which are left out.

    Raises:
        InputError: Other files of the same names are there.
    """
    folder, attachments = attachments_folder(path), list(files_of(vault / FOLDER, skipped))
    for attachment in attachments:
        place = folder / attachment.name
        try:
            data = _contents(Path(attachment.path)) if place.exists() else b""
        except (OSError, VaultDamagedError):
            continue
        if place.exists() and not holds(place, data):
            raise InputError(
                Sentence(
                    "{folder} holds another file called {name}. Choose another name to export to.",
                    folder=folder,
                    name=attachment.name,
                ),
                path=str(folder),
            )
    if attachments:
        unreadable: list[str] = []
        copy_missing(vault / FOLDER, folder, unreadable=unreadable)
        skipped += [name for name in unreadable if name not in skipped]
    sizes = [attachment.bytes for attachment in attachments if attachment.name not in skipped]
    return len(sizes), sum(sizes)


def bring_in(source: Path, vault: Path) -> list[Problem]:
    """Copy exported attachments into a vault, and return those left out and why."""
    if source.is_dir():
        places = [source / EXPORTED, source / FOLDER]
    else:
        # The lines of an exported folder share its attachments with the notes.
        shared = [source.parent / EXPORTED] if (source.parent / MANIFEST).is_file() else []
        places = [attachments_folder(source), *shared]
    problems: list[Problem] = []
    for place in places:
        unreadable: list[str] = []
        # Other programs link to a folder of attachments elsewhere; nothing outside the export is read.
        for attachment in files_of(place, unreadable) if not place.is_symlink() else ():
            try:
                _bring_in(Path(attachment.path), attachment.name, attachment.bytes, vault / FOLDER)
            except (KeepsakeError, OSError) as error:
                what = error.sentence if isinstance(error, KeepsakeError) else Sentence("It cannot be read.")
                problems.append(file_problem(f"{FOLDER}/{attachment.name}", what))
        problems += [file_problem(name, Sentence("It cannot be read.")) for name in unreadable]
    return problems


def keep(record: AttachmentRecord, vault: Path) -> Problem | None:
    """Store an imported attachment in a vault, and return its problem."""
    try:
        _keep(record.name, record.data, vault / FOLDER)
    except (KeepsakeError, OSError) as error:
        what = (
            error.sentence
            if isinstance(error, KeepsakeError)
            else Sentence("It cannot be stored: {strerror}.", strerror=error.strerror)
        )
        return file_problem(f"{FOLDER}/{record.name}", what)
    return None


def _bring_in(path: Path, name: str, size: int, folder: Path) -> None:
    if size > MAX_BYTES:
        raise InputError("It is larger than an attachment may be.")
    _keep(name, _contents(path), folder)


def _contents(path: Path) -> bytes:
    with open_attachment(path) as stream:
        return stream.read(MAX_BYTES)


def _keep(name: str, data: bytes, folder: Path) -> None:
    require_attachable(name, data)
    target = path_of(folder, name)
    if not target.exists() and not target.is_symlink():
        write_attachment(target, name, data)
    elif not holds(target, data):
        raise InputError("The vault has another attachment of this name, which stays.")
