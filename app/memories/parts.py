"""Parts of the durable memories: notes, facts, observations, reflections, tags and the archive."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from app.changes import ChangeSet
from app.config.config import Config
from app.core.stores import StoreName
from app.llm.chat_model import ChatModel
from app.memories.access_counts import AccessCounter
from app.memories.archive.service import ArchiveService
from app.memories.bulk_changes import BulkChangeService
from app.memories.decay.forecast import ForecastService
from app.memories.deduplication.batch import BatchService
from app.memories.deduplication.model_reconciler import ModelReconciler
from app.memories.deduplication.reconciler import CandidateFinder
from app.memories.deduplication.service import DeduplicatingWriter, DeduplicationOptions
from app.memories.deduplication.similar import SimilarFinder
from app.memories.digests.reflections import ReflectionService
from app.memories.expiry import ExpiryService
from app.memories.fact_service import FactService
from app.memories.note_links.unlinked_mentions import UnlinkedMentionService
from app.memories.notes.note_files import NoteFileService
from app.memories.notes.template_service import TemplateService
from app.memories.queries.fact_queries import FactQueries
from app.memories.queries.memory_queries import MemoryQueries
from app.memories.queries.session_memories import SessionMemories
from app.memories.service import MemoryService
from app.memories.tags.service import TagService
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryIndex
from app.part import BackgroundTask, Part
from app.runtime import Runtime


@dataclass(frozen=True, slots=True)
class MemoryParts(Part):
    """Parts of the durable memories.

    Args:
        service: Notes and other memories: save, update, delete.
        queries: Lists, timeline and statistics.
        writing: Stores a memory unless it is known already.
        batches: Stores several facts as one run.
        facts: Facts by category and key.
        fact_queries: Lists of facts and their conflicts.
        by_session: Memories of conversations.
        reflections: Weekly reflections.
        forecasts: Facts that would fade.
        tags: Tags of memories.
        archive: Memories that are out of the way.
        access: Counts how often memories are read.
        expiry: Sets aside what has expired.
        bulk: Changes and merges many at once.
        templates: Templates of notes.
        mentions: Notes that name others without a link.
        files: Notes that agents keep as files.
    """

    service: MemoryService
    queries: MemoryQueries
    writing: DeduplicatingWriter
    batches: BatchService
    facts: FactService
    fact_queries: FactQueries
    by_session: SessionMemories
    reflections: ReflectionService
    forecasts: ForecastService
    tags: TagService
    archive: ArchiveService
    access: AccessCounter
    expiry: ExpiryService
    bulk: BulkChangeService
    templates: TemplateService
    mentions: UnlinkedMentionService
    files: NoteFileService

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the counting of reads, and the setting aside of what expired."""
        return (BackgroundTask("accesses", self.access.run), BackgroundTask("expiry", self.expiry.run))

    @property
    def failures(self) -> Sequence[str]:
        """Sentences about reads that are not counted, and about what expired and stays."""
        return (*self.access.failures, self.expiry.failure)

    def on_change(self, changes: ChangeSet) -> None:
        """Look for what expires after a change of memories."""
        if "memories" in changes.areas:
            self.expiry.wake()

    async def close(self) -> None:
        """Store the counts that wait."""
        await self.access.flush()


def build(
    runtime: Runtime,
    index: MemoryIndex,
    similar: CandidateFinder,
    chat: ChatModel,
    may_send: Callable[[Sequence[StoreName]], bool],
) -> MemoryParts:
    """Build the parts of the memories.

    Args:
        runtime: What all parts share.
        index: Indexes memories as they are written.
        similar: Finds memories that resemble a new one.
        chat: The language model, which judges similar memories where there is one.
        may_send: Tells whether the settings let texts of these stores go to it.
    """
    store, clock, config = runtime.store, runtime.clock, runtime.config
    work = MemoryUnitOfWork(store, index, clock)
    finder = SimilarFinder()
    options = partial(_deduplication_options, config)
    reconciler = ModelReconciler(chat, may_send)
    writing = DeduplicatingWriter(work, finder, runtime.trace, options, reconciler=reconciler, candidates=similar)
    return MemoryParts(
        MemoryService(work),
        MemoryQueries(store),
        writing,
        BatchService(work, writing),
        FactService(work, partial(config.number, "memories.conflict_confidence")),
        FactQueries(store, finder, clock, similar),
        SessionMemories(store),
        ReflectionService(work),
        ForecastService(store, clock),
        TagService(work),
        ArchiveService(work),
        AccessCounter(store, clock),
        ExpiryService(work, runtime.publish),
        BulkChangeService(work),
        TemplateService(work),
        UnlinkedMentionService(work),
        NoteFileService(work),
    )


def _deduplication_options(config: Config) -> DeduplicationOptions:
    return DeduplicationOptions(
        config.number("memories.duplicate_similarity"),
        config.number("memories.candidate_similarity"),
        config.number("memories.reconcile_seconds"),
    )
