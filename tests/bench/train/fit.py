"""Fitting of the weights: listwise softmax loss with L2, by L-BFGS.

Every question of a data set has the same weight.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from app.retrieval.ranking.features import BLOCKS, NAMES
from tests.bench.train.matrices import Sample

L2 = 1e-3
ITERATIONS = 200
ROUNDS = 3
"""How often it is fitted: with the weights change which conversations are the best that others are compared with."""
_MEMORY = 8
_STOP = 1e-7
_NEVER = 1e-300

Function = Callable[[Any], tuple[float, Any]]


def fit(samples: Sequence[Sample], importance: Mapping[str, float], l2: float = L2) -> Any:
    """Return the weights under which the answers of ``samples`` are likeliest to be drawn first.

    Args:
        samples: Questions; those whose answers are not among the candidates teach nothing.
        importance: How much each data set counts in all; 1 where nothing is said.
        l2: How much large weights cost.
    """
    listed = Listed(samples, importance)
    weights = np.zeros(len(NAMES) * BLOCKS)
    for _ in range(ROUNDS):
        weights = _fitted(listed, weights, l2)
    return weights


def _fitted(listed: "Listed", before: Any, l2: float) -> Any:
    """Return the weights for what is best by those from ``before``."""
    inputs = np.concatenate([sample.inputs(before) for sample in listed.samples]).astype(np.float32)

    def loss(weights: Any) -> tuple[float, Any]:
        value, slope = listed.loss((inputs @ weights.astype(np.float32)).astype(np.float64))
        slope = (inputs.T @ slope.astype(np.float32)).astype(np.float64)
        return value + l2 * float(weights @ weights), slope + 2 * l2 * weights

    return _lbfgs(loss, before)


class Listed:
    """Candidates of all questions in one list, with the listwise loss of scores.

    Args:
        samples: Questions; those whose answers are not among the candidates are left out.
        importance: How much each data set counts in all; 1 where nothing is said.
    """

    def __init__(self, samples: Sequence[Sample], importance: Mapping[str, float]) -> None:
        found = [(sample, sample.positives()) for sample in samples if len(sample.ids) > 1]
        usable = [(one, positives) for one, positives in found if positives]
        self.samples = [one for one, _ in usable]
        self._lengths = np.array([len(sample.ids) for sample in self.samples])
        self._starts = np.cumsum([0, *self._lengths])[:-1]
        sizes = Counter(sample.dataset for sample in self.samples)
        total = sum(importance.get(name, 1.0) for name in sizes)
        share = [importance.get(sample.dataset, 1.0) / sizes[sample.dataset] / total for sample in self.samples]
        self._spread = np.repeat(share, self._lengths)
        groups = [
            rows + start for (_, positives), start in zip(usable, self._starts, strict=True) for rows in positives
        ]
        self._right = np.concatenate(groups)
        self._sizes = np.array([len(rows) for rows in groups])
        self._firsts = np.cumsum([0, *self._sizes])[:-1]
        counts = [len(positives) for _, positives in usable]
        self._share = np.repeat(np.array(share) / counts, counts)
        self._question = np.repeat(np.arange(len(usable)), counts)

    def loss(self, scores: Any) -> tuple[float, Any]:
        """Return the loss and its slope for each candidate."""
        exponents = np.exp(scores - np.repeat(np.maximum.reduceat(scores, self._starts), self._lengths))
        totals = np.add.reduceat(exponents, self._starts)
        chance = exponents / np.repeat(totals, self._lengths)
        inside = exponents[self._right]
        of_group = np.add.reduceat(inside, self._firsts)
        slope = chance * self._spread
        np.subtract.at(slope, self._right, inside * np.repeat(self._share / of_group, self._sizes))
        value = -(self._share * np.log(of_group / totals[self._question] + _NEVER)).sum()
        return float(value), slope


def _lbfgs(loss: Function, weights: Any) -> Any:
    value, slope = loss(weights)
    steps: list[Any] = []
    turns: list[Any] = []
    for _ in range(ITERATIONS):
        way = -_curved(slope, steps, turns)
        length = 1.0 if steps else 1 / max(1.0, float(np.abs(slope).sum()))
        next_value, next_slope = loss(weights + length * way)
        while next_value > value + 1e-4 * length * float(slope @ way) and length > 1e-6:
            length /= 2
            next_value, next_slope = loss(weights + length * way)
        step, turn = length * way, next_slope - slope
        if float(turn @ step) > 1e-12:
            steps, turns = [*steps[1 - _MEMORY :], step], [*turns[1 - _MEMORY :], turn]
        done = abs(value - next_value) < _STOP
        weights, value, slope = weights + step, next_value, next_slope
        if done:
            break
    return weights


def _curved(slope: Any, steps: Sequence[Any], turns: Sequence[Any]) -> Any:
    result = slope.copy()
    factors = []
    for step, turn in zip(reversed(steps), reversed(turns), strict=True):
        factor = float(step @ result) / float(turn @ step)
        factors.append(factor)
        result -= factor * turn
    if steps:
        result *= float(steps[-1] @ turns[-1]) / float(turns[-1] @ turns[-1])
    for step, turn, factor in zip(steps, turns, reversed(factors), strict=True):
        result += step * (factor - float(turn @ result) / float(turn @ step))
    return result
