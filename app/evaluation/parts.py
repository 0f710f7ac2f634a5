"""Parts of the evaluation of search: benchmark and comparison of models."""

from dataclasses import dataclass
from functools import partial

from app.evaluation.benchmark import BenchmarkService
from app.evaluation.comparison import ComparisonService
from app.index.generations.active import GenerationManager
from app.retrieval.service import SearchService
from app.runtime import Runtime


@dataclass(frozen=True, slots=True)
class EvaluationParts:
    """Parts of the evaluation of search.

    Args:
        benchmark: Tests the search with questions whose answers are known.
        comparison: Compares two embedding models.
    """

    benchmark: BenchmarkService
    comparison: ComparisonService


def build(runtime: Runtime, search: SearchService, generations: GenerationManager) -> EvaluationParts:
    """Build the parts of the evaluation."""
    store, config = runtime.store, runtime.config
    return EvaluationParts(
        BenchmarkService(store, search, runtime.clock, partial(config.text, "embedding.model")),
        ComparisonService(store, search, generations, vectors=config.flag("index.vectors")),
    )
