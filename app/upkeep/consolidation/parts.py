"""Parts of consolidation."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from app.config.config import Config
from app.inbox.service import InboxService
from app.llm.chat_model import ChatModel
from app.memories.parts import MemoryParts
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryIndex
from app.runtime import Runtime
from app.sessions.capture.capture_policy import CapturePolicy
from app.sessions.options import session_options
from app.sessions.parts import SessionParts
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
        switched: Consolidates those that their agents left.
    """

    service: ConsolidationService
    job: ConsolidationJob
    switched: SwitchedSessions


def build(
    runtime: Runtime,
    index: MemoryIndex,
    sessions: SessionParts,
    memories: MemoryParts,
    inbox: InboxService,
    chat: ChatModel,
) -> ConsolidationParts:
    """Build the parts of consolidation.

    Args:
        runtime: What all parts share.
        index: Indexes memories as they are written.
        sessions: Conversations.
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
    job = ConsolidationJob(store, sessions.consolidation_queue, service, options)
    switched = SwitchedSessions(job, sessions.consolidation_queue, _is_on_switch(options))
    sessions.after_turn.switched = switched.note
    return ConsolidationParts(service, job, switched)


def _is_on_switch(options: Callable[[], ConsolidationOptions]) -> Callable[[], bool]:
    def is_on_switch() -> bool:
        now = options()
        return now.is_enabled and now.on_switch

    return is_on_switch


def _options(config: Config) -> ConsolidationOptions:
    return ConsolidationOptions(
        is_enabled=config.flag("consolidation.enabled"),
        on_switch=config.flag("consolidation.on_switch"),
        every_hours=config.whole("consolidation.every_hours"),
        time=config.text("consolidation.time"),
        page=config.whole("consolidation.page"),
    )
