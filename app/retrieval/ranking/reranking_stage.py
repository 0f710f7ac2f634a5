"""Reranking stage: blends a model's scores of the first hits into their order.

Without a model, or if it fails, nothing changes.
"""

import statistics
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from app.errors import KeepsakeError
from app.retrieval.model import Hit, Query
from app.retrieval.request import Request, SearchResult
from app.sentence import Sentence

MOST: Final = 50
"""Number of hits that are reranked."""
WEIGHT: Final = 0.7
"""Weight of the model's score beside the ranking's own, both as standard scores over the reranked hits.

The model alone finds less than the ranking it would replace: it sees no dates and no other messages.
"""
_DIGITS: Final = 4
_LEFT_OUT: Final = "The results could not be reranked: {why}"

Answered = tuple[SearchResult, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ModelScores:
    """Scores that a model gave to hits.

    Args:
        feature: The name under which a hit shows its score.
        scores: One per hit; ``None`` for a hit that the model cannot score, which keeps the ranking's own.
        notes: Sentences about hits without a score.
    """

    feature: str
    scores: Sequence[float | None]
    notes: tuple[str, ...] = ()


class HitScorer(Protocol):
    """A model that scores hits against a question."""

    async def score(self, query: Query, hits: Sequence[Hit]) -> ModelScores | None:
        """Return the scores of ``hits``; ``None`` where the settings name a model of another kind.

        Raises:
            KeepsakeError: The model is missing or failed.
        """
        ...


class RerankingStage:
    """Reranking of the first hits by the model that the settings name.

    Args:
        scorers: One for each kind of model, asked in this order; none where no model is named.
    """

    def __init__(self, scorers: Sequence[HitScorer]) -> None:
        self._scorers = scorers

    async def answer(self, request: Request, ask: Callable[[Request], Awaitable[Answered]]) -> Answered:
        """Return the results of ``ask``, the first in the order of ranking and model.

        Lexical searches, such as those while a person types, are not reordered.
        """
        if not self._scorers or "vector" not in request.wanted or not request.query.words or request.offset >= MOST:
            return await ask(request)
        given, notes = await ask(replace(request, offset=0, limit=max(MOST, request.last)))
        hits: Sequence[Hit] = given.found.hits
        try:
            hits, sentences = await self._reranked(request.query, hits)
        except KeepsakeError as error:
            sentences = (Sentence(_LEFT_OUT, why=error.sentence),)
        result = replace(given.found, hits=tuple(hits[request.offset : request.last]))
        return replace(given, found=result), (*notes, *sentences)

    async def _reranked(self, query: Query, hits: Sequence[Hit]) -> tuple[Sequence[Hit], tuple[str, ...]]:
        first = hits[:MOST]
        if not first:
            return hits, ()
        for scorer in self._scorers:
            if (given := await scorer.score(query, first)) is not None:
                return (*_blended(first, given), *hits[MOST:]), given.notes
        return hits, ()


def blended_order(ranking: Sequence[float], model: Sequence[float | None]) -> list[int]:
    """Return the rows in the order of the sum of both standard scores.

    Rows with equal sums keep their order.

    Args:
        ranking: Scores of the ranking.
        model: Scores of the model, ``None`` where it gives none.
    """
    pairs = zip(_standard_scores(ranking), _standard_scores(model), strict=True)
    sums = [own + WEIGHT * judged for own, judged in pairs]
    return sorted(range(len(sums)), key=lambda row: -sums[row])


def _blended(hits: Sequence[Hit], given: ModelScores) -> list[Hit]:
    shown = [_with_feature(hit, given.feature, score) for hit, score in zip(hits, given.scores, strict=True)]
    return [shown[row] for row in blended_order([hit.score for hit in hits], given.scores)]


def _with_feature(hit: Hit, name: str, score: float | None) -> Hit:
    if score is None:
        return hit
    return replace(hit, why=replace(hit.why, features={**hit.why.features, name: round(score, _DIGITS)}))


def _standard_scores(values: Sequence[float | None]) -> list[float]:
    """Return ``values`` with mean 0 and standard deviation 1.

    It is zero for a missing value, and where all are equal.
    """
    known = [value for value in values if value is not None] or [0.0]
    mean, deviation = statistics.fmean(known), statistics.pstdev(known)
    return [(value - mean) / deviation if value is not None and deviation else 0.0 for value in values]
