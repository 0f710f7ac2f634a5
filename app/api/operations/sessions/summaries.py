"""Operations on summaries of conversations, compaction, restoring and purging."""

from functools import partial

from app.api.caller import Caller
from app.api.registry import operation
from app.api.session_access import conversation, owner_of
from app.changes import Area, Changed, ChangeSet
from app.engine import Engine
from app.errors import InputError, StaleError
from app.sentence import Sentence
from app.sessions.compaction.rolling_summary import SummaryWritten
from app.sessions.compaction.service import Compacted
from app.sessions.model import Message, Session
from app.sessions.session_summaries import SessionSummary
from app.sessions.state.session_restore import Restored
from app.sessions.state.state_repo import SummaryState
from app.upkeep.consolidation.model import ConsolidationReport

_change = partial(
    operation, access="write", review="free", kind="session", undo="needless", sentence="Changed a conversation"
)

_MOST = 10_000_000


@operation("session.all", trust="inner", sentence="Looked at conversations")
async def all_messages(engine: Engine, caller: Caller, session: str) -> list[Message]:
    """Return every message of a conversation, oldest first, condensed or not.

    Args:
        session: The conversation's id.
    """
    session = await conversation(engine, caller, session)
    return await engine.sessions.service.messages(session, limit=-1)


@operation("session.summary.get", trust="inner", sentence="Looked at conversations")
async def get_summary(engine: Engine, caller: Caller, session: str) -> SummaryState:
    """Return the summary of older messages, with the epoch that a write needs.

    Args:
        session: The conversation's id.
    """
    session = await conversation(engine, caller, session)
    return await engine.sessions.rolling_summaries.get(session)


@operation(
    "session.summary.set",
    access="write",
    trust="inner",
    review="content",
    kind="session",
    undo="history",
    sentence="Changed a conversation",
)
async def set_summary(
    engine: Engine,
    caller: Caller,
    session: str,
    summary: str,
    expected_epoch: int | None = None,
    upper_seq: int | None = None,
) -> Changed[SummaryWritten]:
    """Replace the summary of a conversation, unless it changed meanwhile; can be undone.

    A write that comes too late is no error: it answers ``applied: false`` and the current epoch, and changes nothing.
    Messages that the summary stands for stay readable and searchable.

    Args:
        session: The conversation's id.
        summary: The new text; an empty one removes the summary.
        expected_epoch: The epoch that was read; left out, any summary is replaced.
        upper_seq: Number of the last message it stands for; as before when left out.
    """
    session = await conversation(engine, caller, session)
    return await engine.sessions.rolling_summaries.set(
        session, summary, caller.name, expected_epoch=expected_epoch, upper_seq=upper_seq
    )


@_change("session.summary.roll", trust="inner")
async def roll_summary(
    engine: Engine, caller: Caller, session: str, budget: int | None = None, force: bool = False
) -> Changed[Compacted]:
    """Condense the oldest messages of a conversation that outgrows the token budget.

    This happens when summary and messages take more than ``sessions.summary_trigger`` of the budget and at least
    ``sessions.summary_min_turns`` messages are not condensed; the rest then takes at most ``sessions.summary_target``.
    No message is removed: only ``session.restore`` gives the summary in their place. Without a model, the summary is a
    list with a line for each message; beyond a quarter of the budget its oldest lines are left out. A summary written
    with ``session.summary.set`` stays whole ahead of the list.

    Args:
        session: The conversation's id.
        budget: Tokens that fit the agent's model; ``sessions.budget`` when left out.
        force: Condense even when it is not due.
    """
    check_range("budget", budget, 1)
    session = await conversation(engine, caller, session)
    done = await engine.sessions.compaction.roll(session, caller.name, budget=budget, force=force)
    engine.sessions.after_turn.note_budget(session, budget)
    return done


@_change("session.compact", trust="inner")
async def compact(
    engine: Engine, caller: Caller, session: str, retain_recent: int | None = None, emergency: bool = False
) -> Changed[Compacted]:
    """Condense all but the most recent messages of a conversation into its summary.

    No message is removed: only ``session.restore`` gives the summary in their place.

    Args:
        session: The conversation's id.
        retain_recent: Messages to leave as they are; ``sessions.retain_recent`` when left out, and in an emergency
            ``sessions.emergency_retain``.
        emergency: Do it at once, without a model, even while another caller summarises.
    """
    check_range("retain_recent", retain_recent, 0)
    act = engine.sessions.compaction.compact_now if emergency else engine.sessions.compaction.compact
    session = await conversation(engine, caller, session)
    return await act(session, caller.name, retain=retain_recent)


@operation("session.restore", trust="inner", positional=("session",), sentence="Looked at conversations")
async def restore(
    engine: Engine,
    caller: Caller,
    session: str | None = None,
    channel: str = "",
    budget: int | None = None,
    max_history: int | None = None,
) -> Restored:
    """Return the summary and recent messages to resume a conversation, within a budget.

    A channel that has no conversation yet is answered with an empty one.

    Args:
        session: Any id of the conversation; without one, the channel's latest conversation.
        channel: ``channel:chat:thread`` it comes from; finds the conversation again when ``session`` is a new id of it.
        budget: Tokens for summary and messages together; ``sessions.budget`` when left out.
        max_history: Messages at most; ``sessions.max_history`` when left out.
    """
    check_range("budget", budget, 1)
    check_range("max_history", max_history, 0)
    restored = await engine.sessions.restore.restore(
        session, channel, budget=budget, max_history=max_history, owner=owner_of(caller)
    )
    engine.sessions.after_turn.note_budget(restored.session_id, budget)
    return restored


@operation("session.pending", trust="full", sentence="Looked at conversations")
async def pending(engine: Engine, caller: Caller, agent: str | None = None, limit: int = 50) -> list[Session]:
    """Return the conversations to be consolidated, the one quiet longest first.

    An agent's latest conversation is left out while it is going on, which is until half an hour after its last message.

    Args:
        agent: Only conversations with this agent.
        limit: How many at most.
    """
    check_range("limit", limit, 0)
    return await engine.consolidation.queue.waiting(agent, limit)


@_change("session.consolidated", trust="full")
async def consolidated(engine: Engine, caller: Caller, session: str, upper_seq: int | None = None) -> Changed[bool]:
    """Mark a conversation as consolidated; false when messages came meanwhile.

    Then it still waits for consolidation.

    Args:
        session: The conversation's id.
        upper_seq: Number of the last message that was read; the last there is when left out.
    """
    session = await conversation(engine, caller, session)
    return await engine.consolidation.queue.mark(session, caller.name, upper_seq)


@operation(
    "session.consolidate",
    access="write",
    owner_only=True,
    review="unrehearsed",
    kind="vault",
    undo="history",
    sentence="Changed a conversation",
)
async def consolidate(engine: Engine, caller: Caller, session: str) -> Changed[ConsolidationReport]:
    """Draw the lasting facts of a conversation now, and return what changed.

    Only messages that were not read before are read. What it changed is undone with memory.undo and the id of the run;
    the conversation then stays marked as consolidated, so that the next run does not do it again.

    Args:
        session: The conversation's id.
    """
    session = (await engine.sessions.service.get(await conversation(engine, caller, session))).id
    run = await engine.switched_sessions.read_now([session])
    if run.status != "succeeded":
        raise engine.consolidation.job.failure(run.run_id) or StaleError(
            run.output or "The run was stopped.", run=run.run_id
        )
    report = await engine.consolidation.service.report(run.run_id, run.output)
    areas: frozenset[Area] = frozenset({"sessions"})
    return Changed(report, ChangeSet(areas, (session,), caller.name, history_ids=report.history_ids))


@operation("session.digest.get", trust="full", sentence="Looked at conversations")
async def get_digest(engine: Engine, caller: Caller, session: str) -> SessionSummary | None:
    """Return the few lines that say what a conversation was about, if they were written.

    Args:
        session: The conversation's id.
    """
    session = await conversation(engine, caller, session)
    return await engine.sessions.summaries.get(session)


@operation("session.digest.list", trust="full", sentence="Looked at conversations")
async def recent_session_summaries(
    engine: Engine, caller: Caller, agent: str | None = None, limit: int = 20, offset: int = 0
) -> list[SessionSummary]:
    """Return what recent conversations were about, the last one written first.

    Args:
        agent: Only conversations with this agent.
        limit: How many at most.
        offset: How many to pass over.
    """
    check_range("limit", limit, 0)
    check_range("offset", offset, 0)
    return await engine.sessions.summaries.recent(agent, limit, offset)


@_change("session.digest.roll", trust="full")
async def roll_digest(engine: Engine, caller: Caller, session: str) -> Changed[SessionSummary | None]:
    """Write what a conversation was about, in place of what was written before.

    It lists what is remembered of the conversation by type, or how it began where nothing is; a conversation without
    any message is skipped and answers nothing.

    Args:
        session: The conversation's id.
    """
    session = await conversation(engine, caller, session)
    return await engine.sessions.summaries.roll(session, caller.name)


def check_range(name: str, value: int | None, least: int) -> None:
    """Refuse a number outside its range.

    Raises:
        InputError: ``value`` is less than ``least``, or absurdly large.
    """
    if value is not None and not least <= value <= _MOST:
        raise InputError(
            Sentence("'{name}' must be from {least} to {most}.", name=name, least=least, most=_MOST), field=name
        )
