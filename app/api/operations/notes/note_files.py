"""Operations on notes that agents keep as files."""

from functools import partial

from app.api.agent_writes.default_store import default_store
from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed
from app.core.stores import StoreName
from app.engine import Engine
from app.memories.model import Memory, NewMemory
from app.memories.notes.note_files import NoteFile

_change = partial(operation, access="write", trust="inner", review="content", kind="note", undo="history")


@operation("note.files", sentence="Looked at notes")
async def files(engine: Engine, caller: Caller) -> list[NoteFile]:
    """Return the notes that agents keep as files, the oldest first.

    They have the tag ``memory-file``.
    """
    return await engine.memories.files.listed(caller.access)


@_change("note.create_file", positional=("path", "content"), checks_facts=True, sentence="Wrote a note")
async def create_file(
    engine: Engine, caller: Caller, path: str, content: str, store: StoreName | None = None
) -> Changed[Memory]:
    """Store a note as a file; refused where there is one already.

    Args:
        path: Names with ``/`` between them, which become the note's title.
        content: Its text, kept exactly.
        store: Who may see it; the most private store that the caller sees when left out.
    """
    draft = NewMemory(content=content, title=path, store=default_store(caller, store), source=caller.name)
    return await engine.memories.files.create(caller.access, draft)


@_change("note.move_files", positional=("old", "new"), sentence="Changed a note")
async def move_files(engine: Engine, caller: Caller, old: str, new: str) -> Changed[tuple[str, ...]]:
    """Move a file, or all files of a folder, as one run; return their ids.

    Args:
        old: The path of the file or folder.
        new: Its new path, which nothing has.
    """
    return await engine.memories.files.move(caller.access, old, new)
