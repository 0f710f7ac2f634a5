"""Parts of the search index: worker, vectors, and the choice of an embedding model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from app.changes import Area, ChangeSet
from app.config.config import Config
from app.embed.download.download_jobs import ModelDownloads
from app.embed.download.fastembed_files import half_of_processor
from app.embed.remote.api_keys import ApiKeys
from app.embed.reranking_model import configured_reranking_model
from app.index.embedder_opener import EmbedderOpener
from app.index.generations.active import GenerationManager
from app.index.generations.builder import GenerationBuilder
from app.index.generations.service import EmbeddingService
from app.index.indexer import Indexer
from app.index.token_vectors.token_vector_builder import TokenVectorBuilder
from app.index.worker import IndexWorker
from app.jobs import BackgroundJob, LoopWake
from app.part import BackgroundTask, Part
from app.runtime import Runtime

if TYPE_CHECKING:
    from app.embed.late_interaction import LateInteractionModel

LISTED_FROM = 200
"""Texts that must be left for background work to be listed as a job: fewer are done before a person could look."""

_INDEXED: Final[frozenset[Area]] = frozenset({"messages", "memories"})
_READ: Final[frozenset[Area]] = _INDEXED | {"index"}


@dataclass(frozen=True, slots=True)
class IndexParts(Part):
    """Parts of the search index.

    Args:
        indexer: Indexes what is written, within its transaction.
        worker: Brings the index up to date in the background.
        generations: The vectors of each embedding model.
        builder: Makes the vectors of another model.
        embedding: The choice of a model.
        token_vectors: Makes the token vectors of a late interaction model.
        has_vectors: Whether there are vectors at all.
    """

    indexer: Indexer
    worker: IndexWorker
    generations: GenerationManager
    builder: GenerationBuilder
    embedding: EmbeddingService
    token_vectors: TokenVectorBuilder
    has_vectors: bool

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the indexing, and the building of vectors."""
        indexing = BackgroundTask("index", self.worker.run, is_reading=True)
        tokens = BackgroundTask("token-vectors", self.token_vectors.run, is_reading=True)
        building = (BackgroundTask("vectors", self.builder.run),) if self.has_vectors else ()
        return (indexing, *building, tokens)

    @property
    def failures(self) -> Sequence[str]:
        """Sentences about the embedding model and the late interaction model."""
        return (*self.embedding.notes(), self.token_vectors.failure)

    def on_change(self, changes: ChangeSet) -> None:
        """Wake the workers for new texts."""
        if changes.areas & _INDEXED:
            self.worker.wake()
        if changes.areas & _READ:
            self.token_vectors.wake()

    async def close(self) -> None:
        """Close all models."""
        self.worker.close()
        self.token_vectors.close()


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
    tokens = _token_vectors(runtime, downloads, worker)
    embedding = EmbeddingService(
        runtime.store,
        runtime.clock,
        runtime.config,
        generations,
        builder,
        opener.open_requested,
        _EmbeddingRestart(downloads, worker),
        tokens,
    )
    return IndexParts(Indexer(), worker, generations, builder, embedding, tokens, runtime.config.flag("index.vectors"))


def _late_interaction_model(config: Config, downloads: ModelDownloads) -> "LateInteractionModel | None":
    named = configured_reranking_model(config, downloads, half_of_processor())
    if named is None:
        return None
    from app.embed.late_interaction import LateInteractionModel  # noqa: PLC0415  (loads numpy)

    return LateInteractionModel(named)


def _token_vectors(runtime: Runtime, downloads: ModelDownloads, worker: IndexWorker) -> TokenVectorBuilder:
    resumed = LoopWake(runtime.loop)
    title = "Reading texts for late interaction"
    builder = TokenVectorBuilder(
        runtime.store,
        runtime.clock,
        _late_interaction_model(runtime.config, downloads),
        worker.wait_quiet,
        BackgroundJob(runtime.jobs, "token_vectors", title, "texts", resumed, LISTED_FROM),
        runtime.trace,
    )
    resumed.connect(builder.wake)
    return builder


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
