"""Nearest neighbours by vectors, with a filter, and the vectors of chunks."""

import json
import math
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Final, cast

import apsw
import numpy as np

from app.errors import InputError
from app.index.vectors.vector_repo import Generation, nearest
from app.retrieval.candidates.filter_check import passes_filter
from app.retrieval.candidates.filters import ChunkFilter, small_match_set
from app.retrieval.candidates.scored_chunks import ScoredChunks
from app.retrieval.request import NeighbourIndex
from app.retrieval.snapshot import SearchSnapshot
from app.sentence import Sentence
from app.store.vector_bytes import decode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.retrieval.request import Allowed, Neighbours

    Scores = tuple[NDArray[np.int64], NDArray[Any]]

_FEW_PASS: Final = 30
_SPARE: Final = 3
_MOST_SPARE: Final = 40


def nearest_chunks(
    snapshot: SearchSnapshot,
    generation: Generation,
    vector: bytes,
    where: ChunkFilter,
    depth: int,
    ann_cache: NeighbourIndex | None = None,
) -> ScoredChunks:
    """Return the nearest chunks that satisfy ``where`` with their cosine, best first.

    Args:
        snapshot: The index.
        generation: Vectors to compare.
        vector: The query, float32 little-endian.
        where: Filter of the chunks.
        depth: Number of chunks at most.
        ann_cache: Neighbour index, if any.
    """
    cached = None if ann_cache is None else _from_ann_cache(snapshot, generation, vector, where, depth, ann_cache)
    if cached is None:
        is_whole = not where.is_restrictive and where.mask is None
        subset = None if is_whole else (f"SELECT c.id FROM chunks c WHERE {where.sql}", where.values)
        scores = nearest(snapshot.connection, generation, vector, depth, subset)
        ids = np.array([chunk for chunk, _ in scores], dtype=np.int64)
        cached = _filtered(snapshot, (ids, np.array([score for _, score in scores])), where)
    return ScoredChunks(snapshot.columns, cached[0][:depth], cached[1][:depth])


def first_depth(depth: int) -> int:
    """Return the number of neighbours to request first so that ``depth`` remain after filtering."""
    return depth * _SPARE


def _from_ann_cache(
    snapshot: SearchSnapshot,
    generation: Generation,
    vector: bytes,
    where: ChunkFilter,
    depth: int,
    ann_cache: NeighbourIndex,
) -> "Scores | None":
    scores = ann_cache.nearest(generation, vector, first_depth(depth), where.mask)
    if scores is None:
        return None
    filtered = _filtered(snapshot, scores, where)
    if len(filtered[0]) >= depth or len(scores[0]) < first_depth(depth):
        return filtered
    few = small_match_set(snapshot.connection, where) if len(filtered[0]) * _FEW_PASS < len(scores[0]) else None
    if few is None:
        scores = ann_cache.nearest(generation, vector, depth * _MOST_SPARE, where.mask)
    else:
        mask = np.zeros(max(few, default=0) + 1, dtype=np.bool_)
        mask[few] = True
        scores = ann_cache.nearest(generation, vector, depth, mask)
    return None if scores is None else _filtered(snapshot, scores, where)


def _filtered(snapshot: SearchSnapshot, scores: "Scores", where: ChunkFilter) -> "Scores":
    ids, values = scores
    known = np.flatnonzero(ids < len(snapshot.columns.exists))
    kept = known[passes_filter(snapshot, ids[known], where)]
    order = np.lexsort((-ids[kept], -values[kept]))
    return ids[kept[order]], values[kept[order]].astype(np.float64)


class PrefetchedNeighbours:
    """Nearest neighbours that a thread begins to search for at once.

    Args:
        ann_cache: The neighbour index.
        generation, vector, k, allowed: Arguments of the search to prefetch.
    """

    def __init__(
        self, ann_cache: NeighbourIndex, generation: Generation, vector: bytes, k: int, allowed: "Allowed | None"
    ) -> None:
        self._ann_cache = ann_cache
        self._query = (generation, vector, k)
        self._allowed = allowed
        self._found: Future[Neighbours | None] = Future()
        threading.Thread(target=self._look, name="keepsake-near", daemon=True).start()

    def nearest(
        self, generation: Generation, vector: bytes, k: int, allowed: "Allowed | None" = None
    ) -> "Neighbours | None":
        """Return the prefetched neighbours, or search again for other arguments; see ``NeighbourIndex``."""
        if (generation, vector, k) == self._query and allowed is self._allowed:
            return self._found.result()
        return self._ann_cache.nearest(generation, vector, k, allowed)

    def _look(self) -> None:
        try:
            self._found.set_result(self._ann_cache.nearest(*self._query, self._allowed))
        except BaseException as error:  # noqa: BLE001  (raised again in the caller)
            self._found.set_exception(error)


def unit_vector(embedding: Sequence[float], dimensions: int) -> bytes:
    """Return a caller's vector as unit-length, little-endian float32 bytes.

    Raises:
        InputError: It has another number of dimensions, or no direction.
    """
    vector = np.array(embedding, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if len(vector) != dimensions or not 0 < length < math.inf:
        raise InputError(
            Sentence(
                "'query_embedding' must be {dimensions} finite numbers, not all 0, by the model of the index.",
                dimensions=dimensions,
            ),
            field="query_embedding",
            allowed=dimensions,
        )
    return (vector / length).astype("<f4").tobytes()


def vectors_by_id(
    connection: apsw.Connection, generation: Generation, ids: "NDArray[np.integer[Any]]"
) -> "NDArray[np.float32]":
    """Return the vectors of chunks, one row each; zeros where a chunk has no vector."""
    places: dict[int, list[int]] = {}
    for row, chunk in enumerate(ids.tolist()):
        places.setdefault(chunk, []).append(row)
    cursor = connection.execute(
        f"SELECT v.chunk_id, v.embedding FROM json_each(?) wanted CROSS JOIN {generation.table} v"
        " WHERE v.chunk_id = wanted.value",
        (json.dumps([*places]),),
    )
    vectors = np.zeros((len(ids), generation.dimensions), dtype=np.float32)
    stored = cursor.fetchall()
    rows = decode([cast("bytes", vector) for _, vector in stored], generation.dimensions)
    for (chunk, _), row in zip(stored, rows, strict=True):
        vectors[places[int(str(chunk))]] = row
    return vectors
