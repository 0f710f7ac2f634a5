"""The composition root: builds the engine's parts from a vault and its settings, starts and stops them."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from app.changes import ChangeSet, Event, Feed, Progress
from app.config.config import Config
from app.core.clock import Clock
from app.core.paths import migrations
from app.embed.model import Embedder
from app.embed.registry import open_embedder
from app.entities.reads import EntityReads
from app.entities.service import EntityService
from app.entities.state import EntityApplier
from app.entities.sync import ACTOR, EntitySync
from app.exchange.service import ExchangeService
from app.exchange.vault import VaultSink, VaultSource
from app.index.indexer import Indexer
from app.index.sync import IndexSync
from app.jobs import Jobs
from app.memories.reads import MemoryReads
from app.memories.service import MemoryService
from app.memories.undo import Applier, MemoryApplier, UndoService
from app.retrieval.service import SearchService
from app.sessions.capture import Capture
from app.sessions.compaction import CompactionService
from app.sessions.digest import DigestService
from app.sessions.restore import RestoreService
from app.sessions.scratchpad import ScratchpadService
from app.sessions.service import SessionApplier, SessionService
from app.sessions.summary import SummaryService
from app.sessions.terms import terms_of
from app.sessions.working import WorkingMemory
from app.sessions.write_behind import WriteBehind
from app.store.store import Store
from app.trace.journal import Trace
from app.upkeep.care import CareService

_INDEXED_AREAS = frozenset({"messages", "memories"})


class Engine:
    """The parts of an open vault.

    Args:
        vault: The vault's folder, made when there is none.
        config: Its settings.
        clock: Where the time comes from.
        feed: Hears of changes and progress.

    Raises:
        MachineError: The vault cannot be opened; see ``Store.open``.
    """

    def __init__(self, vault: Path, config: Config, clock: Clock, feed: Feed) -> None:
        self.vault = vault
        self.config = config
        self.clock = clock
        self.feed = feed
        self._background: set[asyncio.Task[None]] = set()
        self.store = Store.open(vault, migrations(), config.number("store.read_limit"))
        try:
            self._build(config, clock)
        except BaseException:
            self.store.close()
            raise

    def _build(self, config: Config, clock: Clock) -> None:
        vault = self.vault
        self.trace = Trace(vault / "trace" if config.flag("trace.enabled") else None)
        vectors = config.flag("index.vectors")
        indexer = Indexer()
        self.sync = IndexSync(self.store, clock, partial(_embedder_of, config), self._on_vectors_made, embeds=vectors)
        terms = partial(terms_of, config)
        capture = Capture(terms)
        self.sessions = SessionService(self.store, indexer, clock, capture)
        self.working = WorkingMemory(self.store, terms().working_turns)
        self.write_behind = WriteBehind(self.sessions, clock, self.publish, terms().queue)
        self.summaries = SummaryService(self.store, clock)
        self.compaction = CompactionService(self.store, clock, terms)
        self.restoring = RestoreService(self.store, terms)
        self.scratchpads = ScratchpadService(self.store, self.sessions, capture, clock)
        self.digests = DigestService(self.store, clock)
        self.memories = MemoryService(self.store, indexer, clock)
        self.memory_reads = MemoryReads(self.store)
        self.entities = EntityService(self.store, clock)
        self.entity_reads = EntityReads(self.store)
        self.entity_sync = EntitySync(self.store, clock, self.publish, self.sync.wait_idle)
        appliers: dict[str, Applier] = {
            "session": SessionApplier(indexer),
            "memory": MemoryApplier(indexer),
            "entity": EntityApplier(),
        }
        self.undo = UndoService(self.store, appliers, clock)
        self.search = SearchService(self.store, self.sync, self.trace, clock, vectors=vectors)
        new_sink = partial(VaultSink, self.store, self.sessions, indexer, clock)
        self.exchange = ExchangeService(new_sink, VaultSource(self.store, self.memory_reads))
        self.jobs = Jobs(self.publish)
        self.care = CareService(self.store, self.sync, self.jobs, config.text("embedding.model"), self._failures)

    def _failures(self) -> Sequence[str]:
        reading = (self.entity_sync.failure,) if self.entity_sync.failure else ()
        return (*self.write_behind.failures, *reading)

    async def start(self) -> None:
        """Begin the background work."""
        self._background.add(asyncio.create_task(self.sync.run(), name="index"))
        self._background.add(asyncio.create_task(self.entity_sync.run(), name="entities"))

    def interrupt(self) -> None:
        """Tell long work and background work to stop; what is written stays."""
        self.jobs.cancel_all()
        for task in self._background:
            task.cancel()

    async def stop(self) -> None:
        """Cancel jobs and background work, finish what is written, close the vault."""
        self.interrupt()
        await self.write_behind.drain()
        # What broke in the background was told when it broke; it must not keep the vault from closing.
        await asyncio.gather(*self._background, return_exceptions=True)
        await asyncio.to_thread(self.store.close)
        self.sync.close()
        self.trace.close()

    def publish(self, event: Event) -> None:
        """Tell the index and everyone who listens of a change or of progress."""
        if isinstance(event, ChangeSet):
            self.working.heard(event)
            if event.areas & _INDEXED_AREAS:
                self.sync.wake()
                self.entity_sync.wake()
            if "entities" in event.areas and event.actor != ACTOR:
                self.entity_sync.wake(decided=True)
        self.feed.publish(event)

    def _on_vectors_made(self, pending: int) -> None:
        state = "running" if pending else "finished"
        self.feed.publish(Progress("index", "Indexing for search by meaning", 0, pending, "chunks", state=state))


def _embedder_of(config: Config) -> Embedder:
    return open_embedder(config.text("embedding.model"), folder=config.text("embedding.folder") or None)
