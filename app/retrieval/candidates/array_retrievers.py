"""The legs of the learned recipe: they go deep, and say of what they find only which chunks and how well."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import apsw
import numpy as np

from app.index.columns.chunk_columns import ChunkColumnCache
from app.index.columns.chunk_lengths import last_chunk
from app.index.columns.index_cache import IndexCache
from app.index.vectors.vector_repo import Generation
from app.retrieval.candidates.filters import ChunkFilter
from app.retrieval.candidates.lexical import best_matches, find_matches
from app.retrieval.candidates.list_retrievers import nearest_ids
from app.retrieval.candidates.scored_chunks import ScoredChunks
from app.retrieval.query.match_expression import Atom

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.retrieval.candidates.prefetch import NeighbourIndex

    Floats = NDArray[np.float32]


def lexical_scores(
    connection: apsw.Connection, index_cache: IndexCache, match: str, where: ChunkFilter, depth: int
) -> ScoredChunks:
    """Return chunks of every kind, passages of several turns too, whose words match, best BM25 first."""
    rows = connection.execute(
        "SELECT c.id, -bm25(chunks_fts) AS score FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid"
        f" WHERE chunks_fts MATCH ? AND {where.sql} ORDER BY score DESC, c.id DESC LIMIT ?",
        (match, *where.values, depth),
    )
    found: list[tuple[int, float]] = [(row[0], row[1]) for row in rows]
    ids, values = [chunk for chunk, _ in found], [score for _, score in found]
    columns = index_cache.columns(connection, last_chunk(connection))
    return ScoredChunks(columns, np.array(ids, dtype=np.int64), np.array(values, dtype=np.float64))


def cached_lexical_scores(
    connection: apsw.Connection,
    index_cache: IndexCache,
    atoms: Sequence[Atom],
    unwanted: str | None,
    where: ChunkFilter,
    depth: int,
) -> ScoredChunks:
    """Return what ``lexical_scores`` returns for any of ``atoms``, in a large index sooner."""
    matches = find_matches(connection, index_cache, atoms)
    return ScoredChunks(matches.columns, *best_matches(connection, matches, unwanted, where, depth), matches)


def vector_scores(
    connection: apsw.Connection,
    index_cache: IndexCache,
    generation: Generation,
    vector: bytes,
    where: ChunkFilter,
    depth: int,
    ann_cache: "NeighbourIndex | None" = None,
) -> ScoredChunks:
    """Return the nearest chunks, best cosine first."""
    columns = index_cache.columns(connection, last_chunk(connection))
    return ScoredChunks(columns, *nearest_ids(connection, columns, generation, vector, where, depth, ann_cache))


def vectors_by_id(connection: apsw.Connection, generation: Generation, ids: "NDArray[np.integer[Any]]") -> "Floats":
    """Return the vectors of chunks, a row each, of zeros for a chunk that has none."""
    places: dict[int, list[int]] = {}
    for row, chunk in enumerate(ids.tolist()):
        places.setdefault(chunk, []).append(row)
    found = connection.execute(
        f"SELECT v.chunk_id, v.embedding FROM json_each(?) wanted CROSS JOIN {generation.table} v"
        " WHERE v.chunk_id = wanted.value",
        (json.dumps([*places]),),
    )
    vectors = np.zeros((len(ids), generation.dimensions), dtype=np.float32)
    for chunk, vector in found:
        vectors[places[int(str(chunk))]] = np.frombuffer(cast("bytes", vector), dtype="<f4")
    return vectors


def empty_scores() -> ScoredChunks:
    """Return what a leg finds that has nothing to look for."""
    return ScoredChunks(ChunkColumnCache().known, np.zeros(0, dtype=np.int64), np.zeros(0))
