"""A search request, its vector query, and its result with times."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from app.core.stop_signal import StopSignal
from app.errors import KeepsakeError
from app.index.vectors.vector_repo import Generation
from app.retrieval.model import Found, Leg, Query
from app.retrieval.recipes import Recipe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.index.columns.index_cache import IndexCache

    Neighbours = tuple[NDArray[np.int64], NDArray[Any]]
    Allowed = NDArray[np.bool_]


class VectorsFailedError(Exception):
    """Vector search failed for the reason ``fault``; other retrievers may still answer."""

    def __init__(self, fault: KeepsakeError) -> None:
        super().__init__(fault.message)
        self.fault = fault


class NeighbourIndex(Protocol):
    """Nearest neighbour search; see ``app.index.vectors.ann_cache.AnnCache``."""

    def nearest(
        self, generation: Generation, vector: bytes, k: int, allowed: "Allowed | None" = None
    ) -> "Neighbours | None":
        """Return about the ``k`` nearest chunks with their cosine, best first.

        ``None`` when the index cannot answer.
        """


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """Vector search of a request: embedding, generation and neighbour index.

    Args:
        generation: Vectors to compare.
        vector: Returns a text's vector, float32 little-endian.
        ann_cache: Neighbour index that is faster than the database, if any.
        count: Number of vectors in it.
        is_model: Whether a contextual model made the vectors, not a static embedding table.
    """

    generation: Generation
    vector: Callable[[str], bytes]
    ann_cache: NeighbourIndex | None
    count: int = 0
    is_contextual: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A search request.

    Args:
        query: The parsed query.
        recipe: The recipe.
        wanted: The recipe's retrievers to run.
        stores: Stores that the caller may read.
        offset: The first hit shown.
        limit: Number of hits to show.
        per_session: Messages of one session to show at most; all when ``None``.
        index_cache: Returns the cache of posting lists and columns.
        found_only: Show only what a retriever found, no neighbours.
        embedding: The caller's own vector of the query.
        as_of_ms: Search the vault as it was then, milliseconds UTC.
        project: Name of the project that the learned ranking prefers, ``""`` for none.
        stop: Is set when nobody waits for the answer any more; stages look at it between each other.
    """

    query: Query
    recipe: Recipe
    wanted: Sequence[Leg]
    stores: Sequence[str]
    offset: int
    limit: int
    per_session: int | None
    index_cache: "Callable[[], IndexCache]"
    found_only: bool = False
    embedding: Sequence[float] | None = None
    as_of_ms: int | None = None
    project: str = ""
    stop: StopSignal = field(default_factory=StopSignal)

    @property
    def is_outside_index(self) -> bool:
        """Return whether the texts to search are not, or not all, in the index."""
        return self.as_of_ms is not None or self.query.asks_unindexed

    @property
    def is_learned(self) -> bool:
        """Return whether candidates are ranked by features, which needs the words."""
        return self.recipe.fusion == "learned" and "words" in self.wanted

    @property
    def last(self) -> int:
        """Return the number of the last hit to show."""
        return self.offset + self.limit


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a search with the number of candidates by retriever."""

    found: Found
    counts: Mapping[Leg, int]


class Stopwatch:
    """Stopwatch for the stages of a search, in milliseconds."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._begun = self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """End a stage and record its time."""
        now = time.perf_counter()
        self.laps[name] = (now - self._last) * 1000
        self._last = now

    def total(self) -> float:
        """Return milliseconds since the start."""
        return (self._last - self._begun) * 1000
