"""Parts of the search index: worker, vectors, and the choice of an embedding model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.changes import Area, ChangeSet
from app.embed.download.download_jobs import ModelDownloads
from app.embed.remote.api_keys import ApiKeys
from app.index.embedder_opener import EmbedderOpener
from app.index.generations.active import GenerationManager
from app.index.generations.builder import GenerationBuilder
from app.index.generations.service import EmbeddingService
from app.index.indexer import Indexer
from app.index.worker import IndexWorker
from app.jobs import BackgroundJob, LoopWake
from app.part import BackgroundTask, Part
from app.runtime import Runtime

LISTED_FROM = 200
"""Texts that must be left for background work to be listed as a job: fewer are done before a person could look."""

_INDEXED: Final[frozenset[Area]] = frozenset({"messages", "memories"})


@dataclass(frozen=True, slots=True)
class IndexParts(Part):
    """Parts of the search index.

    Args:
        indexer: Indexes what is written, within its transaction.
        worker: Brings the index up to date in the background.
        generations: The vectors of each embedding model.
        builder: Makes the vectors of another model.
        embedding: The choice of a model.
        has_vectors: Whether there are vectors at all.
    """

    indexer: Indexer
    worker: IndexWorker
    generations: GenerationManager
    builder: GenerationBuilder
    embedding: EmbeddingService
    has_vectors: bool

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the indexing, and the building of vectors."""
        indexing = BackgroundTask("index", self.worker.run, is_reading=True)
        return (indexing, BackgroundTask("vectors", self.builder.run)) if self.has_vectors else (indexing,)

    @property
    def failures(self) -> Sequence[str]:
        """Sentences about the embedding model."""
        return self.embedding.notes()

    def on_change(self, changes: ChangeSet) -> None:
        """Wake the worker for new texts."""
        if changes.areas & _INDEXED:
            self.worker.wake()

    async def close(self) -> None:
        """Close all embedders."""
        self.worker.close()


class _EmbeddingRestart:
    """Starts embedding again after the person chose a model or gave a key."""

    def __init__(self, downloads: ModelDownloads, worker: IndexWorker) -> None:
        self._downloads = downloads
        self._worker = worker

    def __call__(self) -> None:
        self._downloads.allow()
        self._worker.wake()


def build(runtime: Runtime, keys: ApiKeys, downloads: ModelDownloads) -> IndexParts:
    """Build the parts of the index."""
    opener = EmbedderOpener(runtime.config, keys, runtime.trace, downloads)
    generations = GenerationManager(
        runtime.store,
        runtime.clock,
        opener.open_configured,
        reopen=opener.open,
        wanted=opener.configured,
        may_send=opener.may_send_private,
    )
    worker = _worker(runtime, generations)
    builder = GenerationBuilder(
        runtime.store,
        runtime.clock,
        generations,
        runtime.jobs,
        runtime.publish,
        worker.active_ann_cache,
        batch=runtime.config.whole("embedding.batch"),
        trace=runtime.trace,
    )
    embedding = EmbeddingService(
        runtime.store,
        runtime.clock,
        runtime.config,
        generations,
        builder,
        opener.open_requested,
        _EmbeddingRestart(downloads, worker),
    )
    return IndexParts(Indexer(), worker, generations, builder, embedding, runtime.config.flag("index.vectors"))


def _worker(runtime: Runtime, generations: GenerationManager) -> IndexWorker:
    resumed = LoopWake(runtime.loop)
    job = BackgroundJob(runtime.jobs, "index", "Indexing for search by meaning", "texts", resumed, LISTED_FROM)
    worker = IndexWorker(
        runtime.store,
        runtime.clock,
        generations,
        job.advance,
        embeds=runtime.config.flag("index.vectors"),
        batch=runtime.config.whole("embedding.batch"),
        trace=runtime.trace,
    )
    worker.is_paused = lambda: job.is_paused
    resumed.connect(worker.wake)
    return worker
