"""The fit: it finds what tells answers apart, the same at every run."""

import numpy as np
import pytest

from app.retrieval.ranking.features import NAMES
from tests.bench.train.fit import fit
from tests.bench.train.matrices import Sample
from tests.bench.train.report import evaluate


def samples(count: int = 40) -> list[Sample]:
    rng = np.random.default_rng(3)
    made = []
    for number in range(count):
        values = np.zeros((6, len(NAMES)))
        values[:, :3] = rng.random((6, 3))
        right = int(np.argmax(2 * values[:, 0] - values[:, 2]))
        ids = [f"t{row}" for row in range(6)]
        evidence = frozenset({f"t{right}"})
        made.append(Sample("locomo", f"g{number % 4}", ids, ["s"] * 6, values, evidence, frozenset(), np.arange(6)))
    return made


def test_it_finds_what_matters() -> None:
    weights = fit(samples(), {}, l2=1e-4)
    assert weights[0] > abs(weights[1])
    assert weights[2] < -abs(weights[1])
    found = evaluate(samples(), lambda one: one.scores(weights), ["item share@1"])["item share@1"]
    assert found[0] > 0.9
    assert found[1] <= found[0] <= found[2]


def test_it_is_the_same_at_every_run() -> None:
    assert fit(samples(), {}).tolist() == fit(samples(), {}).tolist()


def test_questions_without_an_answer_teach_nothing() -> None:
    lost = samples(3)
    for one in lost:
        one.evidence = frozenset({"elsewhere"})
    assert fit([*samples(), *lost], {}) == pytest.approx(fit(samples(), {}))
