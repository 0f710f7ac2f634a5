"""Retrieval metrics of one question: recall at k, MRR and NDCG."""

import math
import random
from collections.abc import Mapping, Sequence

CUTS = (1, 5, 10, 20)
NDCG_AT = 10
RESAMPLES = 1_000

Scores = dict[str, float]


def score(ranked: Sequence[str], evidence: frozenset[str]) -> Scores:
    """Score one ranked list of distinct ids against the ids that are evidence.

    ``share@k`` is the mean share of the evidence in the first k, ``any@k`` whether at least one is there, ``all@k``
    whether all are. ``mrr`` is one over the rank of the first, 0 when none was found. ``ndcg@10`` has binary gains and
    the ideal order of all evidence, found or not, as its divisor.
    """
    result: Scores = {}
    for cut in CUTS:
        found = len(evidence.intersection(ranked[:cut]))
        result[f"share@{cut}"] = found / len(evidence)
        result[f"any@{cut}"] = float(found > 0)
        result[f"all@{cut}"] = float(found == len(evidence))
    ranks = [rank for rank, item in enumerate(ranked, 1) if item in evidence]
    result["mrr"] = 1 / ranks[0] if ranks else 0.0
    gained = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= NDCG_AT)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(evidence), NDCG_AT) + 1))
    result[f"ndcg@{NDCG_AT}"] = gained / ideal
    return result


def mean(scores: Sequence[Mapping[str, float]]) -> Scores:
    """Return the mean of each metric over questions."""
    return {name: round(sum(score[name] for score in scores) / len(scores), 4) for name in scores[0]} if scores else {}


def interval(groups: Sequence[Sequence[Scores]]) -> dict[str, list[float]]:
    """Return a bootstrap 95 % interval of each metric's mean, resampled by ``groups``."""
    chosen = random.Random(1)
    filled = [group for group in groups if group]
    if not filled:
        return {}
    names = list(filled[0][0])
    sums = [([sum(one[name] for one in group) for name in names], len(group)) for group in filled]
    drawn: list[list[float]] = [[] for _ in names]
    for _ in range(RESAMPLES):
        draw = chosen.choices(sums, k=len(sums))
        count = sum(size for _, size in draw)
        for place, values in enumerate(drawn):
            values.append(sum(total[place] for total, _ in draw) / count)
    return {
        name: [round(percentile(values, share), 4) for share in (0.025, 0.975)]
        for name, values in zip(names, drawn, strict=True)
    }


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which ``share`` of ``values`` lie, by nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0
