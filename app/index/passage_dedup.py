"""Passages of a conversation, each text once: what a later long turn says again is indexed where it was said first.

An agent that repeats the same output or instructions every turn would fill words and vectors with copies otherwise. The
chunk of the turn itself is never left out, so each turn is found by its words, with its own time and role.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import apsw

from app.index import repo
from app.index.repo import Chunk


def insert_passages(connection: apsw.Connection, passages: Sequence[Chunk]) -> None:
    """Insert passages of one session; a piece whose text is there already only moves the end of that one on.

    The last piece of a turn is always inserted: from it the next passages go on.

    Args:
        connection: The writer's connection.
        passages: In order; a turn too long for one passage has several with its number.
    """
    fresh: dict[str, Chunk] = {}
    again: list[Chunk] = []
    kept: list[Chunk] = []
    for passage, is_piece in _pieces_marked(passages):
        if is_piece and (passage.content_hash in fresh or _is_said(connection, passage)):
            again.append(passage)
            continue
        kept.append(passage)
        if passage.seq_start == passage.seq_end:
            fresh[passage.content_hash] = passage
    repo.insert_chunks(connection, kept)
    # The plus keeps SQLite from looking through all passages by number.
    connection.executemany(
        "UPDATE chunks SET seq_last = ?1 WHERE session_id = ?2 AND content_hash = ?3 AND kind = 'passage'"
        " AND seq_start = seq_end AND +seq_start < ?1",
        [(passage.seq_end, passage.session_id, passage.content_hash) for passage in again],
    )


def _pieces_marked(passages: Sequence[Chunk]) -> Iterator[tuple[Chunk, bool]]:
    """Yield passages with whether another piece of the same turn follows."""
    for passage, following in pairwise(passages):
        yield passage, passage.seq_start == following.seq_start
    if passages:
        yield passages[-1], False


def _is_said(connection: apsw.Connection, passage: Chunk) -> bool:
    row = connection.execute(
        "SELECT 1 FROM chunks WHERE session_id = ? AND content_hash = ? AND kind = 'passage' AND seq_start = seq_end"
        " LIMIT 1",
        (passage.session_id, passage.content_hash),
    ).fetchone()
    return row is not None
