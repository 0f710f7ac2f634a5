"""Parts of search: the service and the optional cross-encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from app.embed.download.download_jobs import ModelDownloads
from app.embed.fastembed_reranker import FastembedReranker
from app.embed.reranking_model import configured_reranking_model
from app.index.token_vectors.token_vector_builder import TokenVectorBuilder
from app.index.worker import IndexWorker
from app.part import BackgroundTask, Part
from app.retrieval.ranking.cross_encoder_scorer import CrossEncoderScorer
from app.retrieval.ranking.late_interaction_scorer import LateInteractionScorer
from app.retrieval.ranking.recipe_settings import with_settings
from app.retrieval.saved.service import SavedSearches
from app.retrieval.service import SearchService
from app.retrieval.warming import SearchWarming
from app.runtime import Runtime


@dataclass(frozen=True, slots=True)
class SearchParts(Part):
    """Parts of search.

    Args:
        service: The search.
        saved: The searches that the person saved.
        reranker: Reads the first results again; none where the settings name no model.
        warming: Loads what a search needs.
    """

    service: SearchService
    saved: SavedSearches
    reranker: FastembedReranker | None
    warming: SearchWarming

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the warming of search."""
        return (BackgroundTask("warming", self.warming.run, is_reading=True, is_essential=False),)

    async def close(self) -> None:
        """Release the cross-encoder."""
        if self.reranker is not None:
            self.reranker.close()


class SearchCaches:
    """Caches of words and vectors in memory, from which erased texts must go too."""

    def __init__(self, service: SearchService, worker: IndexWorker) -> None:
        self._service = service
        self._worker = worker

    async def clear(self) -> None:
        """Remove everything from the caches."""
        self._service.clear_caches()
        await self._worker.discard_ann_cache()


def build(
    runtime: Runtime, worker: IndexWorker, token_vectors: TokenVectorBuilder, downloads: ModelDownloads
) -> SearchParts:
    """Build the parts of search."""
    named = configured_reranking_model(runtime.config, downloads)
    reranker = None if named is None else FastembedReranker(named)
    late = LateInteractionScorer(runtime.store, token_vectors)
    # What is no late interaction model is a cross-encoder, or unknown to both.
    scorers = () if reranker is None else (late, CrossEncoderScorer(runtime.store, reranker))
    service = SearchService(
        runtime.store,
        worker,
        runtime.trace,
        runtime.clock,
        vectors=runtime.config.flag("index.vectors"),
        tune=partial(with_settings, runtime.config),
        scorers=scorers,
    )
    saved, warming = SavedSearches(runtime.store, runtime.clock), SearchWarming(service, worker, runtime.jobs)
    return SearchParts(service, saved, reranker, warming)
