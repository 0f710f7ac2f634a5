"""Parts of consolidation."""

from dataclasses import dataclass
from functools import partial

from app.config.config import Config
from app.inbox.service import InboxService
from app.llm.chat_model import ChatModel
from app.memories.parts import MemoryParts
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryIndex
from app.runtime import Runtime
from app.schedule.parts import ScheduleParts
from app.sessions.capture.capture_policy import CapturePolicy
from app.sessions.consolidation_queue import ConsolidationQueue
from app.sessions.options import session_options
from app.upkeep.consolidation.contradictions import ContradictionJudge
from app.upkeep.consolidation.fact_finders import ModelFactFinder
from app.upkeep.consolidation.fact_writer import FactWriter
from app.upkeep.consolidation.job import ConsolidationJob, ConsolidationOptions
from app.upkeep.consolidation.page_reader import PageReader
from app.upkeep.consolidation.rule_facts import facts_by_rules
from app.upkeep.consolidation.service import ConsolidationService
from app.upkeep.consolidation.switched_sessions import SwitchedSessions


@dataclass(frozen=True, slots=True)
class ConsolidationParts:
    """Parts of consolidation.

    Args:
        service: Consolidates a conversation.
        job: Consolidates all that wait.
        queue: Conversations to be consolidated.
    """

    service: ConsolidationService
    job: ConsolidationJob
    queue: ConsolidationQueue


def build(
    runtime: Runtime,
    index: MemoryIndex,
    memories: MemoryParts,
    inbox: InboxService,
    chat: ChatModel,
) -> ConsolidationParts:
    """Build the parts of consolidation.

    Args:
        runtime: What all parts share.
        index: Indexes memories as they are written.
        memories: The durable memories.
        inbox: Takes what only the person decides.
        chat: The language model.
    """
    store, clock, config = runtime.store, runtime.clock, runtime.config
    options = partial(_options, config)
    policy = CapturePolicy(partial(session_options, config))
    writer = FactWriter(
        MemoryUnitOfWork(store, index, clock),
        memories.writing,
        inbox,
        partial(config.number, "memories.conflict_confidence"),
        partial(config.number, "memories.decay_rate"),
    )
    service = ConsolidationService(
        store,
        clock,
        PageReader(store, policy, partial(config.whole, "consolidation.page")),
        facts_by_rules,
        ModelFactFinder(chat),
        ContradictionJudge(chat, memories.fact_queries),
        writer,
    )
    queue = ConsolidationQueue(store, clock)
    return ConsolidationParts(service, ConsolidationJob(store, queue, service, options), queue)


def build_switched(config: Config, consolidation: ConsolidationParts, schedules: ScheduleParts) -> SwitchedSessions:
    """Build what consolidates the conversations that their agents left."""
    return SwitchedSessions(consolidation.job, consolidation.queue, partial(_is_on_switch, config), schedules)


def _is_on_switch(config: Config) -> bool:
    options = _options(config)
    return options.is_enabled and options.on_switch


def _options(config: Config) -> ConsolidationOptions:
    return ConsolidationOptions(
        is_enabled=config.flag("consolidation.enabled"),
        on_switch=config.flag("consolidation.on_switch"),
        every_hours=config.whole("consolidation.every_hours"),
        time=config.text("consolidation.time"),
        page=config.whole("consolidation.page"),
    )
