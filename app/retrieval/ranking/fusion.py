"""Rank fusion of several retrievers' lists, with the contribution of each.

Pure functions. A list holds pairs of id and score; higher is better. Results do not depend on the order of lists and
entries: scores decide, then the newer, then the smaller id.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

K = TypeVar("K", int, str)

RRF_CONSTANT: Final = 60
_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class RetrieverScore:
    """Score of an id by one retriever.

    Args:
        rank: Rank from 1.
        score: Raw score.
        weight: Weight of the retriever.
        share: Contribution to the fused score.
    """

    leg: str
    rank: int
    score: float
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class FusedCandidate(Generic[K]):
    """An id with its fused score and the score of each retriever."""

    id: K
    score: float
    parts: tuple[RetrieverScore, ...]


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


def weighted_sum(
    lists: Mapping[str, Iterable[tuple[K, float]]],
    weights: Mapping[str, float],
    newer: Mapping[K, int] | None = None,
) -> list[FusedCandidate[K]]:
    """Add up each retriever's min-max scaled scores times its weight.

    Args:
        lists: Pairs of id and score by retriever; a repeated id counts with its best score.
        weights: By retriever; 1 where missing.
        newer: A number by id, higher for newer ones; breaks ties before the smaller id.

    Returns:
        Best first.
    """
    parts: dict[K, list[RetrieverScore]] = {}
    for leg, ranked in _ranked(lists, newer):
        weight = weights.get(leg, 1.0)
        scaled = min_max([score for _, score in ranked])
        for rank, ((key, score), share) in enumerate(zip(ranked, scaled, strict=True), 1):
            parts.setdefault(key, []).append(RetrieverScore(leg, rank, score, weight, weight * share))
    return _fused(parts, newer)


def reciprocal_rank_fusion(
    lists: Mapping[str, Iterable[tuple[K, float]]],
    k: int = RRF_CONSTANT,
    weights: Mapping[str, float] | None = None,
    newer: Mapping[K, int] | None = None,
) -> list[FusedCandidate[K]]:
    """Add up ``weight / (k + rank)`` over the retrievers: reciprocal rank fusion.

    Args:
        lists: Pairs of id and score by retriever; a repeated id counts with its best score.
        k: Constant that damps the top ranks.
        weights: By retriever; 1 where missing.
        newer: A number by id, higher for newer ones; breaks ties before the smaller id.

    Returns:
        Best first.
    """
    parts: dict[K, list[RetrieverScore]] = {}
    for leg, ranked in _ranked(lists, newer):
        weight = (weights or {}).get(leg, 1.0)
        for rank, (key, score) in enumerate(ranked, 1):
            parts.setdefault(key, []).append(RetrieverScore(leg, rank, score, weight, weight / (k + rank)))
    return _fused(parts, newer)


def ordered_union(
    lists: Mapping[str, Iterable[tuple[K, float]]],
    order: Sequence[str],
    newer: Mapping[K, int] | None = None,
) -> list[FusedCandidate[K]]:
    """Concatenate the retrievers' lists, each id at its first position.

    Args:
        lists: Pairs of id and score by retriever; a repeated id counts with its best score.
        order: The retrievers in the order of their lists.
        newer: A number by id, higher for newer ones; breaks ties before the smaller id.

    Returns:
        Best first; scores go down from 1 by place.
    """
    ranked = dict(_ranked(lists, newer))
    parts: dict[K, list[RetrieverScore]] = {}
    for leg in order:
        for rank, (key, score) in enumerate(ranked.get(leg, ()), 1):
            parts.setdefault(key, []).append(RetrieverScore(leg, rank, score, 1.0, 0.0))
    return [FusedCandidate(key, 1 / place, tuple(said)) for place, (key, said) in enumerate(parts.items(), 1)]


def _ranked(
    lists: Mapping[str, Iterable[tuple[K, float]]], newer: Mapping[K, int] | None
) -> Iterable[tuple[str, list[tuple[K, float]]]]:
    """Yield each retriever's list, best first without duplicates, in order of their names."""
    for leg in sorted(lists):
        best: dict[K, float] = {}
        for key, score in lists[leg]:
            best[key] = max(score, best.get(key, score))
        yield leg, sorted(best.items(), key=lambda entry: (-entry[1], -_age(entry[0], newer), entry[0]))


def _fused(parts: Mapping[K, list[RetrieverScore]], newer: Mapping[K, int] | None) -> list[FusedCandidate[K]]:
    # Rounded, so that equal scores tie despite floating point errors.
    found = [
        FusedCandidate(key, round(sum(part.share for part in said), _DIGITS), tuple(said))
        for key, said in parts.items()
    ]
    return sorted(found, key=lambda one: (-one.score, -_age(one.id, newer), one.id))


def _age(key: K, newer: Mapping[K, int] | None) -> int:
    return newer.get(key, 0) if newer else 0
