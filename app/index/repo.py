"""SQL of chunks, and of the queues of passages and vectors."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import apsw

from app.index.vectors import vector_repo
from app.index.vectors.vector_repo import HAS_VECTOR
from app.store.words.tokenizer import count_words

NEVER = 1 << 62
"""The ``retry_at`` of a text that must not be sent to a remote service."""
REBUILD_KEY = "rebuild"
"""The row of ``meta`` with the position of an unfinished rebuild, as ``table:rowid``."""
NOT_HIDDEN = "(c.kind = 'memory' OR c.session_id NOT IN (SELECT session_id FROM session_moves WHERE is_leaving = 1))"
"""Condition for chunks ``c`` that belong to no forgotten session; its texts must not be read, sent or shown."""


class Chunk(NamedTuple):
    """A chunk to store; ``created_at`` is in milliseconds UTC, ``grams`` is for scripts without spaces.

    Its fields are columns of the table, and as a tuple it is made several times as fast as a data class.

    Args:
        content_hash: That of a passage's text, by which one that is said again is found; else ``""``.
        content_start, content_length: Where ``text`` is a memory's title and this part of its content, in bytes of
            UTF-8 from 1, so that it is not stored again.
    """

    kind: str
    text: str
    grams: str
    created_at: int
    session_id: str | None = None
    memory_id: str | None = None
    seq_start: int = 0
    seq_end: int = 0
    store: str = "private"
    role: str = ""
    content_hash: str = ""
    content_start: int | None = None
    content_length: int | None = None


_EXISTING = "SELECT id FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
_COLUMNS = ", ".join({"text": "own_text"}.get(name, name) for name in Chunk._fields)


@dataclass(frozen=True, slots=True)
class PendingText:
    """A chunk that has no vector yet."""

    chunk_id: int
    text: str
    attempts: int
    store: str = "private"


def insert_chunks(connection: apsw.Connection, chunks: Sequence[Chunk]) -> None:
    """Insert chunks, index their words and queue their vectors.

    No trigger does this, because each of its rows would make FTS5 write what it has gathered so far.
    """
    if not chunks:
        return
    first = int(connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'chunks'").get) + 1
    connection.executemany(
        f"INSERT INTO chunks (id, {_COLUMNS}) VALUES (?{', ?' * len(Chunk._fields)})",
        [
            (number, *(chunk if chunk.content_start is None else chunk._replace(text="")))
            for number, chunk in enumerate(chunks, first)
        ],
    )
    connection.executemany(
        "INSERT INTO chunk_lengths (chunk_id, words) VALUES (?, ?)",
        [(number, count_words(chunk.text) + count_words(chunk.grams)) for number, chunk in enumerate(chunks, first)],
    )
    # One statement each: other threads of Python then run all the while.
    connection.execute(
        "INSERT INTO chunks_fts (rowid, text, grams) SELECT id, text, grams FROM chunk_texts WHERE id >= ?",
        (first,),
    )
    connection.execute(
        f"INSERT INTO pending_vectors (chunk_id) SELECT id FROM chunks NOT INDEXED WHERE id >= ? AND {HAS_VECTOR}",
        (first,),
    )


def delete_chunks(
    connection: apsw.Connection, where: str, values: Sequence[object], limit: int | None = None
) -> dict[str, int]:
    """Delete chunks with their words and lengths, and their vectors of every generation.

    Args:
        connection: The writer's connection.
        where: SQL condition of the chunks.
        values: Its values.
        limit: The most chunks to delete; ``None`` deletes all of them.

    Returns:
        The number of deleted rows by table, empty if no chunk was deleted.
    """
    # A trigger deletes the words, and the foreign keys of lengths and queued vectors delete those.
    if limit is None:
        sql, values = f"DELETE FROM chunks WHERE {where} RETURNING id", tuple(values)
    else:
        sql = f"DELETE FROM chunks WHERE id IN (SELECT id FROM chunks WHERE {where} LIMIT ?) RETURNING id"
        values = (*values, limit)
    ids = [int(str(row[0])) for row in connection.execute(sql, values).fetchall()]
    return {"chunks": len(ids), "vectors": vector_repo.delete_vectors(connection, ids)} if ids else {}


def delete_of_session(connection: apsw.Connection, session_id: str, limit: int | None = None) -> dict[str, int]:
    """Delete chunks of a session's messages; memories that came from it keep theirs. See ``delete_chunks``."""
    return delete_chunks(connection, "session_id = ? AND kind IN ('message', 'passage')", (session_id,), limit)


def delete_of_memory(connection: apsw.Connection, memory_id: str, limit: int | None = None) -> dict[str, int]:
    """Delete chunks of a memory; see ``delete_chunks``."""
    return delete_chunks(connection, "memory_id = ?", (memory_id,), limit)


def indexed_messages(connection: apsw.Connection, session_id: str, first: int, last: int) -> set[int]:
    """Return which messages of a session, from ``first`` to ``last``, have a chunk."""
    rows = connection.execute(
        "SELECT seq_start FROM chunks WHERE session_id = ? AND kind = 'message' AND seq_start BETWEEN ? AND ?",
        (session_id, first, last),
    )
    return {int(str(row[0])) for row in rows}


def pending_texts(connection: apsw.Connection, now_ms: int, limit: int) -> list[PendingText]:
    """Return due chunks without a vector, newest first, so that new messages are found first."""
    rows = connection.execute(
        "SELECT p.chunk_id, c.text, p.attempts, c.store"
        " FROM pending_vectors p CROSS JOIN chunk_texts c ON c.id = p.chunk_id"
        f" WHERE p.retry_at <= ? AND {NOT_HIDDEN} ORDER BY p.chunk_id DESC LIMIT ?",
        (now_ms, limit),
    )
    return [PendingText(*row) for row in rows]


def pending_count(connection: apsw.Connection) -> int:
    """Return how many chunks wait for a vector, withheld and hidden ones left out."""
    waiting = connection.execute("SELECT count(*) FROM pending_vectors WHERE retry_at < ?", (NEVER,)).get
    if not waiting or connection.execute("SELECT 1 FROM session_moves WHERE is_leaving = 1").get is None:
        return int(waiting)
    # From the queue, because a hidden session may have far more chunks than wait.
    hidden = connection.execute(
        "SELECT count(*) FROM pending_vectors p CROSS JOIN chunks c ON c.id = p.chunk_id"
        f" WHERE p.retry_at < ? AND NOT {NOT_HIDDEN}",
        (NEVER,),
    ).get
    return int(waiting) - int(hidden)


def chunk_count(connection: apsw.Connection) -> int:
    """Return how many chunks have a vector or wait for one."""
    return int(connection.execute(f"SELECT count(*) FROM chunks WHERE {HAS_VECTOR}").get)


def agents_of(connection: apsw.Connection, sessions: Iterable[str]) -> dict[str, str]:
    """Return the agents of sessions by session id."""
    sql = "SELECT id, agent FROM sessions WHERE id IN (SELECT value FROM json_each(?))"
    return {str(row[0]): str(row[1]) for row in connection.execute(sql, (json.dumps(list(sessions)),))}


def current_vectors(
    connection: apsw.Connection, texts: Sequence[PendingText], vectors: Sequence[bytes]
) -> list[tuple[int, bytes]]:
    """Return the vectors of chunks that are still there, by chunk id.

    The text of a chunk never changes, and no id is given twice.
    """
    wanted = json.dumps([text.chunk_id for text in texts])
    current = {row[0] for row in connection.execute(_EXISTING, (wanted,))}
    return [(text.chunk_id, blob) for text, blob in zip(texts, vectors, strict=True) if text.chunk_id in current]


def postpone(connection: apsw.Connection, chunk_ids: Sequence[int], retry_ms: int, error: str) -> None:
    """Record that vectors could not be made; they are due again at ``retry_ms``."""
    connection.executemany(
        "UPDATE pending_vectors SET attempts = attempts + 1, retry_at = ? WHERE chunk_id = ?",
        [(retry_ms, chunk_id) for chunk_id in chunk_ids],
    )
    connection.executemany("UPDATE chunks SET error = ? WHERE id = ?", [(error, chunk_id) for chunk_id in chunk_ids])
    connection.executemany(
        "UPDATE messages SET embedding_error = ? WHERE (session_id, seq) ="
        " (SELECT session_id, seq_start FROM chunks WHERE id = ? AND kind = 'message')",
        [(error, chunk_id) for chunk_id in chunk_ids],
    )


def retry_now(connection: apsw.Connection) -> None:
    """Make all chunks due that failed and wait for another attempt."""
    connection.execute(
        "UPDATE pending_vectors SET attempts = 0, retry_at = 0 WHERE retry_at > 0 AND retry_at < ?", (NEVER,)
    )


def note_embedded(connection: apsw.Connection, chunk_ids: Iterable[int]) -> None:
    """Clear the embedding errors of chunks and of their messages."""
    wanted = json.dumps(list(chunk_ids))
    connection.execute(
        "UPDATE chunks SET error = NULL WHERE id IN (SELECT value FROM json_each(?)) AND error IS NOT NULL", (wanted,)
    )
    connection.execute(
        "UPDATE messages SET embedding_error = NULL WHERE embedding_error IS NOT NULL AND (session_id, seq) IN"
        " (SELECT c.session_id, c.seq_start FROM json_each(?) e CROSS JOIN chunks c ON c.id = e.value"
        " WHERE c.kind = 'message')",
        (wanted,),
    )


def sessions_without_passages(connection: apsw.Connection, limit: int) -> list[tuple[str, int]]:
    """Return sessions with messages after their last passage, each with the last message covered."""
    rows = connection.execute(
        "SELECT t.session_id, t.passage_seq FROM session_state t CROSS JOIN sessions s ON s.id = t.session_id"
        " WHERE t.last_seq > t.passage_seq AND s.forgotten_at IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM session_moves v WHERE v.session_id = t.session_id) LIMIT ?",
        (limit,),
    )
    return [(row[0], row[1]) for row in rows]


def delete_last_passage(connection: apsw.Connection, session_id: str) -> None:
    """Delete a session's last passage, which may grow.

    The passages of one long message are deleted together.
    """
    of_session = "session_id = ? AND kind = 'passage'"
    last = f"seq_start = (SELECT max(seq_start) FROM chunks WHERE {of_session})"
    delete_chunks(connection, f"{of_session} AND {last}", (session_id, session_id))


def last_passage(connection: apsw.Connection, session_id: str) -> tuple[int, int, str] | None:
    """Return the first and last sequence number and the text of a session's last passage."""
    row = connection.execute(
        "SELECT seq_start, seq_end, own_text FROM chunks WHERE session_id = ? AND kind = 'passage'"
        " ORDER BY seq_start DESC, id DESC LIMIT 1",
        (session_id,),
    ).fetchone()
    return None if row is None else (row[0], row[1], row[2])


def reset_passages(connection: apsw.Connection, session_id: str) -> None:
    """Record that no message of a session has a passage."""
    connection.execute("UPDATE session_state SET passage_seq = 0 WHERE session_id = ?", (session_id,))


def note_passages(connection: apsw.Connection, session_id: str, seq: int | None) -> None:
    """Record that passages cover a session up to the message ``seq``; ``None`` for all messages."""
    connection.execute(
        "UPDATE session_state SET passage_seq = coalesce(?, last_seq) WHERE session_id = ?", (seq, session_id)
    )
