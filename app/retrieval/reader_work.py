"""Search functions that run on a reader of the database.

The search service reaches modules that load numpy only through this one. Loading numpy takes a tenth of a second, so
the service does it with its first search, on a thread that reads the database.
"""

import math
from collections.abc import Callable, Sequence

import apsw
import numpy as np

from app.errors import InputError
from app.index.columns.index_cache import IndexCache
from app.retrieval.archive_search import search_unindexed
from app.retrieval.historical_search import search_history
from app.retrieval.model import Found
from app.retrieval.pipeline import run_search
from app.retrieval.ranking.linear_ranker import load_ranker
from app.retrieval.request import Request
from app.retrieval.results.month_counts import count_months
from app.retrieval.snapshot import take_snapshot
from app.retrieval.warmup import preload_frequent_words

__all__ = [
    "IndexCache",
    "count_months",
    "load_columns",
    "load_ranker",
    "preload_frequent_words",
    "run_search",
    "search_texts",
    "take_snapshot",
    "unit_vector",
]


def search_texts(connection: apsw.Connection, request: Request) -> Found:
    """Return what a search of the past or of an unindexed state finds."""
    if request.as_of_ms is not None:
        return search_history(connection, request, request.as_of_ms)
    return search_unindexed(connection, request)


def load_columns(connection: apsw.Connection, index_cache: Callable[[], IndexCache]) -> None:
    """Read the columns of all chunks into the cache."""
    take_snapshot(connection, index_cache())


def unit_vector(embedding: Sequence[float], dimensions: int) -> bytes:
    """Return a caller's vector as unit-length, little-endian float32 bytes.

    Raises:
        InputError: It has another number of dimensions, or no direction.
    """
    vector = np.array(embedding, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if len(vector) != dimensions or not 0 < length < math.inf:
        raise InputError(
            f"'query_embedding' must be {dimensions} finite numbers, not all 0, by the model of the index.",
            field="query_embedding",
            allowed=dimensions,
        )
    return (vector / length).astype("<f4").tobytes()
