"""Retrievers that give lists of candidates: by words, by vector, or the newest."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import apsw

from app.index.vectors.vector_repo import Generation, nearest
from app.retrieval.candidates.filters import ChunkFilter, small_match_set
from app.retrieval.candidates.model import Candidate
from app.retrieval.query.match_expression import Atom

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.index.columns.chunk_columns import ChunkColumns
    from app.index.columns.index_cache import IndexCache
    from app.retrieval.candidates.prefetch import NeighbourIndex

    Found = tuple[NDArray[np.int64], NDArray[Any]]


# A passage that spans turns only lends context; one inside a long turn stands for that turn.
_SINGLE = "(c.kind <> 'passage' OR c.seq_start = c.seq_end)"
_FIELDS = "c.id, c.kind, c.session_id, c.memory_id, c.seq_start, c.created_at"
_FEW_PASS = 30
_SPARE = 3
_MOST_SPARE = 40


def lexical_candidates(connection: apsw.Connection, match: str, where: ChunkFilter, depth: int) -> list[Candidate]:
    """Return candidates whose words match the FTS expression ``match``, best BM25 first."""
    rows = connection.execute(
        f"SELECT {_FIELDS}, -bm25(chunks_fts) AS score FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid"
        f" WHERE chunks_fts MATCH ? AND {_SINGLE} AND {where.sql} ORDER BY score DESC, c.id DESC LIMIT ?",
        (match, *where.values, depth),
    )
    return _best_of_each([Candidate(row[0], _target(row), row[5], row[6]) for row in rows])


def cached_lexical_candidates(
    connection: apsw.Connection,
    index_cache: "IndexCache",
    atoms: Sequence[Atom],
    unwanted: str | None,
    where: ChunkFilter,
    depth: int,
) -> list[Candidate]:
    """Return what ``lexical_candidates`` returns for any of ``atoms``, in a large index sooner."""
    from app.retrieval.candidates.lexical import best_matches, find_matches  # noqa: PLC0415  (numpy waits for the first search)

    matches = find_matches(connection, index_cache, atoms)
    columns = matches.columns
    single = (columns.more == 0) | ~columns.where(slice(None), [sort.kind == "passage" for sort in columns.types])
    ids, scores = best_matches(connection, matches, unwanted, where, depth, single)
    return _best_of_each(_candidates(columns, ids.tolist(), scores.tolist()))


def vector_candidates(
    connection: apsw.Connection,
    index_cache: "IndexCache",
    generation: Generation,
    vector: bytes,
    where: ChunkFilter,
    depth: int,
    ann_cache: "NeighbourIndex | None" = None,
) -> list[Candidate]:
    """Return candidates nearest to ``vector``, best cosine first.

    Args:
        connection: A reader.
        index_cache: Knows whose chunks are.
        generation: Whose vectors.
        vector: The query, float32 little-endian.
        where: What chunks must satisfy.
        depth: Candidates at most.
        ann_cache: Answers sooner, where there is one.
    """
    from app.index.columns.chunk_lengths import last_chunk  # noqa: PLC0415  (numpy waits for the first search)

    columns = index_cache.columns(connection, last_chunk(connection))
    ids, scores = nearest_ids(connection, columns, generation, vector, where, depth, ann_cache)
    return _best_of_each(_candidates(columns, ids.tolist(), scores.tolist()))


def _candidates(columns: "ChunkColumns", ids: Sequence[int], scores: Sequence[float]) -> list[Candidate]:
    return [
        Candidate(chunk, columns.target(chunk), int(columns.created[chunk]), score)
        for chunk, score in zip(ids, scores, strict=True)
    ]


def nearest_ids(
    connection: apsw.Connection,
    columns: "ChunkColumns",
    generation: Generation,
    vector: bytes,
    where: ChunkFilter,
    depth: int,
    ann_cache: "NeighbourIndex | None" = None,
) -> "Found":
    """Return the nearest chunks that satisfy ``where`` with their cosine, best first.

    Args:
        connection: A reader.
        columns: Knows which chunks there are.
        generation: Whose vectors.
        vector: The query, float32 little-endian.
        where: What chunks must satisfy.
        depth: Chunks at most.
        ann_cache: Answers sooner, where there is one.
    """
    import numpy as np  # noqa: PLC0415  (waits for the first search)

    found = None if ann_cache is None else _soon(connection, columns, generation, vector, where, depth, ann_cache)
    if found is None:
        subset = (f"SELECT c.id FROM chunks c WHERE {where.sql}", where.values) if where.narrows else None
        scores = nearest(connection, generation, vector, depth, subset)
        ids = np.array([chunk for chunk, _ in scores], dtype=np.int64)
        found = _passing(connection, columns, (ids, np.array([score for _, score in scores])), where)
    return found[0][:depth], found[1][:depth]


def first_depth(depth: int) -> int:
    """Return how many neighbours are asked for first, of which ``depth`` are wanted and some may have gone."""
    return depth * _SPARE


def _soon(
    connection: apsw.Connection,
    columns: "ChunkColumns",
    generation: Generation,
    vector: bytes,
    where: ChunkFilter,
    depth: int,
    ann_cache: "NeighbourIndex",
) -> "Found | None":
    import numpy as np  # noqa: PLC0415  (waits for the first search)

    scores = ann_cache.nearest(generation, vector, first_depth(depth), where.mask)
    if scores is None:
        return None
    found = _passing(connection, columns, scores, where)
    if len(found[0]) >= depth or len(scores[0]) < first_depth(depth):
        return found
    few = small_match_set(connection, where) if len(found[0]) * _FEW_PASS < len(scores[0]) else None
    if few is None:
        scores = ann_cache.nearest(generation, vector, depth * _MOST_SPARE, where.mask)
    else:
        mask = np.zeros(max(few, default=0) + 1, dtype=np.bool_)
        mask[few] = True
        scores = ann_cache.nearest(generation, vector, depth, mask)
    return None if scores is None else _passing(connection, columns, scores, where)


def _passing(connection: apsw.Connection, columns: "ChunkColumns", scores: "Found", where: ChunkFilter) -> "Found":
    import numpy as np  # noqa: PLC0415  (waits for the first search)

    from app.retrieval.candidates.filter_check import passes_filter  # noqa: PLC0415

    ids, values = scores
    known = np.flatnonzero(ids < len(columns.exists))
    kept = known[passes_filter(connection, columns, ids[known], where)]
    order = np.lexsort((-ids[kept], -values[kept]))
    return ids[kept[order]], values[kept[order]].astype(np.float64)


def newest_candidates(connection: apsw.Connection, where: ChunkFilter, depth: int) -> list[Candidate]:
    """Return the newest candidates, for a query of operators alone."""
    rows = connection.execute(
        f"SELECT {_FIELDS} FROM chunks c WHERE c.kind <> 'passage' AND {where.sql}"
        " ORDER BY c.created_at DESC, c.id DESC LIMIT ?",
        (*where.values, depth),
    )
    return _best_of_each([Candidate(row[0], _target(row), row[5], float(row[5])) for row in rows])


def _target(row: Sequence[object]) -> str:
    return str(row[3]) if row[1] == "memory" else f"{row[2]}#{row[4]}"


def _best_of_each(found: Sequence[Candidate]) -> list[Candidate]:
    best: dict[str, Candidate] = {}
    for item in found:
        best.setdefault(item.target, item)
    return list(best.values())
