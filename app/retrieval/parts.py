"""Parts of search: the service and the optional cross-encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from app.config.config import Config
from app.core.paths import models_cache
from app.embed.download.download_jobs import ModelDownloads
from app.embed.fastembed_reranker import FastembedReranker
from app.index.worker import IndexWorker
from app.part import BackgroundTask, Part
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


def build(runtime: Runtime, worker: IndexWorker, downloads: ModelDownloads) -> SearchParts:
    """Build the parts of search."""
    reranker = _configured_reranker(runtime.config, downloads)
    service = SearchService(
        runtime.store,
        worker,
        runtime.trace,
        runtime.clock,
        vectors=runtime.config.flag("index.vectors"),
        tune=partial(with_settings, runtime.config),
        reranker=reranker,
    )
    saved, warming = SavedSearches(runtime.store, runtime.clock), SearchWarming(service, worker, runtime.jobs)
    return SearchParts(service, saved, reranker, warming)


def _configured_reranker(config: Config, downloads: ModelDownloads) -> FastembedReranker | None:
    model, folder = config.text("search.reranker"), config.text("search.reranker_folder")
    if not model:
        return None
    return FastembedReranker(
        model,
        folder=Path(folder).expanduser() if folder else None,
        cache=models_cache(),
        fetch=config.flag("embedding.allow_download"),
        track_download=partial(downloads.track_download, model),
    )
