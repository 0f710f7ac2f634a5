"""Report of trained weights: metrics of each data set with bootstrap intervals."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.bench.retrieval.metrics import percentile, score
from tests.bench.train.matrices import Sample

RESAMPLES = 1_000

Scorer = Callable[[Sample], Any]
SHOWN = {
    "locomo": (
        "item share@5",
        "item share@10",
        "session any@5",
        "session any@10",
        "session share@5",
        "session share@10",
    ),
    "longmemeval-s": ("session share@1", "session any@5", "session any@10", "item share@5"),
    "longmemeval-one": ("session share@5", "session share@10", "session any@5", "session any@10"),
    "realmem": ("session share@10", "session any@5", "session any@10"),
    "mixed-train": ("item share@5", "item share@10", "session any@10"),
    "mixed-train-claims": ("item ndcg@10",),
    "scifact": ("item ndcg@10", "item share@10"),
}


def evaluate(samples: Sequence[Sample], scorer: Scorer, names: Sequence[str]) -> dict[str, list[float]]:
    """Return mean and bootstrap 95 % interval of each metric in ``names``."""
    groups: dict[str, list[dict[str, float]]] = {}
    for sample in samples:
        groups.setdefault(sample.group, []).append(_metrics(sample, scorer))
    chosen, result = random.Random(1), {}
    keys = sorted(groups)
    draws = [keys, *(chosen.choices(keys, k=len(keys)) for _ in range(RESAMPLES))]
    for name in names:
        sums = {key: [row[name] for row in rows if name in row] for key, rows in groups.items()}
        values = [_mean([sums[key] for key in draw]) for draw in draws]
        low, high = percentile(values[1:], 0.025), percentile(values[1:], 0.975)
        result[name] = [round(value, 4) for value in (values[0], low, high)]
    return result


def _mean(groups: Sequence[Sequence[float]]) -> float:
    return sum(map(sum, groups)) / max(sum(map(len, groups)), 1)


def _metrics(sample: Sample, scorer: Scorer) -> dict[str, float]:
    scores = scorer(sample) if len(sample.ids) else np.zeros(0)
    order: Any = np.lexsort((-sample.created, -scores)) if len(sample.ids) else []
    metrics: dict[str, float] = {}
    if sample.evidence:
        found = score([sample.ids[row] for row in order], sample.evidence)
        metrics |= {f"item {name}": value for name, value in found.items()}
    if sample.wanted:
        sessions = dict.fromkeys(sample.sessions[row] for row in order if sample.sessions[row])
        metrics |= {f"session {name}": value for name, value in score(list(sessions), sample.wanted).items()}
    return metrics
