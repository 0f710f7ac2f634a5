"""Chunks of long memories, made and deleted in the background a few at a time.

Only the memory and its first chunks are written with the change, which then never holds up the writer. A row of
``meta`` records the progress of the rest, which continues after a restart. Chunks of the previous text are deleted
first; until then a search may find its words. Chunks of a deleted memory are hidden from searches by ``LEAVING_IDS``
until they are gone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

import apsw

from app.core.stores import STORES
from app.index import repo
from app.index.chunking import TextPiece, first_pieces, pieces
from app.index.searchable_text import memory_text
from app.memories import repo as memories
from app.memories.model import Memory
from app.store import meta

AT_ONCE = 60  # chunks that one transaction writes or deletes, in about 20 ms
_KEY, _END = "chunks:", "chunks;"

LEAVING_IDS = (
    f"SELECT substr(w.key, {len(_KEY) + 1}) FROM meta w WHERE w.key >= '{_KEY}' AND w.key < '{_END}' AND NOT EXISTS"
    f" (SELECT 1 FROM memories m WHERE m.id = substr(w.key, {len(_KEY) + 1}) AND m.valid_until IS NULL)"
)
"""SQL of the ids of memories that were deleted while some of their chunks are still there."""

ChunkOf = Callable[[Memory, int, TextPiece], repo.Chunk]


def is_long(connection: apsw.Connection, memory: Memory) -> bool:
    """Return whether a memory has or needs more chunks than one transaction should write."""
    if len(first_pieces(memory_text(memory), AT_ONCE + 1)) > AT_ONCE:
        return True
    return has_many_chunks(connection, memory.id)


def has_many_chunks(connection: apsw.Connection, memory_id: str) -> bool:
    """Return whether a memory has more chunks than one transaction should delete."""
    # Every write asks this: a limit that is bound would have the statement compiled anew each time.
    sql = f"SELECT count(*) FROM (SELECT 1 FROM chunks WHERE memory_id = ? LIMIT {AT_ONCE + 1})"
    return int(connection.execute(sql, (memory_id,)).get) > AT_ONCE


def begin(connection: apsw.Connection, memory: Memory, chunk_of: ChunkOf) -> None:
    """Write the first chunks of a long memory.

    ``step`` writes the others and deletes the previous ones.
    """
    newest = _newest(connection, memory.id)
    # A caller that may no longer see a memory may not find it by its previous text.
    connection.execute("UPDATE chunks SET store = ?1 WHERE memory_id = ?2 AND store <> ?1", (memory.store, memory.id))
    first = enumerate(first_pieces(memory_text(memory), AT_ONCE))
    chunks = [chunk_of(memory, number, piece) for number, piece in first]
    repo.insert_chunks(connection, chunks)
    _note(connection, _Row(memory.id, newest, len(chunks)))


def begin_removal(connection: apsw.Connection, memory_id: str) -> None:
    """Let the chunks of a deleted memory go with ``step``; until then they are hidden."""
    _note(connection, _Row(memory_id, _newest(connection, memory_id), 0))


def forget(connection: apsw.Connection, memory_id: str) -> None:
    """Cancel the remaining work on a memory."""
    meta.remove(connection, _KEY + memory_id)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Chunks of a long memory that are ready to be written, from piece ``number`` on."""

    memory_id: str
    version: int
    number: int
    chunks: tuple[repo.Chunk, ...]


def prepare(connection: apsw.Connection, chunk_of: ChunkOf) -> Prepared | None:
    """Return the missing chunks of one long memory, or ``None``.

    This takes long, so it runs on a reader.
    """
    row = _waiting(connection)
    memory = None if row is None else memories.get(connection, row.memory_id, stores=STORES)
    if row is None or memory is None:
        return None
    remaining = islice(enumerate(pieces(memory_text(memory))), row.number, None)
    chunks = tuple(chunk_of(memory, number, piece) for number, piece in remaining)
    return Prepared(memory.id, memory.version, row.number, chunks)


def is_waiting(connection: apsw.Connection, prepared: Prepared | None) -> bool:
    """Return whether a long memory lacks chunks that are not in ``prepared``."""
    row = _waiting(connection)
    is_there = row is not None and _version(connection, row.memory_id) is not None
    return row is not None and is_there and not _fits(connection, row, prepared)


def step(connection: apsw.Connection, prepared: Prepared | None) -> bool:
    """Delete or write a few chunks of a long memory; return whether any remained."""
    row = _waiting(connection)
    if row is None:
        return False
    if repo.delete_chunks(connection, "memory_id = ? AND id <= ?", (row.memory_id, row.newest), AT_ONCE):
        return True
    if _version(connection, row.memory_id) is None:
        forget(connection, row.memory_id)
    elif prepared is not None and _fits(connection, row, prepared):
        _write(connection, row, prepared)
    return True


@dataclass(frozen=True, slots=True)
class _Row:
    memory_id: str
    newest: int
    number: int


def _waiting(connection: apsw.Connection) -> _Row | None:
    row = connection.execute(
        "SELECT key, value FROM meta WHERE key >= ? AND key < ? ORDER BY key LIMIT 1", (_KEY, _END)
    ).fetchone()
    if row is None:
        return None
    newest, number = map(int, str(row[1]).split())
    return _Row(str(row[0]).removeprefix(_KEY), newest, number)


def _newest(connection: apsw.Connection, memory_id: str) -> int:
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM chunks WHERE memory_id = ?", (memory_id,)).get)


def _version(connection: apsw.Connection, memory_id: str) -> int | None:
    row = connection.execute(
        "SELECT version FROM memories WHERE id = ? AND valid_until IS NULL", (memory_id,)
    ).fetchone()
    return None if row is None else int(str(row[0]))


def _fits(connection: apsw.Connection, row: _Row, prepared: Prepared | None) -> bool:
    return (
        prepared is not None
        and prepared.memory_id == row.memory_id
        and prepared.number <= row.number <= prepared.number + len(prepared.chunks)
        and prepared.version == _version(connection, row.memory_id)
    )


def _write(connection: apsw.Connection, row: _Row, prepared: Prepared) -> None:
    done = row.number - prepared.number
    chunks = prepared.chunks[done : done + AT_ONCE]
    repo.insert_chunks(connection, chunks)
    if done + len(chunks) >= len(prepared.chunks):
        forget(connection, row.memory_id)
    else:
        _note(connection, replace(row, number=row.number + len(chunks)))


def _note(connection: apsw.Connection, row: _Row) -> None:
    meta.write(connection, _KEY + row.memory_id, f"{row.newest} {row.number}")
