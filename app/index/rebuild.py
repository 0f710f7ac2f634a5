"""Rebuild of the derived data from messages and memories, step by step.

Other writers run between the steps.
"""

from collections.abc import Callable
from dataclasses import dataclass

import apsw

from app.core.stores import STORES
from app.index.indexer import Indexer
from app.index.repo import REBUILD_KEY
from app.index.token_vectors import token_repo
from app.memories import repo as memories
from app.sentence import Sentence
from app.sessions.repo import MESSAGE_COLUMNS, message_of
from app.store import meta

_ROWS_A_STEP = 500
_BEGIN = "begin"

REPAIR = Sentence("Run 'keepsake check --repair'; only what can be made anew from the rest is.")


@dataclass(frozen=True, slots=True)
class RebuildPosition:
    """Position of a rebuild: in the table ``messages`` or ``memories``, after the row ``rowid``."""

    table: str
    rowid: int


START = RebuildPosition("messages", 0)

Step = tuple[RebuildPosition | None, int]


def request_rebuild(connection: apsw.Connection) -> None:
    """Request that all derived data is rebuilt when the vault is next opened."""
    meta.write(connection, REBUILD_KEY, _BEGIN)


def begin(connection: apsw.Connection) -> RebuildPosition:
    """Delete the derived data and return the first position.

    A restart continues the rebuild from now on.
    """
    clear(connection)
    meta.write(connection, REBUILD_KEY, _text(START))
    return START


def unfinished(connection: apsw.Connection) -> RebuildPosition | None:
    """Return the position of an interrupted rebuild, or ``None``; a requested rebuild is begun first."""
    mark = meta.read(connection, REBUILD_KEY)
    if mark is None:
        return None
    table, _, rowid = mark.partition(":")
    return RebuildPosition(table, int(rowid)) if rowid else begin(connection)


def is_unfinished(connection: apsw.Connection) -> bool:
    """Return whether a rebuild is under way or requested."""
    return meta.read(connection, REBUILD_KEY) is not None


def _text(position: RebuildPosition) -> str:
    return f"{position.table}:{position.rowid}"


def clear(connection: apsw.Connection) -> None:
    """Delete all chunks, full-text entries and vectors."""
    for (number,) in connection.execute("SELECT id FROM generations").fetchall():
        connection.execute(f"DELETE FROM vectors_{int(str(number))}")
    token_repo.clear(connection)
    connection.execute("DELETE FROM pending_vectors")
    connection.execute("DELETE FROM chunk_lengths")
    connection.execute("DELETE FROM session_moves")
    # The triggers would delete words row by row; FTS5 drops them all at once.
    trigger = str(connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'chunks_deleted'").get)
    connection.execute("DROP TRIGGER chunks_deleted")
    connection.execute("DELETE FROM chunks")
    connection.execute(trigger)
    connection.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')")
    connection.execute(
        "UPDATE session_state SET passage_seq = 0"
        " WHERE session_id IN (SELECT id FROM sessions WHERE forgotten_at IS NULL)"
    )


def next_step(position: RebuildPosition) -> Callable[[apsw.Connection], Step]:
    """Return a function that indexes rows and returns the next position and their number."""

    def step(connection: apsw.Connection) -> Step:
        following, count = (_messages if position.table == "messages" else _memories)(connection, position.rowid)
        if following is None:
            meta.remove(connection, REBUILD_KEY)
        else:
            meta.write(connection, REBUILD_KEY, _text(following))
        return following, count

    return step


def _messages(connection: apsw.Connection, after: int) -> Step:
    rows = connection.execute(
        f"SELECT {', '.join('m.' + name for name in MESSAGE_COLUMNS.split(', '))}, m.rowid FROM messages m"
        " JOIN sessions s ON s.id = m.session_id"
        " WHERE m.rowid > ? AND s.forgotten_at IS NULL ORDER BY m.rowid LIMIT ?",
        (after, _ROWS_A_STEP),
    ).fetchall()
    Indexer().messages_stored(connection, [message_of(row) for row in rows if not _is_indexed(connection, row)])
    # A short page is the last one. Later messages bring their own chunks, and would keep the rebuild from ending.
    is_last = len(rows) < _ROWS_A_STEP
    return RebuildPosition("memories", 0) if is_last else RebuildPosition("messages", int(str(rows[-1][-1]))), len(rows)


def _is_indexed(connection: apsw.Connection, row: tuple[object, ...]) -> bool:
    # A message that arrived after the index was cleared brought its own chunk.
    return bool(
        connection.execute(
            "SELECT 1 FROM chunks WHERE session_id = ? AND kind = 'message' AND seq_start = ?", (row[0], row[1])
        ).get
    )


def _memories(connection: apsw.Connection, after: int) -> Step:
    rows = connection.execute(
        "SELECT rowid, id FROM memories WHERE rowid > ? AND valid_until IS NULL ORDER BY rowid LIMIT ?",
        (after, _ROWS_A_STEP),
    ).fetchall()
    indexer = Indexer()
    for _, memory_id in rows:
        memory = memories.get(connection, str(memory_id), stores=STORES)
        if memory is not None:
            indexer.memory_stored(connection, memory)
    is_last = len(rows) < _ROWS_A_STEP
    return None if is_last else RebuildPosition("memories", int(str(rows[-1][0]))), len(rows)
