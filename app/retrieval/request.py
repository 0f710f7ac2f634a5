"""A search request, its vector query, and its result with times."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import KeepsakeError
from app.index.vectors.vector_repo import Generation
from app.retrieval.model import Found, Leg, Query
from app.retrieval.ranking.recipes import Recipe

if TYPE_CHECKING:
    from app.index.columns.index_cache import IndexCache
    from app.retrieval.candidates.prefetch import NeighbourIndex


class VectorsFailedError(Exception):
    """The vector leg could not answer, for the reason ``fault``; the others may."""

    def __init__(self, fault: KeepsakeError) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """Finds what is near in meaning.

    Args:
        generation: Whose vectors are compared.
        vector: Returns a text's vector, float32 little-endian.
        ann_cache: Answers sooner than the database, where there is one.
        count: How many vectors it has.
        is_model: Whether a model that reads whole sentences made them, and not a table of words.
    """

    generation: Generation
    vector: Callable[[str], bytes]
    ann_cache: "NeighbourIndex | None"
    count: int = 0
    is_contextual: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """What is searched.

    Args:
        query: As understood.
        recipe: How.
        wanted: Which of the recipe's legs are asked.
        stores: What the caller may read.
        offset: The first hit shown.
        limit: How many are shown.
        per_session: How many of one conversation are shown, all when ``None``.
        index_cache: Makes or returns what reads the words' lists.
        found_only: Only what one of the legs found is shown, nothing that merely stands beside it.
        embedding: The vector of the query's text, where the caller brings its own.
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

    @property
    def last(self) -> int:
        """Return the number of the last hit shown."""
        return self.offset + self.limit


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found, and of each leg how many candidates."""

    found: Found
    counts: Mapping[Leg, int]


class Stopwatch:
    """Milliseconds of each stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._begun = self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """End a stage."""
        now = time.perf_counter()
        self.laps[name] = (now - self._last) * 1000
        self._last = now

    def total(self) -> float:
        """Return milliseconds since the start."""
        return (self._last - self._begun) * 1000
