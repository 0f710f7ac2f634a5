"""Fusion of the retrievers' lists into one ranking, with the score of each retriever.

Results do not depend on the order of lists and entries: scores decide, then the newer, then the smaller id.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

import numpy as np

from app.index.columns.chunk_columns import ChunkColumns
from app.retrieval.candidates.scored_chunks import ScoredChunks
from app.retrieval.model import Leg, LegScore, RankedCandidate, Why
from app.retrieval.recipes import Recipe
from app.retrieval.results.relevance_cutoff import MatchSignals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]

_LEGS: Final[tuple[Leg, ...]] = get_args(Leg)
_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class FusedRanking:
    """Fused candidates, best first, each with its chunk; see ``Ranking``."""

    columns: ChunkColumns
    ids: "Ids"
    fused: Sequence[RankedCandidate]

    def best_first(self) -> "FusedRanking":
        """Return the ranking, which is in order."""
        return self

    def at(self, rows: "Ids") -> "FusedRanking":
        """Return the candidates in ``rows``."""
        return replace(self, ids=self.ids[rows], fused=[self.fused[row] for row in rows.tolist()])

    def signals(self) -> MatchSignals:
        """Return what matched in each candidate."""
        legs = [{leg.leg: leg.score for leg in target.why.legs} for target in self.fused]
        has_words = np.array([scores_by_leg.keys() != {"vector"} for scores_by_leg in legs], dtype=np.bool_)
        cosines = np.array([scores_by_leg.get("vector", -1.0) for scores_by_leg in legs])
        scores = np.array([target.score for target in self.fused])
        return MatchSignals(has_words, np.zeros(len(legs), dtype=np.bool_), cosines, scores)

    def shown(self, start: int, end: int) -> list[RankedCandidate]:
        """Return the candidates from number ``start`` up to ``end`` with their reasons."""
        return [*self.fused[start:end]]


def fuse(recipe: Recipe, columns: ChunkColumns, legs: Mapping[Leg, ScoredChunks]) -> FusedRanking:
    """Return the candidates of all retrievers ranked by the recipe, best first.

    Args:
        recipe: Weights of the retrievers.
        columns: Columns of all chunks.
        legs: Results by retriever.
    """
    chunks, newer, lists = dict[str, int](), dict[str, int](), dict[Leg, list[tuple[str, float]]]()
    # The lexical chunk of a target comes first, because snippets are cut around words.
    for leg in reversed([leg for leg in _LEGS if leg in legs]):
        targets, ids = legs[leg].targets, legs[leg].ids
        lists[leg] = list(zip(targets, legs[leg].values.tolist(), strict=True))
        # The best chunk of a target stands first.
        chunks |= dict(zip(reversed(targets), reversed(ids.tolist()), strict=True))
        newer |= dict(zip(targets, columns.created[ids].tolist(), strict=True))
    fused = [
        RankedCandidate(target.target, chunks[target.target], target.score, Why(target.legs))
        for target in fuse_lists(recipe, lists, newer)
    ]
    return FusedRanking(columns, np.array([target.chunk_id for target in fused], dtype=np.int64), fused)


class FusedTarget(NamedTuple):
    """A target with its fused score and the score of each retriever."""

    target: str
    score: float
    legs: tuple[LegScore, ...]


def fuse_lists(
    recipe: Recipe, lists: Mapping[Leg, Iterable[tuple[str, float]]], newer: Mapping[str, int] | None = None
) -> list[FusedTarget]:
    """Fuse the retrievers' lists into one, best first.

    ``weighted`` adds up min-max scaled scores times the weight of the retriever, ``rrf`` adds up
    ``weight / (k + rank)``, and ``union`` concatenates the lists, each target at its first position.

    Args:
        recipe: Kind of fusion, and weights of the retrievers; 1 where missing.
        lists: Pairs of target and score by retriever, higher is better; retrievers that did not run may be missing,
            and a repeated target counts with its best score.
        newer: A number by target, higher for newer ones; breaks ties before the smaller target.
    """
    is_union = recipe.fusion == "union"
    legs, scores = dict[str, list[LegScore]](), dict[str, float]()
    for leg in recipe.legs if is_union else sorted(recipe.legs):
        ranked = _ranked(lists.get(leg, ()), newer or {})
        weight = 1.0 if is_union else recipe.weights.get(leg, 1.0)
        if recipe.fusion == "rrf":
            shares = [weight / (recipe.k + rank) for rank in range(1, len(ranked) + 1)]
        else:
            shares = [weight * share for share in min_max([score for _, score in ranked])]
        for rank, ((target, score), share) in enumerate(zip(ranked, shares, strict=True), 1):
            legs.setdefault(target, []).append(LegScore(leg, rank, score, weight))
            scores[target] = scores.get(target, 0.0) + share
    if is_union:
        return [
            FusedTarget(target, 1 / place, tuple(scores_of_legs))
            for place, (target, scores_of_legs) in enumerate(legs.items(), 1)
        ]
    # Rounded, so that equal scores tie despite floating point errors.
    totals = [(target, round(score, _DIGITS)) for target, score in scores.items()]
    return [FusedTarget(target, score, tuple(legs[target])) for target, score in _ranked(totals, newer or {})]


def min_max(scores: Sequence[float]) -> list[float]:
    """Scale finite ``scores`` to [0, 1]; equal scores all become 1."""
    if not scores:
        return []
    low, high = min(scores), max(scores)
    if low == high:
        return [1.0] * len(scores)
    # Halves, because the difference of two floats may overflow.
    width = high / 2 - low / 2
    if width == 0:
        return [float(score == high) for score in scores]
    return [min((score / 2 - low / 2) / width, 1.0) for score in scores]


def _ranked(pairs: Iterable[tuple[str, float]], newer: Mapping[str, int]) -> list[tuple[str, float]]:
    """Return each target once with its best score, best first."""
    best: dict[str, float] = {}
    for target, score in pairs:
        best[target] = max(score, best.get(target, score))
    return sorted(best.items(), key=lambda entry: (-entry[1], -newer.get(entry[0], 0), entry[0]))
