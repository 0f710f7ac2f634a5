"""Deduplication of passages: a text that long messages repeat is indexed once.

An agent that repeats the same output or instructions would otherwise fill the index with copies. The chunk of each
message itself is always kept, so every message is found by its words, with its own time and role.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import apsw

from app.index import repo
from app.index.repo import Chunk


def insert_passages(connection: apsw.Connection, passages: Sequence[Chunk]) -> None:
    """Insert passages of one session; a piece that exists already is only extended.

    The last piece of a message is always inserted, because the next passage continues from it.

    Args:
        connection: The writer's connection.
        passages: Passages in order; a long message has several with its sequence number.
    """
    fresh: dict[str, Chunk] = {}
    again: list[Chunk] = []
    chunks: list[Chunk] = []
    for passage, is_piece in _pieces_marked(passages):
        if is_piece and (passage.content_hash in fresh or _is_stored(connection, passage)):
            again.append(passage)
            continue
        chunks.append(passage)
        if passage.seq_start == passage.seq_end:
            fresh[passage.content_hash] = passage
    repo.insert_chunks(connection, chunks)
    # The plus sign keeps SQLite from scanning all passages by sequence number.
    connection.executemany(
        "UPDATE chunks SET seq_last = ?1 WHERE session_id = ?2 AND content_hash = ?3 AND kind = 'passage'"
        " AND seq_start = seq_end AND +seq_start < ?1",
        [(passage.seq_end, passage.session_id, passage.content_hash) for passage in again],
    )


def _pieces_marked(passages: Sequence[Chunk]) -> Iterator[tuple[Chunk, bool]]:
    """Yield each passage with whether another piece of the same message follows."""
    for passage, following in pairwise(passages):
        yield passage, passage.seq_start == following.seq_start
    if passages:
        yield passages[-1], False


def _is_stored(connection: apsw.Connection, passage: Chunk) -> bool:
    row = connection.execute(
        "SELECT 1 FROM chunks WHERE session_id = ? AND content_hash = ? AND kind = 'passage' AND seq_start = seq_end"
        " LIMIT 1",
        (passage.session_id, passage.content_hash),
    ).fetchone()
    return row is not None
