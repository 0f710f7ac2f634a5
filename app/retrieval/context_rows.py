"""SQL for the learned recipe: deep scores of words and vectors, and the turns around the candidates."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import apsw

from app.index.vectors import Generation
from app.retrieval.asked import Asked
from app.retrieval.candidates import Conditions, nearest_rows
from app.retrieval.fts import Atom
from app.retrieval.pool import MOST, WHOLE, Gathered, Line, Place, Scored, Standing, spans

if TYPE_CHECKING:
    from app.index.ann import Near
    from app.index.postings import Postings

WORDS_DEPTH = 800
VECTOR_DEPTH = 100
MAX_DEPTH = 4_096
READ_CHARACTERS = 4_000
"""How much of a text the features read."""


F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Legs(Generic[F]):
    """How a search reads what each leg finds, and how many; the vector leg costs more the deeper it goes."""

    words: Callable[..., list[F]]
    many: Callable[..., list[F]]
    vector: Callable[..., list[F]]
    words_depth: int
    vector_depth: int


def deep_legs(last: int) -> Legs[Scored]:
    """Return the legs of the learned recipe for a search that shows hits up to number ``last``."""
    vector = VECTOR_DEPTH if last <= MOST else min(last, MAX_DEPTH)
    return Legs(words_deep, words_many, vectors_near, min(max(WORDS_DEPTH, 2 * last), MAX_DEPTH), vector)


_SCORED = "c.id, c.kind, coalesce(c.session_id, ''), coalesce(c.memory_id, ''), c.seq_start, c.seq_end, c.created_at"


def words_deep(connection: apsw.Connection, match: str, where: Conditions, depth: int) -> list[Scored]:
    """Return chunks of every kind, passages of several turns too, whose words match, best BM25 first."""
    rows = connection.execute(
        f"SELECT {_SCORED}, -bm25(chunks_fts) AS score FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid"
        f" WHERE chunks_fts MATCH ? AND {where.sql} ORDER BY score DESC, c.id DESC LIMIT ?",
        (match, *where.values, depth),
    )
    return list(map(Scored._make, rows))


def vectors_near(
    connection: apsw.Connection,
    generation: Generation,
    vector: bytes,
    where: Conditions,
    depth: int,
    near: "Near | None" = None,
) -> list[Scored]:
    """Return the nearest chunks, best cosine first."""
    rows = nearest_rows(connection, generation, vector, where, depth, _SCORED, near)
    return [item for item in map(Scored._make, rows) if not item.spans]


def words_many(
    connection: apsw.Connection,
    postings: "Postings",
    atoms: Sequence[Atom],
    unwanted: str | None,
    where: Conditions,
    depth: int,
) -> list[Scored]:
    """Return what ``words_deep`` returns for any of ``atoms``, in a large index sooner."""
    from app.retrieval.words import best_matching  # noqa: PLC0415  (numpy waits for the first search)

    rows = best_matching(connection, postings, atoms, unwanted, where, _SCORED, depth)
    return list(map(Scored._make, rows))


def turns_around(connection: apsw.Connection, spans: Sequence[tuple[str, int, int]], where: Conditions) -> list[Line]:
    """Return the turns in the ``spans`` of (session, first seq, last seq); those that ``where`` forbids are marked."""
    rows = connection.execute(
        "WITH wanted (session, low, high) AS (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))"
        " SELECT c.id, c.kind, c.session_id, c.seq_start, c.created_at, c.role,"
        " coalesce((SELECT m.author FROM messages m WHERE m.session_id = c.session_id AND m.seq = c.seq_start), ''),"
        f" substr(c.text, 1, {READ_CHARACTERS}), {where.check}"
        " FROM wanted w CROSS JOIN chunks c WHERE c.session_id = w.session AND c.kind = 'message'"
        " AND c.seq_start BETWEEN w.low AND w.high",
        (json.dumps(spans), *where.values),
    )
    return [_line(row) for row in rows]


def pieces_of(connection: apsw.Connection, memories: Sequence[str]) -> list[Line]:
    """Return the pieces of memories."""
    rows = connection.execute(
        "SELECT c.id, c.kind, c.memory_id, c.seq_start, c.created_at, c.role, '',"
        f" substr(c.text, 1, {READ_CHARACTERS}), 1"
        " FROM chunks c WHERE c.memory_id IN (SELECT value FROM json_each(?))",
        (json.dumps(memories),),
    )
    return [_line(row) for row in rows]


def frequencies(
    connection: apsw.Connection, expressions: Sequence[str], postings: "Postings | None" = None
) -> tuple[int, list[int]]:
    """Return about how many chunks there are, and how many match each FTS expression."""
    total = connection.execute("SELECT coalesce(max(id), 0) FROM chunks").get
    if postings is not None:
        return int(total), [postings.count(connection, expression, int(total)) for expression in expressions]
    sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?"
    return int(total), [int(connection.execute(sql, (expression,)).get) for expression in expressions]


def read_around(
    connection: apsw.Connection,
    found: Standing,
    places: Sequence[Place],
    question: Asked,
    where: Conditions,
    postings: "Postings | None" = None,
) -> Gathered:
    """Return the candidates at ``places`` with all that their features need.

    Args:
        connection: A reader.
        found: The scores of what the legs found.
        places: The candidates.
        question: What is asked.
        where: What a turn must satisfy to be an answer.
        postings: Knows how many chunks have a word.
    """
    lines = turns_around(connection, spans(places), where)
    memories = [owner for owner, seq in places if seq == WHOLE]
    lines += pieces_of(connection, memories) if memories else []
    total, counts = frequencies(connection, [sought.expression for sought in question.sought], postings)
    return Gathered(found, places, lines, total, counts)


def _line(row: Sequence[Any]) -> Line:
    return Line._make((*row[:-1], bool(row[-1])))
