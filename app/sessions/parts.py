"""Parts of the conversations: messages, working memory, summaries, and the work after a turn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from app.changes import ChangeSet
from app.llm.chat_model import ChatModel
from app.part import BackgroundTask, Part
from app.runtime import Runtime
from app.sessions.capture.after_turn import AfterTurn
from app.sessions.capture.auto_capture import AutoCapture, MemoryWrite
from app.sessions.capture.capture_policy import CapturePolicy
from app.sessions.capture.earlier_projects import EarlierProjects
from app.sessions.capture.model_extractor import ModelExtractor
from app.sessions.capture.write_behind import WriteBehind
from app.sessions.compaction.model_summary import ModelSummariser
from app.sessions.compaction.rolling_summary import SummaryService
from app.sessions.compaction.service import CompactionService
from app.sessions.narrative import SessionNarrator
from app.sessions.options import session_options
from app.sessions.service import SessionService
from app.sessions.session_applier import MessageIndexer
from app.sessions.session_project import SessionProjects
from app.sessions.session_summaries import SessionSummaryService
from app.sessions.state.scratchpad import ScratchpadService
from app.sessions.state.session_restore import RestoreService
from app.sessions.state.working_memory import WorkingMemory
from app.sessions.withheld_turns import WithheldTurns


@dataclass(frozen=True, slots=True)
class SessionParts(Part):
    """Parts of the conversations.

    Args:
        service: Conversations and their messages.
        write_behind: Appends that their caller does not wait for.
        working_memory: The latest messages of conversations in use.
        rolling_summaries: Summaries of older messages.
        compaction: Rolls older messages into the summary.
        restore: Gives an agent its conversation back.
        scratchpads: What an agent keeps in view.
        summaries: Summaries of whole conversations.
        after_turn: Work that follows a turn.
        withheld: Takes single turns out of conversations.
        projects: Puts conversations into projects.
        earlier_projects: Names the projects of conversations that have none.
    """

    service: SessionService
    write_behind: WriteBehind
    working_memory: WorkingMemory
    rolling_summaries: SummaryService
    compaction: CompactionService
    restore: RestoreService
    scratchpads: ScratchpadService
    summaries: SessionSummaryService
    after_turn: AfterTurn
    withheld: WithheldTurns
    projects: SessionProjects
    earlier_projects: EarlierProjects

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the work after a turn, and that on earlier conversations."""
        return (
            BackgroundTask("after-turn", self.after_turn.run),
            BackgroundTask("earlier-projects", self.earlier_projects.run, is_essential=False),
        )

    @property
    def failures(self) -> Sequence[str]:
        """Sentences about messages that are not stored, and about failed work."""
        return (*self.write_behind.failures, *self.after_turn.failures, self.earlier_projects.failure)

    def on_change(self, changes: ChangeSet) -> None:
        """Note a change for working memory and for the work after a turn."""
        self.working_memory.on_change(changes)
        self.after_turn.on_change(changes)

    async def close(self) -> None:
        """Store the messages that wait."""
        await self.write_behind.drain()


def build(
    runtime: Runtime,
    index: MessageIndexer,
    write_memory: MemoryWrite,
    chat: ChatModel,
    switched: Callable[[str], None],
) -> SessionParts:
    """Build the parts of the conversations.

    Args:
        runtime: What all parts share.
        index: Indexes messages as they are written.
        write_memory: Stores a memory that was found in a conversation.
        chat: The language model.
        switched: Called with a conversation whose agent moved to another one.
    """
    store, clock = runtime.store, runtime.clock
    options = partial(session_options, runtime.config)
    policy = CapturePolicy(options)
    service = SessionService(store, index, clock, policy)
    compaction = CompactionService(
        store, clock, options, ModelSummariser(chat, lambda: runtime.config.text("sessions.summariser") == "model")
    )
    summaries = SessionSummaryService(store, clock, SessionNarrator(chat))
    capture = AutoCapture(store, options, write_memory, ModelExtractor(chat))
    return SessionParts(
        service,
        WriteBehind(service, clock, runtime.publish, options().queue),
        WorkingMemory(store, options().working_messages),
        SummaryService(store, clock, policy),
        compaction,
        RestoreService(store, options),
        ScratchpadService(store, service, policy, clock),
        summaries,
        AfterTurn(store, options, summaries, compaction, capture, runtime.publish, runtime.trace, switched),
        WithheldTurns(store, index, clock),
        SessionProjects(store, clock),
        EarlierProjects(store),
    )
