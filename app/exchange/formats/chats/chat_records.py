"""Parts shared by the readers of chats: messages, and the files of an export."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final

from app.core.clock import optional_datetime
from app.core.text import storable
from app.exchange.importing.source_files import SourceEntry, entries
from app.exchange.importing.unread_files import SYSTEM_FILE
from app.exchange.model import MessageRecord, SessionRecord
from app.exchange.parsing.lenient import clean
from app.sessions.model import NewMessage

NOTICE_IMPORTANCE: Final = 0.1
MAX_FILES: Final = 200_000


def head(key: str, title: str, agent: str, created_ms: int | None = None, **attributes: Any) -> SessionRecord:
    """Return the head of a chat; empty attributes are left out."""
    values = {name: clean(value) for name, value in attributes.items() if value not in (None, "", [], {})}
    return SessionRecord(storable(key)[0], storable(title)[0], agent, created_ms=created_ms, attributes=values)


def message(
    key: str,
    author: str,
    text: str,
    moment: int | None,
    *,
    foreign_id: str = "",
    is_notice: bool = False,
    payload: dict[str, Any] | None = None,
) -> MessageRecord:
    """Return a message of a person, or a notice of the program."""
    values = {name: clean(value) for name, value in (payload or {}).items() if value not in (None, "", [], {})}
    if foreign_id:
        values["id"] = storable(foreign_id)[0]
    return MessageRecord(
        storable(key)[0],
        NewMessage(
            role="system" if is_notice else "user",
            content=storable(text)[0],
            author=storable(author)[0],
            created_at=optional_datetime(moment),
            importance=NOTICE_IMPORTANCE if is_notice else None,
            payload=values or None,
        ),
    )


def names(path: Path) -> Iterator[str]:
    """Yield the names of the files below a folder, at most ``MAX_FILES``.

    Hidden files and links are left out.
    """
    return islice(listed(path, FolderRemarks()), MAX_FILES)


@dataclass(slots=True)
class FolderRemarks:
    """Files and folders that a search passes over, by their place in the folder.

    Args:
        hidden: Folders and files whose names begin with a dot.
        links: Links that lead out of the folder, or nowhere.
        special: Pipes, sockets and devices.
        unreadable: Folders that cannot be read, and why.
    """

    hidden: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    special: list[str] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)


def listed(path: Path, remarks: FolderRemarks) -> Iterator[str]:
    """Yield the names of the files below a folder, and note what is passed over.

    What the system keeps for itself, such as ``.DS_Store``, is no file of a person.
    """
    root = path.resolve()

    def note_failure(error: OSError) -> None:
        place = Path(error.filename or path).relative_to(path).as_posix()
        remarks.unreadable[place] = error.strerror or str(error)

    for folder, folders, files in os.walk(path, onerror=note_failure):
        place = Path(folder).relative_to(path)
        inside: list[str] = []
        for name in sorted(folders):
            if Path(folder, name).is_symlink():
                _note_link(Path(folder, name), place / name, root, remarks)
            elif name.startswith("."):
                remarks.hidden.append((place / name).as_posix())
            else:
                inside.append(name)
        folders[:] = inside
        for name in sorted(files):
            if _is_listed(Path(folder, name), place / name, root, remarks):
                yield (place / name).as_posix()


def _is_listed(path: Path, place: Path, root: Path, remarks: FolderRemarks) -> bool:
    """Return whether a path is a file to read; note why not."""
    if path.is_symlink():
        _note_link(path, place, root, remarks)
    elif not path.is_file():
        remarks.special.append(place.as_posix())
    elif not path.name.startswith("."):
        return True
    elif not SYSTEM_FILE.fullmatch(path.name):
        remarks.hidden.append(place.as_posix())
    return False


def _note_link(path: Path, place: Path, root: Path, remarks: FolderRemarks) -> None:
    """Note a link, unless it leads to a place in the folder."""
    try:
        is_inside = path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):
        is_inside = False
    if not is_inside:
        remarks.links.append(place.as_posix())


@contextmanager
def files(path: Path, wanted: re.Pattern[str]) -> Iterator[list[SourceEntry]]:
    """Yield the files to read at ``path``.

    They are the file itself, or those below the folder or in the zip that match ``wanted``.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip is damaged, encrypted, or would swell beyond reason.
    """
    if path.is_dir():
        yield [_entry(path, name) for name in names(path) if wanted.fullmatch(name)]
        return
    with entries(path, wanted) as members:
        yield members


def _entry(folder: Path, name: str) -> SourceEntry:
    def opened() -> AbstractContextManager[IO[bytes]]:
        return Path(folder, name).open("rb")

    return SourceEntry(name, Path(folder, name).stat().st_size, opened)


def folder_of(name: str) -> str:
    """Return the folder of a file in an export, ``""`` for none."""
    parent = str(PurePosixPath(name).parent)
    return "" if parent == "." else parent


def joined(*parts: str) -> str:
    """Return the parts that are not empty, each on lines of its own."""
    return "\n\n".join(part for part in parts if part.strip())


Cancelled = Callable[[], bool]
