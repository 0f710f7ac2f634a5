"""Values of a search benchmark: recall, reciprocal rank and latency."""

from dataclasses import dataclass, field
from datetime import datetime

SHOWN = 10
"""Hits that a test looks at."""


@dataclass(frozen=True, slots=True)
class Score:
    """Recall and mean reciprocal rank of some questions.

    Args:
        name: Which ones: a script, a shape of question, or ``all``.
        questions: How many.
        recall_1, recall_5, recall_10: Share whose answer was first, among the first five, among the first ten.
        mrr: Mean of one over the place of the answer, nothing where it was not among the first ten.
    """

    name: str
    questions: int
    recall_1: float
    recall_5: float
    recall_10: float
    mrr: float


@dataclass(frozen=True, slots=True)
class BenchmarkRun:
    """One run of the search benchmark.

    Args:
        id: Names it in the list; ``""`` for one that was not kept.
        recipe: How words and meaning were weighed.
        model: What made the vectors.
        seed: Which questions.
        chunks: Search entries that the vault had then.
        score: Over all questions made from the vault.
        parts: The same by script and by shape of question.
        judged: Over what the person judged right; ``None`` where nothing is.
        wrong: How many answers judged wrong are among the first ten all the same, and of how many.
        p50_ms, p95_ms: Milliseconds of a search: the median, and what 95 of 100 stay below.
        missed: Items that were not among the first ten, fifty at most.
        cancelled: It was stopped, so it is not kept.
    """

    id: str
    at: datetime
    recipe: str
    model: str
    seed: int
    chunks: int
    score: Score
    parts: tuple[Score, ...] = ()
    judged: Score | None = None
    wrong: tuple[int, int] = (0, 0)
    p50_ms: float = 0.0
    p95_ms: float = 0.0
    missed: tuple[str, ...] = ()
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """Question that recipes answer differently, with the rank of its answer by recipe."""

    query: str
    id: str
    places: dict[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of recipes on the same questions.

    Args:
        trials: A test for each recipe, in the order named; none is kept.
        differing: How many questions they answer differently.
        differences: Those that differ most, fifty at most.
    """

    trials: tuple[BenchmarkRun, ...]
    differing: int
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """Judgement of the person: ``id`` is right or wrong for ``query``."""

    query: str
    id: str
    good: bool
    at: datetime
