"""The composition root: builds, starts and stops the parts of an open vault."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.agents.connection_access import ConnectionAccess
from app.agents.incognito import IncognitoSwitch
from app.agents.isolated_vaults import IsolatedVaults
from app.agents.ledger.service import LedgerOptions, LedgerService
from app.agents.presence import AgentPresence
from app.agents.service import AgentService
from app.attachments.service import AttachmentService
from app.background_tasks import BackgroundTasks
from app.changes import ChangeSet, Event, Feed, Progress
from app.config.config import Config
from app.config.keyring import Keyring
from app.connections.service import ConnectionService
from app.context.options import context_options
from app.context.service import ContextService
from app.core.clock import Clock
from app.core.paths import migrations
from app.core.vault_opening import VaultOpening
from app.embed.download.download_jobs import ModelDownloads
from app.embed.embedder_source import ChatServiceSource
from app.embed.remote.api_keys import ApiKey, ApiKeys
from app.entities import parts as entity_parts
from app.errors import MachineError
from app.evaluation import parts as evaluation_parts
from app.exchange import parts as exchange_parts
from app.exchange.transcripts import parts as capture_parts
from app.explain.service import ExplainService
from app.inbox.service import InboxService
from app.index import parts as index_parts
from app.index.generations import service_keys
from app.index.indexer import Indexer
from app.jobs import Jobs
from app.knowledge_graph.service import KnowledgeGraphService
from app.llm import parts as llm_parts
from app.memories import parts as memory_parts
from app.memories.queries.title_links import links_of_titles
from app.memories.unit_of_work import MemoryUnitOfWork
from app.part import Closing, Parts
from app.projection.projection_loop import ProjectionLoop
from app.projection.service import ProjectionService
from app.receipts.service import WriteReceipts
from app.retrieval import parts as search_parts
from app.retrieval.ranking.recipe_settings import with_settings
from app.retrieval.similar_memories import SimilarMemories
from app.runtime import Runtime
from app.schedule import parts as schedule_parts
from app.schedule.runner import GoalRunner
from app.schedule.service import ScheduleService
from app.sessions import parts as session_parts
from app.spending.service import SpendingService
from app.store.options import store_options
from app.store.store import Store
from app.trace.trace import Trace
from app.upkeep import enrichment_parts, erasure_parts, memory_upkeep, sync_parts, undo_parts
from app.upkeep import parts as upkeep_parts
from app.upkeep.backups.isolated_backups import IsolatedBackups
from app.upkeep.consolidation import parts as consolidation_parts
from app.upkeep.health import parts as health_parts
from app.upkeep.job_schedules import UpkeepJobs
from app.upkeep.memory_trimmer import MemoryTrimmer
from app.upkeep.overview.safety_records import SafetyRecords
from app.upkeep.reflection import parts as reflection_parts

if TYPE_CHECKING:
    from app.upkeep.upkeep_job import UpkeepJob

PERSON = "person"  # the owner of this vault

NewGoalRunner = Callable[["Engine", ScheduleService], GoalRunner]


class Engine:
    """The parts of an open vault.

    Args:
        vault: The vault's folder, made when there is none.
        config: Its settings.
        clock: The source of the time.
        feed: Hears of changes and progress.
        person: The person's engine where the vault is an isolated agent's own; its keys, accounts and switch are used.
        opening: Hears of the steps before the vault is open, and can stop them.
        new_goal_runner: Makes what pursues the goals of some schedules, given the person's engine; goals wait without.

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
        person: "Engine | None" = None,
        opening: VaultOpening | None = None,
        new_goal_runner: "NewGoalRunner | None" = None,
    ) -> None:
        self.vault = vault
        self.config = config
        self.clock = clock
        self.feed = feed
        self.keys: ApiKeys = person.keys if person else ApiKeys(config.environment, Keyring())
        self._person = person or self
        self._new_goal_runner = new_goal_runner
        self._loop = asyncio.get_running_loop()
        self._parts = Parts()
        self.trace = _open_trace(vault, config)
        with ExitStack() as opened, self.trace.span("engine.opened"):
            opened.callback(self.trace.close)
            options = store_options(config, self.trace, opening or VaultOpening())
            self.store = Store.open(vault, migrations(), options=options)
            opened.callback(self.store.close)
            self.spending: SpendingService = person.spending if person else SpendingService(self.store, clock)
            self.incognito: IncognitoSwitch = person.incognito if person else IncognitoSwitch(self.store, clock)
            self._build(is_isolated=person is not None)
            opened.pop_all()

    def _isolated_agents(self) -> str:
        return self.config.text("agents.isolated")

    def _open_isolated(self, folder: Path) -> "Engine":
        # The settings are the person's, the same for all. Listeners of this engine learn nothing of that vault.
        return Engine(folder, self.config, self.clock, Feed(), person=self, new_goal_runner=self._new_goal_runner)

    def _goal_runner(self, schedules: ScheduleService) -> GoalRunner | None:
        return None if self._new_goal_runner is None else self._new_goal_runner(self._person, schedules)

    async def engine_for_caller(self, caller: str) -> "Engine | None":
        """Return the engine of an isolated agent's own vault; ``None`` for other callers."""
        return None if self.isolated is None or caller == PERSON else await self.isolated.of_caller(caller)

    def _build(self, *, is_isolated: bool) -> None:
        store, clock, config, add = self.store, self.clock, self.config, self._parts.add
        self.jobs = Jobs(self._on_job)
        self.downloads = ModelDownloads(self.jobs)
        runtime = Runtime(store, config, clock, self.trace, self.jobs, self.publish, self._loop)
        self.index = add(index_parts.build(runtime, self.keys, self.downloads))
        indexer, worker = self.index.indexer, self.index.worker
        self.search = add(search_parts.build(runtime, worker, self.index.token_vectors, self.downloads))
        search = self.search.service
        add(
            Closing(partial(asyncio.to_thread, store.close))
        )  # open until all parts that are added below have written what waits
        chat = self.chat = add(llm_parts.build(config, self._model_key, self.spending))
        self.ledger = add(LedgerService(store, clock, self._ledger_options))
        self.memories = add(memory_parts.build(runtime, indexer, SimilarMemories(search), chat, chat.may_send))
        add(self.spending)
        self.receipts = add(WriteReceipts(store, clock))
        self.entities = add(entity_parts.build(runtime, worker.wait_quiet, chat, links_of_titles))
        self.erasure = add(erasure_parts.build(runtime, search, worker))
        self.memory_trimmer = add(MemoryTrimmer(worker.wait_quiet))
        self.inbox = add(InboxService(store, clock, partial(config.whole, "inbox.days"), self.publish))
        self.enrichment = enrichment_parts.build(runtime, self.entities, self.inbox)
        self.consolidation = consolidation_parts.build(runtime, indexer, self.memories, self.inbox, chat)
        memory_jobs = memory_upkeep.build(runtime, MemoryUnitOfWork(store, indexer, clock), self.memories, chat)
        self.weekly_reflection = reflection_parts.build(runtime, indexer, chat)
        jobs: list[UpkeepJob] = [self.consolidation.job, self.enrichment.job, self.weekly_reflection, *memory_jobs]
        retry, read_again = self.index.embedding.try_again, self.entities.worker.start_over
        self.upkeep = add(upkeep_parts.build(runtime, worker, self._failures, retry, read_again, self.keys, *jobs))
        schedules = schedule_parts.build_service(runtime)
        self.upkeep_jobs = UpkeepJobs(self.upkeep.jobs, schedules, clock, self.jobs, self.publish, self.trace)
        upkeep, goals = self.upkeep_jobs, self._goal_runner(schedules)
        self.schedules = add(schedule_parts.build(runtime, schedules, upkeep.scheduled, upkeep.install, goals))
        self.switched_sessions = add(consolidation_parts.build_switched(config, self.consolidation, self.schedules))
        self._tasks = add(BackgroundTasks())  # stopped once the parts that are added below are closed
        # An isolated agent's vault contains no other vaults.
        self.isolated = None if is_isolated else add(IsolatedVaults(store, self._isolated_agents, self._open_isolated))
        self.sessions = add(
            session_parts.build(runtime, indexer, self.memories.writing.write, chat, self.switched_sessions.note)
        )
        incognito = self.incognito
        self.capture = capture_parts.build(runtime, self.sessions.service, lambda: incognito.is_on, incognito.covers)
        self.note_folder = exchange_parts.build_note_folder(runtime, indexer, self.memories, incognito)
        if self.isolated is not None:
            add(IsolatedBackups(self.isolated.paths, self.isolated.at, clock, config))
            add(self.capture)
            add(self.note_folder)
        self.attachments = AttachmentService(self.vault)
        self.exchange = add(
            exchange_parts.build(
                runtime,
                indexer,
                self.sessions.service,
                self.memories,
                self.entities.queries,
                self.capture,
                self.attachments,
            )
        )
        self._build_services(runtime, indexer)

    def _build_services(self, runtime: Runtime, indexer: Indexer) -> None:
        """Build what only answers calls."""
        store, clock, config, search = self.store, self.clock, self.config, self.search.service
        self.knowledge_graph = KnowledgeGraphService(store, self.memories.service, clock)
        self.evaluation = evaluation_parts.build(runtime, search, self.index.generations)
        self.explain = ExplainService(
            store, search, self.index.worker, vectors=config.flag("index.vectors"), tune=partial(with_settings, config)
        )
        self.context = ContextService(store, search, self.trace, clock, partial(context_options, config))
        self.agents = AgentService(store, clock)
        self.presence = AgentPresence(clock, self.feed.publish)
        self.safety = SafetyRecords(store, clock)
        self.connections = ConnectionService(self.vault, ConnectionAccess(self.agents))
        self.health = health_parts.build(runtime, indexer, self.agents)
        self.sync = self._parts.add(sync_parts.build(runtime, indexer, self.erasure))
        self.schedules.runner.turns = self.sync.turns
        self.projection = ProjectionLoop(ProjectionService(store, clock, self.sync.membership.key_store))
        if self.isolated is not None:
            self._parts.add(self.projection)
        undoers = (self.enrichment.undo_run, self.exchange.imported_files.undo)
        self.undo = undo_parts.build(runtime, indexer, self.sessions, *undoers)

    def _model_key(self) -> ApiKey:
        return self.keys.key_of(self.chat_source())

    def chat_source(self) -> ChatServiceSource:
        """Return the language model's service, to which its key belongs."""
        return service_keys.chat_source(self.config)

    def _ledger_options(self) -> LedgerOptions:
        return LedgerOptions(self.config.whole("ledger.days"), self.config.whole("ledger.entries"))

    def _failures(self) -> Sequence[str]:
        return self._parts.failures

    async def start(self) -> None:
        """Begin the background work, once Keepsake's own schedules are there."""
        with suppress(MachineError):  # agents are held up until it can be read
            await self.incognito.state()
        if self.store.read_only is None:
            # Where that fails, as on a full disk, they are stored later; see ``ScheduleParts``.
            with suppress(MachineError):
                await self.upkeep_jobs.install()
        is_read_only = self.store.read_only is not None
        self._tasks.start(self._parts.tasks(), is_read_only=is_read_only, is_safe_mode=self.config.is_safe_mode)

    def interrupt(self) -> None:
        """Tell long work and background work to stop; what is written stays."""
        self.jobs.cancel_all()
        self.store.interrupt()
        self.downloads.close()
        self.sync.service.calls.close()
        self.projection.service.calls.close()
        if self.isolated is not None:
            self.keys.close()
            self.isolated.interrupt()
        self._tasks.cancel()

    async def stop(self) -> None:
        """Cancel jobs and background work, finish what is written, close the vault."""
        self.interrupt()
        await self._parts.close()
        self.trace.close()

    def publish(self, event: Event) -> None:
        """Tell the parts and everyone who listens of a change or of progress."""
        if isinstance(event, ChangeSet):
            self._parts.on_change(event)
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
