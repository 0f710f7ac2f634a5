"""Notes that agents keep as files, by their paths below one folder.

A note is a file by its tag, so that the person sees which ones are and can make any other note one. Its title is its
path. Titles may be the same twice and hold anything; paths are made of them so that each leads to one note.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Final

import apsw

from app.changes import Changed
from app.core.access import Access
from app.core.ids import new_id
from app.errors import InputError, NotFoundError
from app.memories import validation
from app.memories.model import Memory, MemoryFilter, NewMemory
from app.memories.note_links.renaming import store_renamed
from app.memories.queries.memory_lists import condition
from app.memories.store_access import require_active
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryWriter

FILE_TAG: Final = "memory-file"


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A note that is kept as a file.

    Args:
        id: The note's id.
        path: Its path, of names with ``/`` between them.
        bytes: The size of its text in UTF-8.
        version: Its version, which a change must name.
    """

    id: str
    path: str
    bytes: int
    version: int


def note_files(connection: apsw.Connection, stores: Sequence[str]) -> list[NoteFile]:
    """Return the notes that are files, the oldest first.

    Of two with one path the newer has a number behind it.
    """
    where, values = condition(MemoryFilter(kinds=("note",), tags=(FILE_TAG,)), stores)
    rows = connection.execute(
        "SELECT m.id, m.title, length(CAST(m.content AS BLOB)), m.version FROM memories m"
        f" WHERE {where} ORDER BY m.created_at, m.rowid",
        values,
    )
    files: dict[str, NoteFile] = {}
    for identity, title, size, version in rows:
        path = _unused(_path_of(str(title)) or str(identity), files)
        files[path] = NoteFile(str(identity), path, int(str(size)), int(str(version)))
    return list(files.values())


class NoteFileService:
    """Lists, makes and moves notes that are files.

    Args:
        transactions: Opens transactions.
    """

    def __init__(self, transactions: MemoryUnitOfWork) -> None:
        self._transactions = transactions

    async def listed(self, access: Access) -> list[NoteFile]:
        """Return the files that the caller may see, the oldest first."""
        return await self._transactions.store.read(lambda connection: note_files(connection, access.stores))

    async def create(self, access: Access, draft: NewMemory) -> Changed[Memory]:
        """Store a note as the file that its title names.

        Raises:
            InputError: There is a file or folder of that path, the path is none, or the text cannot be stored.
        """
        path = _required_path(draft.title)

        def work(writer: MemoryWriter) -> Memory:
            _require_free(path, note_files(writer.connection, access.stores))
            wanted = replace(draft, title=path, tags=(*draft.tags, FILE_TAG))
            return writer.create(validation.compose(wanted, writer.at_ms))

        return await self._transactions.run(access, work)

    async def move(self, access: Access, old: str, new: str) -> Changed[tuple[str, ...]]:
        """Move a file, or all files of a folder, and return their ids.

        It is one run of the history.

        Raises:
            InputError: Something has the new path already, or it lies within the old one.
            NotFoundError: Nothing has the old path.
        """
        source, target = _required_path(old), _required_path(new)

        def work(writer: MemoryWriter) -> tuple[str, ...]:
            files = note_files(writer.connection, access.stores)
            moved = [file for file in files if is_within(file.path, source)]
            if not moved:
                raise NotFoundError("There is no file or folder of this path.")
            if is_within(target, source):
                raise InputError("A folder cannot be moved into itself.", field="new")
            _require_free(target, files)
            for file in moved:
                note = require_active(writer.connection, file.id, access.stores)
                title = validation.clean_title(target + file.path[len(source) :])
                store_renamed(writer, note, replace(note, title=title), access.stores)
            return tuple(file.id for file in moved)

        return await self._transactions.run(access.in_run(new_id("run")), work)


def is_within(path: str, folder: str) -> bool:
    """Return whether a path is ``folder`` or lies within it."""
    return path == folder or path.startswith(f"{folder}/")


def _path_of(title: str) -> str:
    names = (name.strip() for name in title.split("/"))
    return "/".join(name for name in names if name not in ("", ".", ".."))


def _unused(path: str, taken: Container[str]) -> str:
    number, free = 1, path
    while free in taken:
        number += 1
        free = f"{path} ({number})"
    return free


def _required_path(path: str) -> str:
    """Return a path as titles hold it.

    Raises:
        InputError: It is not one of names with ``/`` between them.
    """
    clean = validation.clean_title(path)
    if not clean or clean != _path_of(clean):
        raise InputError("A path is made of names with '/' between them, such as projects/plan.md.", field="path")
    return clean


def _require_free(path: str, files: Sequence[NoteFile]) -> None:
    for file in files:
        if is_within(file.path, path):
            raise InputError("There is already a file or folder of this path.", field="path")
        if is_within(path, file.path):
            raise InputError("A part of this path is a file, so nothing can lie in it.", field="path")
