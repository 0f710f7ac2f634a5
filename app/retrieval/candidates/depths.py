"""What the learned recipe reads for itself: how deep its legs go, and how frequent words are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import apsw

if TYPE_CHECKING:
    from app.index.columns.index_cache import IndexCache
    from app.retrieval.candidates.scored_chunks import ScoredChunks

WORDS_DEPTH = 800
VECTOR_DEPTH = 100
MAX_DEPTH = 4_096
CANDIDATE_LIMIT = 200
"""How many candidates are looked at closely."""


F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Legs(Generic[F]):
    """How a search reads what each leg finds, and how many; the vector leg costs more the deeper it goes.

    ``none`` makes what a leg finds when there is nothing to look for.
    """

    words: Callable[..., F]
    many: Callable[..., F]
    vector: Callable[..., F]
    none: Callable[[], F]
    words_depth: int
    vector_depth: int


def leg_depths(last: int) -> tuple[int, int]:
    """Return how many the words leg and the vector leg find for a search that shows hits up to number ``last``."""
    vector = VECTOR_DEPTH if last <= CANDIDATE_LIMIT else min(last, MAX_DEPTH)
    return min(max(WORDS_DEPTH, 2 * last), MAX_DEPTH), vector


def array_legs(words: int, vector: int, index_cache: "IndexCache") -> "Legs[ScoredChunks]":
    """Return the legs of the learned recipe, that of words and that of vectors so deep."""
    from app.retrieval.candidates.array_retrievers import (  # noqa: PLC0415  (numpy waits)
        cached_lexical_scores,
        empty_scores,
        lexical_scores,
        vector_scores,
    )

    near = partial(vector_scores, index_cache=index_cache)
    return Legs(
        partial(lexical_scores, index_cache=index_cache), cached_lexical_scores, near, empty_scores, words, vector
    )


def frequencies(
    connection: apsw.Connection, expressions: Sequence[str], index_cache: "IndexCache | None" = None
) -> tuple[int, list[int]]:
    """Return about how many chunks there are, and how many match each FTS expression."""
    total = connection.execute("SELECT coalesce(max(id), 0) FROM chunks").get
    if index_cache is not None:
        return int(total), [index_cache.count(connection, expression, int(total)) for expression in expressions]
    sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?"
    return int(total), [int(connection.execute(sql, (expression,)).get) for expression in expressions]
