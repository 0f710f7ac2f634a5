"""SQL for the learned recipe: deep scores of words and vectors, and the turns around the candidates."""

import json
from collections.abc import Iterable, Sequence

import apsw

from app.index.vectors import Generation, nearest
from app.retrieval.candidates import Conditions
from app.retrieval.pool import Line, Scored

READ_CHARACTERS = 4_000
"""How much of a text the features read."""


_SCORED = "c.id, c.kind, coalesce(c.session_id, ''), coalesce(c.memory_id, ''), c.seq_start, c.seq_end, c.created_at"


def words_deep(connection: apsw.Connection, match: str, where: Conditions, depth: int) -> list[Scored]:
    """Return chunks of every kind, passages of several turns too, whose words match, best BM25 first."""
    rows = connection.execute(
        f"SELECT {_SCORED}, -bm25(chunks_fts) AS score FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid"
        f" WHERE chunks_fts MATCH ? AND {where.sql} ORDER BY score DESC, c.id DESC LIMIT ?",
        (match, *where.values, depth),
    )
    return [Scored(*row) for row in rows]


def vectors_deep(
    connection: apsw.Connection, generation: Generation, vector: bytes, where: Conditions, depth: int, named: int
) -> tuple[list[Scored], dict[int, float]]:
    """Return the ``named`` nearest chunks, best first, and the cosine of the ``depth`` nearest by chunk id."""
    subset = (f"SELECT c.id FROM chunks c WHERE {where.sql}", where.values) if where.narrows else None
    scores = dict(nearest(connection, generation, vector, depth, subset))
    rows = connection.execute(
        f"SELECT {_SCORED} FROM chunks c WHERE c.id IN (SELECT value FROM json_each(?)) AND {where.sql}",
        (json.dumps(list(scores)[:named]), *where.values),
    )
    found = [Scored(*row, scores[row[0]]) for row in rows]
    found.sort(key=lambda item: (-item.score, -item.chunk_id))
    return [item for item in found if not item.spans], scores


def turns_around(
    connection: apsw.Connection, spans: Sequence[tuple[str, int, int]], where: Conditions
) -> list[Line]:
    """Return the turns, and the pieces of long turns, in the ``spans`` of (session, first seq, last seq)."""
    rows = connection.execute(
        "WITH wanted (session, low, high) AS (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))"
        " SELECT c.id, c.kind, c.session_id, c.seq_start, c.created_at, c.role,"
        " CASE c.kind WHEN 'message' THEN (SELECT m.author FROM messages m WHERE m.session_id = c.session_id"
        f" AND m.seq = c.seq_start) ELSE '' END, CASE c.kind WHEN 'message' THEN substr(c.text, 1, {READ_CHARACTERS})"
        f" ELSE '' END, {where.sql}"
        " FROM wanted w CROSS JOIN chunks c WHERE c.session_id = w.session AND c.kind IN ('message', 'passage')"
        " AND c.seq_start BETWEEN w.low AND w.high AND c.seq_start = c.seq_end",
        (json.dumps(spans), *where.values),
    )
    return [Line(*row[:6], row[6] or "", row[7], bool(row[8])) for row in rows]


def pieces_of(connection: apsw.Connection, memories: Iterable[str]) -> list[Line]:
    """Return the pieces of memories."""
    rows = connection.execute(
        "SELECT c.id, c.kind, c.memory_id, c.seq_start, c.created_at, c.role, '',"
        f" substr(c.text, 1, {READ_CHARACTERS}), 1"
        " FROM chunks c WHERE c.memory_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(memories)),),
    )
    return [Line(*row[:8], bool(row[8])) for row in rows]


def frequencies(connection: apsw.Connection, expressions: Sequence[str]) -> tuple[int, list[int]]:
    """Return about how many chunks there are, and how many match each FTS expression."""
    total = connection.execute("SELECT coalesce(max(id), 0) FROM chunks").get
    sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?"
    return int(total), [int(connection.execute(sql, (expression,)).get) for expression in expressions]
