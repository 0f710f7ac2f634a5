"""The composition root: builds, starts and stops the parts of an open vault."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.agents.connection_access import ConnectionAccess
from app.agents.incognito import IncognitoSwitch
from app.agents.isolated_vaults import IsolatedVaults
from app.agents.ledger.service import LedgerOptions, LedgerService
from app.agents.presence import AgentPresence
from app.agents.service import AREA as AGENTS_AREA
from app.agents.service import AgentService
from app.attachments.service import AttachmentService
from app.background_tasks import BackgroundTask, BackgroundTasks
from app.changes import Area, ChangeSet, Event, Feed, Progress
from app.config.config import Config
from app.config.keyring import Keyring
from app.connections.service import ConnectionService
from app.context.options import context_options
from app.context.service import ContextService
from app.core.access import Access
from app.core.clock import Clock
from app.core.memory_trim import MemoryTrimmer
from app.core.paths import migrations
from app.core.vault_opening import VaultOpening
from app.embed.download.download_jobs import ModelDownloads
from app.embed.embedder_source import ChatServiceSource
from app.embed.remote.api_keys import COMPATIBLE, ApiKey, ApiKeys
from app.entities import name_eraser
from app.entities import parts as entity_parts
from app.entities.enrichment import repo as enrichment_repo
from app.entities.entity_state import EntityApplier
from app.entities.model import GraphFilter, GraphView
from app.erasure.service import ErasureService
from app.errors import MachineError
from app.evaluation import parts as evaluation_parts
from app.exchange.capsule_keys import CapsuleKeys
from app.exchange.imported_files import ImportedFiles
from app.exchange.imported_sessions import ImportedSessions
from app.exchange.known_records import KnownRecords
from app.exchange.note_folder import NoteFolderWatch
from app.exchange.note_mirror import NoteMirror
from app.exchange.parsing import temporary_copies
from app.exchange.service import ExchangeService
from app.exchange.transcripts import parts as capture_parts
from app.exchange.unfinished_imports import UnfinishedImports
from app.exchange.vault_sink import VaultSink
from app.exchange.vault_source import VaultSource
from app.explain.service import ExplainService
from app.history.acts.reader import ActReader
from app.history.acts.service import ActService
from app.history.bulk_undo import BulkUndo
from app.history.run_changes import RunReader
from app.history.run_undo import RunUndo
from app.history.undo import StateApplier, UndoService
from app.inbox.proposal_history import ProposalApplier
from app.inbox.service import InboxService
from app.index import parts as index_parts
from app.index import repo as index_repo
from app.index import session_reindex
from app.jobs import Jobs
from app.knowledge_graph.service import KnowledgeGraphService
from app.llm import parts as llm_parts
from app.memories import confidence_repo
from app.memories import parts as memory_parts
from app.memories.confidence_undo import ConfidenceUndo
from app.memories.history_applier import MemoryApplier
from app.memories.memory_eraser import MemoryEraser
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryIndex
from app.quarantine.service import QuarantineService
from app.receipts.service import WriteReceipts
from app.retrieval import parts as search_parts
from app.retrieval.ranking.recipe_settings import with_settings
from app.retrieval.similar_memories import SimilarMemories
from app.runtime import Runtime
from app.schedule import parts as schedule_parts
from app.schedule.runner import GoalRunner
from app.schedule.service import ScheduleService
from app.sessions import parts as session_parts
from app.sessions.session_applier import SessionApplier
from app.sessions.session_eraser import SessionEraser
from app.spending.service import SpendingService
from app.store.options import StoreOptions
from app.store.store import Store
from app.trace.trace import Trace
from app.upkeep import enrichment_parts, memory_upkeep
from app.upkeep import parts as upkeep_parts
from app.upkeep.consolidation import parts as consolidation_parts
from app.upkeep.health import parts as health_parts
from app.upkeep.isolated import IsolatedBackups
from app.upkeep.job_schedules import UpkeepJobs
from app.upkeep.overview.safety_records import SafetyRecords
from app.upkeep.reflection import parts as reflection_parts

if TYPE_CHECKING:
    from app.erasure.eraser import Eraser
    from app.upkeep.upkeep_job import UpkeepJob

PERSON = "person"  # the owner of this vault
_INDEXED_AREAS: Final[frozenset[Area]] = frozenset({"messages", "memories"})
_INSTALL_AGAIN_S = 30.0
MAX_EXPORTED_NAMES = 20_000
_WARM_AFTER_S = 2.0  # the window comes first


class Engine:
    """The parts of an open vault.

    Args:
        vault: The vault's folder, made when there is none.
        config: Its settings.
        clock: The source of the time.
        feed: Hears of changes and progress.
        is_isolated: True for the own vault of an isolated agent.
        keys: Finds the keys of remote services; its own where not given.
        spending: Accounts of the language model; its own where not given.
        incognito: The switch that holds up agents; its own where not given.
        opening: Hears of the steps before the vault is open, and can stop them.

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
        spending: SpendingService | None = None,
        incognito: IncognitoSwitch | None = None,
        opening: VaultOpening | None = None,
    ) -> None:
        self.vault = vault
        self.config = config
        self.clock = clock
        self.feed = feed
        self.keys = keys or ApiKeys(config.environment, Keyring())
        self._new_goal_runner: Callable[[ScheduleService], GoalRunner] | None = None
        self._loop = asyncio.get_running_loop()
        self.trace = _open_trace(vault, config)
        with ExitStack() as opened, self.trace.span("engine.opened"):
            opened.callback(self.trace.close)
            options = _store_options(config, self.trace, opening or VaultOpening())
            self.store = Store.open(vault, migrations(), options=options)
            opened.callback(self.store.close)
            self.spending = spending or SpendingService(self.store, clock)
            self.incognito = incognito or IncognitoSwitch(self.store, clock)
            self._build()
            opened.pop_all()
        # An isolated agent's vault contains no other vaults.
        self.isolated = None if is_isolated else IsolatedVaults(self.store, self._isolated_agents, self._open_isolated)
        self._tasks = BackgroundTasks(self._background_tasks())

    def _isolated_agents(self) -> str:
        return self.config.text("agents.isolated")

    def _open_isolated(self, folder: Path) -> "Engine":
        # The settings are the person's, the same for all. Listeners of this engine learn nothing of that vault.
        made = Engine(
            folder,
            self.config,
            self.clock,
            Feed(),
            is_isolated=True,
            keys=self.keys,
            spending=self.spending,
            incognito=self.incognito,
        )
        if self._new_goal_runner is not None:
            made.set_goal_runner(self._new_goal_runner)
        return made

    def set_goal_runner(self, new_runner: Callable[[ScheduleService], GoalRunner]) -> None:
        """Let goals be pursued, here and in isolated agents' vaults.

        Args:
            new_runner: Makes the runner of the goals of some schedules.
        """
        self._new_goal_runner = new_runner
        self.schedules.runner.goals = new_runner(self.schedules.service)

    async def engine_for_caller(self, caller: str) -> "Engine | None":
        """Return the engine of an isolated agent's own vault; ``None`` for other callers."""
        return None if self.isolated is None or caller == PERSON else await self.isolated.of_caller(caller)

    async def _all_names(self) -> GraphView:
        return await self.entities.queries.graph(
            Access.everything(PERSON, "entity.graph"), None, 1, MAX_EXPORTED_NAMES, GraphFilter()
        )

    def _build(self) -> None:
        store, clock, config = self.store, self.clock, self.config
        self.jobs = Jobs(self._on_job)
        self.downloads = ModelDownloads(self.jobs)
        runtime = Runtime(store, config, clock, self.trace, self.jobs, self.publish, self._loop)
        self.chat = llm_parts.build(config, self._model_key, self.spending)
        self.index = index_parts.build(runtime, self.keys, self.downloads)
        indexer, worker = self.index.indexer, self.index.worker
        self.search = search_parts.build(runtime, worker, self.downloads)
        search = self.search.service
        self.memories = memory_parts.build(runtime, indexer, SimilarMemories(search), self.chat, self.chat.may_send)
        self.sessions = session_parts.build(runtime, indexer, self.memories.writing.write, self.chat)
        self.entities = entity_parts.build(runtime, worker.wait_quiet, self.chat)
        self.knowledge_graph = KnowledgeGraphService(store, self.memories.service, clock)
        self.erasure = self._build_erasure()
        self.evaluation = evaluation_parts.build(runtime, search, self.index.generations)
        self.explain = ExplainService(
            store, search, worker, vectors=config.flag("index.vectors"), tune=partial(with_settings, config)
        )
        options = partial(context_options, config)
        self.context = ContextService(store, search, self.trace, clock, options)
        incognito = self.incognito
        self.capture = capture_parts.build(runtime, self.sessions.service, lambda: incognito.is_on, incognito.covers)
        self.exchange = self._build_exchange(partial(VaultSink, store, self.sessions.service, indexer, clock))
        self.note_folder = self._build_note_folder(indexer)
        self.inbox = InboxService(store, clock, partial(config.whole, "inbox.days"), self.publish)
        self.enrichment = enrichment_parts.build(runtime, self.entities, self.inbox)
        self.consolidation = consolidation_parts.build(
            runtime, indexer, self.sessions, self.memories, self.inbox, self.chat
        )
        self.undo = self._build_undo()
        memory_jobs = memory_upkeep.build(runtime, MemoryUnitOfWork(store, indexer, clock), self.memories, self.chat)
        self.weekly_reflection = reflection_parts.build(runtime, indexer, self.chat)
        jobs: list[UpkeepJob] = [self.consolidation.job, self.enrichment.job, self.weekly_reflection, *memory_jobs]
        retry, read_again = self.index.embedding.try_again, self.entities.worker.start_over
        self.upkeep = upkeep_parts.build(runtime, worker, self._failures, retry, read_again, *jobs)
        schedules = schedule_parts.build_service(runtime)
        self.upkeep_jobs = UpkeepJobs(self.upkeep.jobs, schedules, clock, self.jobs, self.publish, self.trace)
        self.schedules = schedule_parts.build(runtime, schedules, self.upkeep_jobs.scheduled)
        self.consolidation.switched.connect(self.schedules.runner, schedules, self.upkeep_jobs.install)
        self.memory_trimmer = MemoryTrimmer(worker.wait_quiet)
        self.agents = AgentService(store, clock)
        self.presence = AgentPresence(clock, self.feed.publish)
        self.safety = SafetyRecords(store, clock)
        self.connections = ConnectionService(self.vault, ConnectionAccess(self.agents))
        self.attachments = AttachmentService(self.vault)
        self.receipts = WriteReceipts(store, clock)
        self.health = health_parts.build(runtime, indexer, self.agents)
        self.ledger = LedgerService(store, clock, self._ledger_options)
        writing, bulk_undo = MemoryUnitOfWork(store, indexer, clock), BulkUndo(store, self.undo)
        self.imported_files = ImportedFiles(store, self.attachments)
        self.quarantine = QuarantineService(store, bulk_undo, writing, self.sessions, clock)
        self.run_undo = self._build_run_undo(bulk_undo)
        self.acts = self._build_acts()
        self.run_reader = RunReader(store, ConfidenceUndo(store, clock).changes)

    def _model_key(self) -> ApiKey:
        return self.keys.key_of(self.chat_source())

    def chat_source(self) -> ChatServiceSource:
        """Return the language model's service, to which its key belongs."""
        base_url, variable = self.config.text("llm.base_url"), self.config.text("llm.api_key_env")
        return ChatServiceSource(COMPATIBLE, base_url=base_url, api_key_env=variable)

    def _ledger_options(self) -> LedgerOptions:
        return LedgerOptions(self.config.whole("ledger.days"), self.config.whole("ledger.entries"))

    def _build_undo(self) -> UndoService:
        appliers: dict[str, StateApplier] = {
            "session": SessionApplier(self.index.indexer),
            "memory": MemoryApplier(self.index.indexer),
            "entity": EntityApplier(),
            "proposal": ProposalApplier(partial(self.config.whole, "inbox.days")),
        }
        return UndoService(self.store, appliers, self.clock)

    def _build_run_undo(self, entries: BulkUndo) -> RunUndo:
        undoers = (
            ConfidenceUndo(self.store, self.clock).undo,
            self.enrichment.undo_run,
            self.imported_files.undo,
            self.quarantine.undo_withdrawal,
        )
        return RunUndo(self.store, self.undo, entries, undoers)

    def _build_acts(self) -> ActService:
        reader = ActReader(self.undo, (confidence_repo.standing_runs, enrichment_repo.standing_runs))
        return ActService(self.store, reader, self.undo, self.run_undo)

    def _build_note_folder(self, indexer: MemoryIndex) -> NoteFolderWatch:
        config, incognito = self.config, self.incognito
        mirror = NoteMirror(self.store, self.memories.service, indexer, self.clock, self.vault, self.publish)
        return NoteFolderWatch(
            mirror,
            partial(config.text, "capture.notes_folder"),
            lambda: config.text("capture.notes_folder_mode") == "both",
            lambda: incognito.is_on,
            self.feed.subscribe,
        )

    def _build_exchange(self, new_sink: Callable[..., VaultSink]) -> ExchangeService:
        self.unfinished_imports = UnfinishedImports(self.store, self.clock)
        self.capsule_keys = CapsuleKeys(self.store, self.clock, self.vault)
        source = VaultSource(self.store, self.memories.queries, self.memories.archive)
        known = KnownRecords(self.store).count
        return ExchangeService(
            lambda run_id: new_sink(run_id=run_id),
            source,
            lambda run_id: self.capture.new_sink(imported=ImportedSessions(run_id, self.index.indexer)),
            self.vault,
            known,
            self._all_names,
            self.unfinished_imports,
        )

    def _build_erasure(self) -> ErasureService:
        hide_entries = partial(session_reindex.begin, is_leaving=True)
        erasers: dict[str, Eraser] = {
            "memory": MemoryEraser(index_repo.delete_of_memory),
            "session": SessionEraser(index_repo.delete_of_session, hide_entries),
        }
        caches = search_parts.SearchCaches(self.search.service, self.index.worker)
        return ErasureService(self.store, erasers, name_eraser, self.clock, caches.clear)

    def _background_tasks(self) -> list[BackgroundTask]:
        index, names, expiry = self.index.worker, self.entities.worker, self.memories.expiry
        tasks = [
            BackgroundTask("care", partial(self.upkeep.service.begin, names.start_over)),
            BackgroundTask("backups", self.upkeep.backups.run),
            BackgroundTask("index", index.run, index.wake, _INDEXED_AREAS, is_reading=True),
            BackgroundTask("entities", names.run, names.wake, _INDEXED_AREAS, is_reading=True),
            BackgroundTask("forever", self.erasure.run),
            BackgroundTask("import-copies", partial(asyncio.to_thread, temporary_copies.remove_abandoned)),
            BackgroundTask("accesses", self.memories.access.run),
            BackgroundTask("ledger", self.ledger.run),
            BackgroundTask("ledger-pruning", self.ledger.prune),
            BackgroundTask("expiry", expiry.run, expiry.wake, frozenset({"memories"})),
            BackgroundTask("after-turn", self.sessions.after_turn.run),
            BackgroundTask("left-conversations", self.consolidation.switched.run, is_essential=False),
            BackgroundTask("inbox", self.inbox.run),
            BackgroundTask("schedules", self._run_schedules, is_essential=False),
            BackgroundTask("spending", self.spending.load, is_reading=True),
            BackgroundTask("receipts", self.sessions.idempotency_keys.run),
            BackgroundTask("write-receipts", self.receipts.run),
            BackgroundTask("unfinished-imports", self.unfinished_imports.load, is_reading=True),
            BackgroundTask("imported-files", self.imported_files.settle),
            BackgroundTask("heap", self._trim_memory, is_reading=True),
            BackgroundTask("warming", self._warm_search, is_reading=True, is_essential=False),
        ]
        if self.isolated is not None:
            others = IsolatedBackups(self.isolated.paths, self.isolated.at, self.clock, self.config)
            tasks.append(BackgroundTask("isolated-backups", others.run))
            tasks.append(BackgroundTask("transcripts", self.capture.watch.run, is_essential=False))
            tasks.append(BackgroundTask("note-folder", self.note_folder.run, is_essential=False))
        if self.config.flag("index.vectors"):
            tasks.append(BackgroundTask("vectors", self.index.builder.run))
        return tasks

    async def _run_schedules(self) -> None:
        while True:
            try:
                await self.upkeep_jobs.install()
                break
            except MachineError:
                await asyncio.sleep(_INSTALL_AGAIN_S)
        await self.schedules.runner.run()

    async def _trim_memory(self) -> None:
        await self.memory_trimmer.run()

    async def _warm_search(self) -> None:
        await asyncio.sleep(_WARM_AFTER_S)
        await self.index.worker.wait_quiet()
        job = self.jobs.begin("Preparing search", "steps", "warming")
        try:
            await self.search.service.warm()
        finally:
            self.jobs.end(job, "finished")

    def _failures(self) -> Sequence[str]:
        """Return a sentence about each part that does not work."""
        sessions, memories, names = self.sessions, self.memories, self.entities.worker
        settings = (f"{fault.sentence} Another value counts." for fault in self.config.faults)
        work = (*sessions.write_behind.failures, names.failure, *memories.access.failures)
        work = (*work, *self.ledger.failures, *self.unfinished_imports.failures)
        erasing = (self.erasure.failure, memories.expiry.failure, self.inbox.failure)
        model = self.chat.refusal and f"The language model is not used: {self.chat.refusal}"
        work = (*work, self.consolidation.switched.failure, model)
        notes = (*self.index.embedding.notes(), *self.upkeep.backups.notes())
        found = (
            *self.capture.watch.failures,
            *self.note_folder.failures,
            *settings,
            *self._tasks.failures,
            *work,
            *sessions.after_turn.failures,
            *erasing,
            *notes,
        )
        return tuple(filter(None, found))

    async def start(self) -> None:
        """Begin the background work, once Keepsake's own schedules are there."""
        with suppress(MachineError):  # agents are held up until it can be read
            await self.incognito.state()
        if self.store.read_only is None:
            # Where that fails, as on a full disk, they are stored later; see ``_run_schedules``.
            with suppress(MachineError):
                await self.upkeep_jobs.install()
        self._tasks.start(is_read_only=self.store.read_only is not None, is_safe_mode=self.config.is_safe_mode)

    def interrupt(self) -> None:
        """Tell long work and background work to stop; what is written stays."""
        self.jobs.cancel_all()
        self.store.interrupt()
        self.downloads.close()
        if self.isolated is not None:
            self.keys.close()
            self.isolated.interrupt()
        self._tasks.cancel()

    async def stop(self) -> None:
        """Cancel jobs and background work, finish what is written, close the vault."""
        self.interrupt()
        await self.sessions.write_behind.drain()
        if self.isolated is not None:
            await self.isolated.close()
        await self._tasks.wait_stopped()
        await self.memories.access.flush()
        await self.ledger.flush()
        await self.chat.close()
        await asyncio.to_thread(self.store.close)
        self.index.worker.close()
        self.search.close()
        self.trace.close()

    def publish(self, event: Event) -> None:
        """Tell the parts and everyone who listens of a change or of progress."""
        if isinstance(event, ChangeSet):
            self.sessions.on_change(event)
            self.memory_trimmer.wake()
            self._tasks.wake(event.areas)
            self.entities.on_change(event)
            if self.isolated is not None and AGENTS_AREA in event.areas:
                self.isolated.reread()
        self.feed.publish(event)

    def _on_job(self, progress: Progress) -> None:
        if progress.state != "running":
            # A model is downloaded, and its job ends, on another thread; perhaps when the loop is no more.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self.memory_trimmer.wake)
        self.publish(progress)


def _open_trace(vault: Path, config: Config) -> Trace:
    folder = vault / "trace" if config.flag("trace.enabled") else None
    return Trace(folder, max_bytes=config.whole("trace.megabytes") << 20, keep=config.whole("trace.keep"))


def _store_options(config: Config, trace: Trace, opening: VaultOpening) -> StoreOptions:
    return StoreOptions(
        config.number("store.read_limit"),
        config.whole("store.busy_timeout"),
        config.whole("store.readers"),
        config.flag("store.wal"),
        trace,
        opening,
    )
