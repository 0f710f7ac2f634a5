"""Values of a search benchmark and of a comparison of two embedding models."""

from dataclasses import dataclass
from datetime import datetime

SHOWN = 10
"""Number of hits that a benchmark examines."""


@dataclass(frozen=True, slots=True)
class Score:
    """Recall and mean reciprocal rank of some questions.

    Args:
        name: The group of questions: a script, a question shape, or ``all``.
        questions: Number of questions.
        recall_1, recall_5, recall_10: Share of answers found first, among the first five, and among the first ten.
        mrr: Mean reciprocal rank, 0 for answers not among the first ten.
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
        id: ``""`` for a run that was not stored.
        recipe: Name of the recipe.
        model: Embedding model.
        seed: Seed that selects the questions.
        chunks: Number of chunks in the vault.
        score: Score over all questions made from the vault.
        parts: Scores by script and by question shape.
        judged: Score over the person's judgements; ``None`` without any.
        wrong: Number of answers judged wrong among the first ten, and number judged wrong.
        p50_ms, p95_ms: Milliseconds of a search: the median, and what 95 of 100 stay below.
        missed: Items that were not among the first ten, fifty at most.
        cancelled: Whether it was cancelled and not stored.
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
class Judgement:
    """Judgement of the person: ``id`` is right or wrong for ``query``."""

    query: str
    id: str
    good: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class ModelResult:
    """Result of one model.

    Args:
        model: Embedding model.
        generation: Number of its vectors.
        found: Questions whose known answer was among the first ten hits.
        missing: Texts that have no vector by this model, such as those that came since it was active.
        without_meaning: Questions that were answered by words alone because the model failed.
    """

    model: str
    generation: int
    found: int
    missing: int
    without_meaning: int


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """Number of questions that two models find the known answer of.

    Args:
        now: The model that answers searches.
        other: The other model.
        questions: Number of questions asked.
        notes: Sentences about questions left out.
        cancelled: Whether it was stopped; the numbers are of the questions asked until then.
    """

    now: ModelResult
    other: ModelResult
    questions: int
    notes: tuple[str, ...] = ()
    cancelled: bool = False
