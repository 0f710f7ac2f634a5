"""Fits the weights: listwise softmax loss with L2, by L-BFGS; every question of a data set counts the same."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.bench.train.matrices import Sample

L2 = 1e-3
ITERATIONS = 200
_MEMORY = 8
_STOP = 1e-7

Function = Callable[[Any], tuple[float, Any]]


def fit(samples: Sequence[Sample], importance: Mapping[str, float], l2: float = L2) -> Any:
    """Return the weights under which the answers of ``samples`` are likeliest to be drawn first.

    Args:
        samples: Questions; those whose answers are not among the candidates teach nothing.
        importance: How much each data set counts in all; 1 where nothing is said.
        l2: How much large weights cost.
    """
    prepared = [(one.dataset, one.values.astype(np.float64), one.positives()) for one in samples]
    usable = [item for item in prepared if item[2] and len(item[1]) > 1]
    sizes = Counter(name for name, _, _ in usable)
    total = sum(importance.get(name, 1.0) for name in sizes)
    shares = {name: importance.get(name, 1.0) / sizes[name] / total for name in sizes}

    def loss(weights: Any) -> tuple[float, Any]:
        value, slope = l2 * float(weights @ weights), 2 * l2 * weights
        for name, values, positives in usable:
            part, gradient = _one(values @ weights, values, positives)
            value += shares[name] * part
            slope = slope + shares[name] * gradient
        return value, slope

    return _lbfgs(loss, usable[0][1].shape[1])


def _one(scores: Any, values: Any, positives: Sequence[Any]) -> tuple[float, Any]:
    exponents = np.exp(scores - scores.max())
    total = exponents.sum()
    expected = exponents @ values / total
    value, slope = 0.0, np.zeros(values.shape[1])
    for rows in positives:
        inside = exponents[rows]
        value -= np.log(inside.sum() / total) / len(positives)
        slope += (expected - inside @ values[rows] / inside.sum()) / len(positives)
    return float(value), slope


def _lbfgs(loss: Function, size: int) -> Any:
    weights = np.zeros(size)
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
