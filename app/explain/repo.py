"""SQL of explanations: an item's state, failed operators and exact rank in each retriever."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import apsw

from app.core import message_ids
from app.core.clock import to_datetime
from app.core.message_ids import MessageRef
from app.core.process.lazy_module import LazyModule
from app.core.stores import STORES, sees_all
from app.core.text_rules.recall_fence import without_recalled
from app.explain.model import Stage
from app.index.vectors.vector_repo import Generation
from app.memories import repo
from app.memories.archive import archive_repo
from app.retrieval.candidates.filters import SINGLE, TARGET, ChunkFilter, clause_filter
from app.retrieval.model import Query, Term
from app.retrieval.operators import query_clauses
from app.retrieval.query.match_expression import match_expression, quote

if TYPE_CHECKING:
    from app.store import vector_bytes
else:
    vector_bytes = LazyModule("app.store.vector_bytes")  # loads numpy


@dataclass(frozen=True, slots=True)
class ExplainedItem:
    """Item to explain: a message or memory, present or past.

    Args:
        stage: Stage that removed it before any search, ``None`` where it can be found.
        chunks: Its chunk ids.
        waiting: Number of its chunks without a vector yet.
        text: Its text.
        title: Its title, or its session's.
        kind: ``message`` or the memory's kind.
    """

    id: str
    stage: Stage | None
    chunks: tuple[int, ...] = ()
    waiting: int = 0
    text: str = ""
    title: str = ""
    kind: str = "message"


def find_item(connection: apsw.Connection, target: str, stores: Sequence[str]) -> ExplainedItem | None:
    """Return an item, ``None`` where the caller may not see it."""
    ref = message_ids.parse(target) if sees_all(stores) else None
    message = None if ref is None else _message(connection, ref)
    if message is not None:
        return message
    memory = repo.get(connection, target, stores=stores)
    if memory is None:
        archived = archive_repo.get(connection, target, stores)
        return None if archived is None else ExplainedItem(target, "archived", kind=archived[0].kind)
    if memory.deleted_at is not None:
        return ExplainedItem(target, "deleted", title=memory.title, kind=memory.kind)
    text = "\n".join([memory.title, memory.content, *memory.facts])
    where = "c.memory_id = ? AND c.kind = 'memory'"
    return _indexed(
        connection, ExplainedItem(target, None, text=text, title=memory.title, kind=memory.kind), where, (target,)
    )


def first_message(connection: apsw.Connection, session: str, stores: Sequence[str]) -> str | None:
    """Return the id of a conversation's first message, ``None`` without one."""
    if not sees_all(stores):
        return None
    row = connection.execute("SELECT min(seq) FROM messages WHERE session_id = ?", (session,)).fetchone()
    return None if row is None or row[0] is None else f"{session}#{row[0]}"


def _message(connection: apsw.Connection, ref: MessageRef) -> ExplainedItem | None:
    row = connection.execute(
        "SELECT m.content, s.title, s.forgotten_at FROM messages m JOIN sessions s ON s.id = m.session_id"
        " WHERE m.session_id = ? AND m.seq = ?",
        (ref.session, ref.seq),
    ).fetchone()
    if row is None:
        return None
    content, title, forgotten = row
    if forgotten is not None:
        return ExplainedItem(str(ref), "forgotten", title=str(title))
    item = ExplainedItem(str(ref), None, text=without_recalled(str(content)), title=str(title))
    where = f"c.session_id = ? AND c.kind <> 'memory' AND {SINGLE} AND c.seq_start = ?"
    return _indexed(connection, item, where, (ref.session, ref.seq))


def _indexed(connection: apsw.Connection, item: ExplainedItem, where: str, values: Sequence[object]) -> ExplainedItem:
    rows = connection.execute(
        "SELECT c.id, EXISTS (SELECT 1 FROM pending_vectors p WHERE p.chunk_id = c.id), c.text <> '' FROM chunk_texts c"
        f" WHERE {where} ORDER BY c.id",
        tuple(values),
    ).fetchall()
    stage: Stage | None = None if any(row[2] for row in rows) else "unindexed"
    chunks = tuple(int(str(row[0])) for row in rows)
    return ExplainedItem(item.id, stage, chunks, sum(bool(row[1]) for row in rows), item.text, item.title, item.kind)


# Operators --------------------------------------------------------------------------------------------------------


def failed_operators(connection: apsw.Connection, query: Query, item: ExplainedItem) -> list[str]:
    """Return the operators of ``query`` that ``item`` fails, as typed."""
    return [typed for typed, where in _operators(query) if not _passes(connection, where, item)]


def _operators(query: Query) -> Iterator[tuple[str, ChunkFilter]]:
    """Yield each operator as typed, with a filter of it alone; alternatives count as one."""
    for clause in query_clauses(query):
        typed = " ".join(_typed(clause.operator.name, value) for value in clause.values)
        yield "-" * clause.is_excluded + typed, clause_filter(STORES, (clause,))
    if query.since is not None:
        yield f"after:{_day(query.since)}", clause_filter(STORES, since=query.since)
    if query.until is not None:
        yield f"before:{_day(query.until)}", clause_filter(STORES, until=query.until)


def _day(at_ms: int) -> str:
    return f"{to_datetime(at_ms).astimezone():%Y-%m-%d}"


def _typed(name: str, value: str) -> str:
    return f'{name}:"{value}"' if " " in value else f"{name}:{value}"


def _passes(connection: apsw.Connection, where: ChunkFilter, item: ExplainedItem) -> bool:
    row = connection.execute(
        f"SELECT 1 FROM chunks c WHERE c.id IN (SELECT value FROM json_each(?)) AND {where.sql} LIMIT 1",
        (json.dumps(item.chunks), *where.values),
    ).fetchone()
    return row is not None


# Words ------------------------------------------------------------------------------------------------------------


def has_term(connection: apsw.Connection, term: Term, item: ExplainedItem) -> bool:
    """Tell whether an item matches a term of the query."""
    match = match_expression([Term(term.text, term.phrase, term.prefix)], "all", drop_stop_words=False)
    if match is None:
        return False
    sql = "SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid = ? LIMIT 1"
    return any(connection.execute(sql, (match, chunk)).fetchone() for chunk in item.chunks)


def rarest(connection: apsw.Connection, words: Sequence[str], most: int) -> list[str]:
    """Return the words with the lowest document frequency, rarest first."""
    sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?"
    counts = [int(connection.execute(sql, (quote(word),)).get) for word in words]
    ordered = sorted(zip(counts, words, strict=True), key=lambda pair: (pair[0], pair[1]))
    return [word for count, word in ordered if count][:most]


# Legs -------------------------------------------------------------------------------------------------------------


def lexical_rank(
    connection: apsw.Connection, match: str, where: ChunkFilter, target: str
) -> tuple[int | None, float | None, int]:
    """Return an item's BM25 rank, its BM25, and the number of matches."""
    scored = "SELECT rowid AS chunk, -bm25(chunks_fts) AS score FROM chunks_fts WHERE chunks_fts MATCH ?"
    return _place(connection, scored, (match,), where, target)


def vector_rank(
    connection: apsw.Connection, generation: Generation, vector: bytes, where: ChunkFilter, target: str
) -> tuple[int | None, float | None, int]:
    """Return an item's cosine rank, its cosine, and the number of items with a vector."""
    scored = (
        f"SELECT chunk_id AS chunk, 1.0 - vec_distance_cosine(embedding, vec_int8(?)) AS score FROM {generation.table}"
    )
    return _place(connection, scored, (vector_bytes.as_stored(vector),), where, target)


def _place(
    connection: apsw.Connection, scored: str, values: Sequence[Any], where: ChunkFilter, target: str
) -> tuple[int | None, float | None, int]:
    row = connection.execute(
        f"WITH scored AS MATERIALIZED ({scored}), best AS MATERIALIZED (SELECT {TARGET} AS target,"
        " max(scored.score) AS score FROM scored JOIN chunks c ON c.id = scored.chunk"
        f" WHERE scored.score IS NOT NULL AND {SINGLE} AND {where.sql} GROUP BY 1),"
        " mine AS (SELECT score FROM best WHERE target = ?)"
        " SELECT (SELECT score FROM mine), (SELECT count(*) FROM best WHERE score > (SELECT score FROM mine)),"
        " (SELECT count(*) FROM best)",
        (*values, *where.values, target),
    ).fetchone()
    score, better, of = row or (None, 0, 0)
    return (None, None, int(str(of))) if score is None else (int(str(better)) + 1, float(str(score)), int(str(of)))
