"""The composition root: builds the engine's parts from a vault and its settings, starts and stops them."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from app.agents.isolated_vaults import IsolatedVaults
from app.changes import ChangeSet, Event, Feed, Progress
from app.config import diagnosis as config_check
from app.config.config import Config
from app.config.keyring import Keyring
from app.context.options import context_options
from app.context.service import ContextService
from app.core import memory_trim
from app.core.clock import Clock
from app.core.error_location import error_location
from app.core.paths import migrations, models_cache
from app.embed.cross_encoder import FastembedReranker
from app.embed.download.download_jobs import ModelDownloads
from app.embed.embedder_factory import open_source
from app.embed.embedder_source import EmbedderSource
from app.embed.model import DownloadWatcher, Embedder
from app.embed.remote.api_keys import ApiKeys
from app.embed.tracing_embedder import TracedEmbedder
from app.entities import name_eraser
from app.entities.entity_state import EntityApplier
from app.entities.mention_worker import ACTOR, MentionWorker
from app.entities.queries.entity_queries import EntityQueries
from app.entities.service import EntityService
from app.erasure.service import Eraser, ErasureService
from app.evaluation.benchmark import BenchmarkService
from app.evaluation.comparison import ComparisonService
from app.exchange.service import ExchangeService
from app.exchange.vault_source import VaultSink, VaultSource
from app.explain.service import ExplainService
from app.history.undo import StateApplier, UndoService
from app.index import chunk_eraser, session_reindex
from app.index.generations.active import GenerationManager
from app.index.generations.builder import GenerationBuilder
from app.index.generations.service import EmbeddingService, configured_source
from app.index.indexer import Indexer
from app.index.worker import IndexWorker
from app.jobs import BackgroundJob, Jobs
from app.memories.access import AccessCounter
from app.memories.archive.service import ArchiveService
from app.memories.deduplication.batch import BatchService
from app.memories.deduplication.service import DeduplicatingWriter, DeduplicationOptions
from app.memories.deduplication.similar import SimilarFinder
from app.memories.expiry import ExpiryService
from app.memories.fact_service import FactService
from app.memories.forecast import ForecastService
from app.memories.history_applier import MemoryApplier
from app.memories.memory_eraser import MemoryEraser
from app.memories.queries.fact_queries import FactQueries
from app.memories.queries.memory_queries import MemoryQueries
from app.memories.reflections import ReflectionService
from app.memories.service import MemoryService
from app.memories.tags.service import TagService
from app.memories.unit_of_work import MemoryUnitOfWork
from app.retrieval.ranking.recipe_settings import with_settings
from app.retrieval.service import SearchService
from app.retrieval.similar_memories import SimilarMemories
from app.sessions.capture.after_turn import AfterTurn
from app.sessions.capture.auto_capture import AutoCapture
from app.sessions.capture.capture_policy import CapturePolicy
from app.sessions.capture.write_behind import WriteBehind
from app.sessions.compaction.rolling_summary import SummaryService
from app.sessions.compaction.service import CompactionService
from app.sessions.consolidation_queue import ConsolidationQueue
from app.sessions.idempotency import IdempotencyKeyCleaner
from app.sessions.options import session_options
from app.sessions.scratchpad import ScratchpadService
from app.sessions.service import SessionApplier, SessionService
from app.sessions.session_eraser import SessionEraser
from app.sessions.session_restore import RestoreService
from app.sessions.session_summaries import SessionSummaryService
from app.sessions.working_memory import WorkingMemory
from app.store.options import StoreOptions
from app.store.store import Store
from app.trace.trace import Trace
from app.upkeep.backup_service import BackupService
from app.upkeep.isolated import IsolatedBackups
from app.upkeep.model import Finding
from app.upkeep.service import UpkeepService

PERSON = "person"  # whose vault this is
_INDEXED_AREAS = frozenset({"messages", "memories"})
_READING_WORK = frozenset({"index", "entities", "heap", "warming"})  # what also runs where nothing can be written
_LISTED_FROM = 200  # texts left to index or read for names; less is done before anybody could look
_WARM_AFTER_S = 2.0  # the window comes first
_BROKEN = "The background work “{work}” stopped because of a fault in Keepsake; it begins again when you restart it."

_log = logging.getLogger(__name__)


class Engine:
    """The parts of an open vault.

    Args:
        vault: The vault's folder, made when there is none.
        config: Its settings.
        clock: Where the time comes from.
        feed: Hears of changes and progress.
        is_isolated: This is the own vault of an isolated agent.
        keys: Finds the keys of remote services; its own where not given.

    Raises:
        MachineError: The vault cannot be opened; see ``Store.open``.
    """

    def __init__(
        self,
        vault: Path,
        config: Config,
        clock: Clock,
        feed: Feed,
        *,
        is_isolated: bool = False,
        keys: ApiKeys | None = None,
    ) -> None:
        self.vault = vault
        self.config = config
        self.clock = clock
        self.feed = feed
        self.keys = keys or ApiKeys(config.environment, Keyring())
        self._loop = asyncio.get_running_loop()
        self._background: set[asyncio.Task[None]] = set()
        self._broken: list[str] = []
        self.trace = _trace_of(vault, config)
        with ExitStack() as opened:
            opened.callback(self.trace.close)
            self.store = Store.open(vault, migrations(), terms=_terms_of(config, self.trace))
            opened.callback(self.store.close)
            self._build(config, clock)
            opened.pop_all()
        # An isolated agent's own vault has no further ones in it.
        self.isolated = None if is_isolated else IsolatedVaults(self.store, self._isolated_agents, self._open_isolated)

    def _isolated_agents(self) -> str:
        return self.config.text("agents.isolated")

    def _open_isolated(self, folder: Path) -> "Engine":
        # The settings are the person's, the same for all; nobody who listens here hears of what happens there.
        return Engine(folder, self.config, self.clock, Feed(), is_isolated=True, keys=self.keys)

    async def elsewhere(self, caller: str) -> "Engine | None":
        """Return the engine of an isolated agent's own vault, ``None`` for everybody else."""
        return None if self.isolated is None or caller == PERSON else await self.isolated.of_caller(caller)

    def _build(self, config: Config, clock: Clock) -> None:
        indexer = Indexer()
        self.jobs = Jobs(self._on_job)
        self.fetching = ModelDownloads(self.jobs)
        self._build_index(config, clock)
        self._build_sessions(config, clock, indexer)
        self._build_memories(clock, indexer)
        self._build_entities(config, clock)
        self._build_changes(clock, indexer)
        self._build_search(config, clock)
        self._build_writing(config, MemoryUnitOfWork(self.store, indexer, clock))
        self._build_context(config, clock)
        self._build_after_turn(config)
        self._build_care(config, clock, indexer)

    def _build_index(self, config: Config, clock: Clock) -> None:
        wanted = partial(configured_source, config)
        opening = partial(_embedder_of, config, self.keys, self.trace, self.fetching)

        def opened(source: EmbedderSource, *, is_requested: bool = False) -> Embedder:
            # Where the key is may have changed since the source was noted.
            return opening(source.with_key_of(wanted()), is_requested=is_requested)

        def go_on() -> None:
            self.fetching.allow()
            self.sync.wake()

        self.generations = GenerationManager(
            self.store,
            clock,
            lambda: opened(wanted()),
            reopen=opened,
            wanted=wanted,
            may_send=partial(config.flag, "embedding.send_private"),
        )
        self.sync = IndexWorker(
            self.store,
            clock,
            lambda: opened(wanted()),
            self._on_vectors_made,
            embeds=config.flag("index.vectors"),
            batch=config.whole("embedding.batch"),
            trace=self.trace,
            generations=self.generations,
        )
        self._index_job = BackgroundJob(
            self.jobs, "index", "Indexing for search by meaning", "texts", self._in_loop(self.sync.wake), _LISTED_FROM
        )
        self.sync.is_paused = lambda: self._index_job.is_paused
        self.builder = GenerationBuilder(
            self.store,
            clock,
            self.generations,
            self.jobs,
            self.publish,
            self.sync,
            batch=config.whole("embedding.batch"),
            trace=self.trace,
        )
        self.embedding = EmbeddingService(
            self.store, clock, config, self.generations, self.builder, partial(opened, is_requested=True), go_on
        )
        self.heap = memory_trim.MemoryTrimmer(self.sync.wait_quiet)

    def _build_sessions(self, config: Config, clock: Clock, indexer: Indexer) -> None:
        terms = partial(session_options, config)
        capture = CapturePolicy(terms)
        self.sessions = SessionService(self.store, indexer, clock, capture)
        self.receipts = IdempotencyKeyCleaner(self.store, clock)
        self.working = WorkingMemory(self.store, terms().working_turns)
        self.write_behind = WriteBehind(self.sessions, clock, self.publish, terms().queue)
        self.summaries = SummaryService(self.store, clock, capture)
        self.compaction = CompactionService(self.store, clock, terms)
        self.restoring = RestoreService(self.store, terms)
        self.scratchpads = ScratchpadService(self.store, self.sessions, capture, clock)
        self.digests = SessionSummaryService(self.store, clock)
        self.pending = ConsolidationQueue(self.store, clock)

    def _build_memories(self, clock: Clock, indexer: Indexer) -> None:
        self.memories = MemoryService(self.store, indexer, clock)
        self.memory_reads = MemoryQueries(self.store)
        self.access = AccessCounter(self.store, clock)
        self.tags = TagService(self.store, indexer, clock)
        self.archive = ArchiveService(self.store, indexer, clock)

    def _build_entities(self, config: Config, clock: Clock) -> None:
        self.entities = EntityService(self.store, clock)
        self.entity_reads = EntityQueries(self.store)
        self.entity_sync = MentionWorker(
            self.store,
            clock,
            self.publish,
            self.sync.wait_quiet,
            batch=config.whole("ner.batch"),
            trace=self.trace,
            job=BackgroundJob(
                self.jobs, "names", "Recognising names", "texts", self._in_loop(self._wake_names), _LISTED_FROM
            ),
        )

    def _build_changes(self, clock: Clock, indexer: Indexer) -> None:
        appliers: dict[str, StateApplier] = {
            "session": SessionApplier(indexer),
            "memory": MemoryApplier(indexer),
            "entity": EntityApplier(),
        }
        self.undo = UndoService(self.store, appliers, clock)
        erasers: dict[str, Eraser] = {
            "memory": MemoryEraser(chunk_eraser.of_memory),
            "session": SessionEraser(chunk_eraser.of_session, partial(session_reindex.begin, is_leaving=True)),
        }
        self.forever = ErasureService(self.store, erasers, name_eraser, clock, self._forget_caches)

    async def _forget_caches(self) -> None:
        """Let go of what is kept beside the database of texts that were forgotten for ever."""
        self.search.forget_words()
        await self.sync.discard_ann_cache()

    def _build_search(self, config: Config, clock: Clock) -> None:
        vectors, tune = config.flag("index.vectors"), partial(with_settings, config)
        self.reranker = _reranker_of(config, self.fetching)
        self.search = SearchService(
            self.store, self.sync, self.trace, clock, vectors=vectors, tune=tune, reranker=self.reranker
        )
        self.explaining = ExplainService(self.store, self.search, self.sync, vectors=vectors, tune=tune)
        self.trials = BenchmarkService(self.store, self.search, clock, partial(config.text, "embedding.model"))
        self.beside = ComparisonService(self.store, self.search, self.generations, vectors=vectors)

    def _build_writing(self, config: Config, transactions: MemoryUnitOfWork) -> None:
        finder, resembling = SimilarFinder(), SimilarMemories(self.search)
        self.writing = DeduplicatingWriter(
            transactions,
            finder,
            self.trace,
            partial(_writing_terms_of, config),
            reconciler=None,
            candidates=resembling,
        )
        self.batches = BatchService(transactions, self.writing)
        self.facts = FactService(transactions, partial(config.number, "memories.conflict_confidence"))
        self.fact_reads = FactQueries(self.store, finder, self.clock, resembling)
        self.reflections = ReflectionService(transactions)
        self.forecasts = ForecastService(self.store, self.clock)
        self.expiry = ExpiryService(transactions, self.publish)

    def _build_context(self, config: Config, clock: Clock) -> None:
        told = partial(context_options, config)
        self.context = ContextService(self.store, self.search, self.reflections, self.trace, clock, told)

    def _build_after_turn(self, config: Config) -> None:
        terms = partial(session_options, config)
        # Without somebody to find what is worth remembering nothing is written.
        taking = AutoCapture(self.store, terms, self.writing.write)
        self.after_turn = AfterTurn(self.store, terms, self.digests, self.compaction, taking, self.publish, self.trace)

    def _build_care(self, config: Config, clock: Clock, indexer: Indexer) -> None:
        new_sink = partial(VaultSink, self.store, self.sessions, indexer, clock)
        self.exchange = ExchangeService(new_sink, VaultSource(self.store, self.memory_reads, self.archive))
        self.backups = BackupService(self.store, clock, config, self.publish, self.jobs)
        model = partial(config.text, "embedding.model")
        settings = partial(_settings_findings, config)
        self.care = UpkeepService(self.store, self.sync, self.jobs, model, self._failures, clock, settings)

    def _failures(self) -> Sequence[str]:
        reading = (self.entity_sync.failure,) if self.entity_sync.failure else ()
        settings = tuple(f"{fault.sentence} Another value counts." for fault in self.config.faults)
        work = (*self.write_behind.failures, *reading, *self.access.failures, *self.after_turn.failures)
        forgetting = tuple(failure for failure in (self.forever.failure, self.expiry.failure) if failure)
        return (*settings, *self._broken, *work, *forgetting, *self.embedding.notes(), *self.backups.notes())

    async def start(self) -> None:
        """Begin the background work."""
        work = {
            "care": self.care.begin(self.entity_sync.start_over),
            "backups": self.backups.run(),
            "index": self.sync.run(),
            "entities": self.entity_sync.run(),
            "forever": self.forever.run(),
            "accesses": self.access.run(),
            "expiry": self.expiry.run(),
            "after-turn": self.after_turn.run(),
            "receipts": self.receipts.run(),
            "heap": self.heap.run(),
            "warming": self._warm(),
        }
        if self.isolated is not None:
            others = IsolatedBackups(self.isolated.paths, self.isolated.at, self.clock, self.config)
            work["isolated-backups"] = others.run()
        if self.config.flag("index.vectors"):
            work["vectors"] = self.builder.run()
        for name, task in work.items():
            if self.store.read_only is not None and name not in _READING_WORK:
                task.close()
                continue
            begun = asyncio.create_task(task, name=name)
            begun.add_done_callback(self._look_at)
            self._background.add(begun)

    def _look_at(self, ended: "asyncio.Task[None]") -> None:
        """Tell of background work that broke, which nobody waits for."""
        error = None if ended.cancelled() else ended.exception()
        if error is not None:
            _log.error("background work %s broke: %s", ended.get_name(), error_location(error))
            self._broken.append(_BROKEN.format(work=ended.get_name()))

    async def _warm(self) -> None:
        await asyncio.sleep(_WARM_AFTER_S)
        await self.sync.wait_quiet()
        job = self.jobs.begin("Preparing search", "steps", "warming")
        try:
            await self.search.warm()
        finally:
            self.jobs.end(job, "finished")

    def interrupt(self) -> None:
        """Tell long work and background work to stop; what is written stays."""
        self.jobs.cancel_all()
        self.fetching.close()
        if self.isolated is not None:
            self.keys.close()
            self.isolated.interrupt()
        for task in self._background:
            task.cancel()

    async def stop(self) -> None:
        """Cancel jobs and background work, finish what is written, close the vault."""
        self.interrupt()
        await self.write_behind.drain()
        if self.isolated is not None:
            await self.isolated.close()
        # What broke in the background was told when it broke; it must not keep the vault from closing.
        await asyncio.gather(*self._background, return_exceptions=True)
        await self.access.flush()
        await asyncio.to_thread(self.store.close)
        self.sync.close()
        if self.reranker is not None:
            self.reranker.close()
        self.trace.close()

    def publish(self, event: Event) -> None:
        """Tell the index and everyone who listens of a change or of progress."""
        if isinstance(event, ChangeSet):
            self.working.heard(event)
            self.after_turn.heard(event)
            self.heap.wake()
            if event.areas & _INDEXED_AREAS:
                self.sync.wake()
                self.entity_sync.wake()
                self.expiry.wake()
            if "entities" in event.areas and event.actor != ACTOR:
                self.entity_sync.wake(decided=True)
        self.feed.publish(event)

    def _on_job(self, progress: Progress) -> None:
        if progress.state != "running":
            # A model is fetched, and its job ends, on another thread; perhaps when the loop is no more.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self.heap.wake)
        self.publish(progress)

    def _on_vectors_made(self, made: int, pending: int) -> None:
        self._index_job.advance(made, pending)

    def _wake_names(self) -> None:
        self.entity_sync.wake()

    def _in_loop(self, call: Callable[[], None]) -> Callable[[], None]:
        """Return what makes ``call`` on the engine's loop, from any thread."""

        def later() -> None:
            self._loop.call_soon_threadsafe(call)

        return later


def _settings_findings(config: Config) -> list[Finding]:
    return [Finding("settings", item.severity, item.what, item.remedy) for item in config_check.findings(config)]


def _writing_terms_of(config: Config) -> DeduplicationOptions:
    return DeduplicationOptions(
        config.number("memories.duplicate_similarity"),
        config.number("memories.candidate_similarity"),
        config.number("memories.reconcile_seconds"),
    )


def _embedder_of(
    config: Config, keys: ApiKeys, trace: Trace, fetching: ModelDownloads, source: EmbedderSource, *, is_requested: bool
) -> Embedder:
    def open_it(fetch: bool, watch: DownloadWatcher) -> Embedder:
        return open_source(source, keys=keys, cache=models_cache(), fetch=fetch, watch=watch)

    may_fetch = config.flag("embedding.allow_download")
    with trace.span("embedding.opened"):
        embedder = fetching.open_model(source.model, open_it, may_fetch=may_fetch, is_requested=is_requested)
    return TracedEmbedder(embedder, trace)


def _reranker_of(config: Config, fetching: ModelDownloads) -> FastembedReranker | None:
    model, folder = config.text("search.reranker"), config.text("search.reranker_folder")
    if not model:
        return None
    return FastembedReranker(
        model,
        folder=Path(folder).expanduser() if folder else None,
        cache=models_cache(),
        fetch=config.flag("embedding.allow_download"),
        track_download=partial(fetching.track_download, model),
    )


def _trace_of(vault: Path, config: Config) -> Trace:
    folder = vault / "trace" if config.flag("trace.enabled") else None
    return Trace(folder, max_bytes=config.whole("trace.megabytes") << 20, keep=config.whole("trace.keep"))


def _terms_of(config: Config, trace: Trace) -> StoreOptions:
    return StoreOptions(
        config.number("store.read_limit"),
        config.whole("store.busy_timeout"),
        config.whole("store.readers"),
        config.flag("store.wal"),
        trace,
    )
