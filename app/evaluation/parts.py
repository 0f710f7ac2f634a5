"""Parts of the evaluation of search: judgements and the comparison of models."""

from dataclasses import dataclass

from app.evaluation.comparison import ComparisonService
from app.evaluation.judgements import JudgementService
from app.index.generations.active import GenerationManager
from app.retrieval.service import SearchService
from app.runtime import Runtime


@dataclass(frozen=True, slots=True)
class EvaluationParts:
    """Parts of the evaluation of search.

    Args:
        judgements: What the person judged.
        comparison: Compares two embedding models.
    """

    judgements: JudgementService
    comparison: ComparisonService


def build(runtime: Runtime, search: SearchService, generations: GenerationManager) -> EvaluationParts:
    """Build the parts of the evaluation."""
    store, config = runtime.store, runtime.config
    return EvaluationParts(
        JudgementService(store, runtime.clock),
        ComparisonService(store, search, generations, vectors=config.flag("index.vectors")),
    )
