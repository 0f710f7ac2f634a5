"""Values of a comparison of two embedding models, and judgements of the person."""

from dataclasses import dataclass
from datetime import datetime

SHOWN = 10
"""Number of hits among which an answer is looked for."""


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
