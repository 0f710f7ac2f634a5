"""Operations on conversations."""

from datetime import datetime
from functools import partial

from app.api.argument_types import IdempotencyKey
from app.api.caller import Caller
from app.api.registry import Count, operation
from app.api.session_access import conversation, owner_of, partner, writer_of
from app.changes import Changed
from app.core.facets import Facet
from app.core.text_rules.project_name import with_project
from app.engine import Engine
from app.sessions.model import Appended, Message, NewMessage, Session, SessionFilter, SessionOrder
from app.sessions.service import NewSession

_change = partial(
    operation,
    access="write",
    trust="full",
    review="content",
    kind="session",
    undo="history",
    sentence="Changed a conversation",
)

_ALL = SessionFilter()


@operation(
    "session.append",
    access="write",
    trust="inner",
    review="conversation",
    kind="session",
    undo="needless",
    transcript="messages",
    sentence="Added to a conversation",
)
async def append(
    engine: Engine,
    caller: Caller,
    messages: list[NewMessage],
    session: str | None = None,
    title: str = "",
    agent: str = "",
    channel: str = "",
    project: str = "",
    key: IdempotencyKey = "",
) -> Changed[Appended]:
    """Append messages to a conversation, which appears with its first message.

    The answer means that the messages are durable and can be found by their words. When no answer came, ask again with
    the same ``key``, within 30 days: what was stored is not stored twice. Below full trust, messages go
    only to conversations with the caller, and make no others.

    Args:
        messages: The messages, in order; numbers must rise, and are given where left out.
        session: The conversation's id; without one, the channel's latest conversation or a new one. An id that is new
            on a known channel becomes another id of its conversation.
        title: Title of a conversation made by this.
        agent: The agent it is with, of a conversation made by this; an agent that leaves it out means itself.
        channel: ``channel:chat:thread`` it comes from; finds the conversation again when its id changed.
        project: Name of the project that a conversation made by this belongs to.
        key: An id of the caller's own for this append, so that it can be repeated safely.
    """
    agent, attributes = partner(caller, agent), with_project({}, project)
    heading = NewSession(title, agent, channel, attributes=attributes, writer=writer_of(caller))
    return await engine.sessions.service.append(messages, session, heading, caller.name, key, owner=owner_of(caller))


@operation(
    "session.create",
    access="write",
    trust="inner",
    review="free",
    kind="session",
    undo="history",
    positional=("title",),
    sentence="Began a conversation",
)
async def create(
    engine: Engine, caller: Caller, title: str = "", agent: str = "", channel: str = ""
) -> Changed[Session]:
    """Make an empty conversation.

    Args:
        title: Its title.
        agent: The agent it is with; an agent that leaves it out means itself, and below full trust it is always that.
        channel: ``channel:chat:thread`` it comes from.
    """
    agent = partner(caller, agent) if caller.reaches("full") else caller.name
    heading = NewSession(title, agent, channel, writer=writer_of(caller))
    return await engine.sessions.service.create(heading, caller.name)


@operation("session.get", trust="inner", sentence="Looked at conversations")
async def get(engine: Engine, caller: Caller, session: str) -> Session:
    """Return a conversation's head; below full trust, of one's own only.

    Args:
        session: Its id.
    """
    return await engine.sessions.service.get(await conversation(engine, caller, session))


@operation("session.length", trust="inner", sentence="Looked at conversations")
async def length(engine: Engine, caller: Caller, session: str) -> int:
    """Return how many turns a conversation has.

    Args:
        session: Its id.
    """
    return (await engine.sessions.service.get(await conversation(engine, caller, session))).message_count


@operation("session.recent", trust="inner", sentence="Looked at conversations")
async def recent(engine: Engine, caller: Caller, session: str, n: Count = 20) -> list[Message]:
    """Return the last messages of a conversation, oldest first.

    Args:
        session: Its id.
        n: How many.
    """
    return await engine.sessions.working_memory.recent(await conversation(engine, caller, session), n)


@operation("session.messages", trust="inner", sentence="Looked at conversations")
async def messages(engine: Engine, caller: Caller, session: str, after: int = -1, limit: Count = 200) -> list[Message]:
    """Return the messages that follow a number, ascending.

    Args:
        session: The conversation's id.
        after: Messages with a greater number only.
        limit: How many at most.
    """
    return await engine.sessions.service.messages(await conversation(engine, caller, session), after=after, limit=limit)


@operation("session.before", trust="inner", sentence="Looked at conversations")
async def before(engine: Engine, caller: Caller, session: str, seq: int, limit: Count = 200) -> list[Message]:
    """Return the messages just before a number, ascending.

    Args:
        session: The conversation's id.
        seq: Messages with a smaller number only.
        limit: How many at most.
    """
    session = await conversation(engine, caller, session)
    return await engine.sessions.service.messages(session, before=seq, limit=limit, newest=True)


@operation("session.find", trust="inner", sentence="Looked at conversations")
async def find(engine: Engine, caller: Caller, session: str, text: str, limit: Count = 1000) -> list[int]:
    """Return the numbers of the messages that contain a text.

    Args:
        session: The conversation's id.
        text: What to look for; letters are compared without case.
        limit: How many at most.
    """
    return await engine.sessions.service.find(await conversation(engine, caller, session), text, limit)


@operation("session.at", trust="inner", sentence="Looked at conversations")
async def at(engine: Engine, caller: Caller, session: str, when: datetime) -> int | None:
    """Return the number of the first message said at a time or later.

    Args:
        session: The conversation's id.
        when: The time, ISO 8601.
    """
    return await engine.sessions.service.at(await conversation(engine, caller, session), when)


@operation("session.list", trust="full", sentence="Looked at conversations")
async def list_sessions(
    engine: Engine,
    caller: Caller,
    filter: SessionFilter = _ALL,
    order: SessionOrder = "recent",
    limit: Count = 50,
    offset: Count = 0,
) -> list[Session]:
    """Return conversations, by default the most recently active first.

    Args:
        filter: Which ones.
        order: In what order.
        limit: How many at most.
        offset: How many to pass over.
    """
    return await engine.sessions.service.rows(await engine.sessions.service.ids(filter, order, limit, offset))


@operation("session.ids", trust="full", sentence="Looked at conversations")
async def ids(
    engine: Engine,
    caller: Caller,
    filter: SessionFilter = _ALL,
    order: SessionOrder = "recent",
) -> list[str]:
    """Return the ids of conversations in order, for lists that load rows later.

    Args:
        filter: Which ones.
        order: In what order.
    """
    return await engine.sessions.service.ids(filter, order)


@operation("session.groups", trust="full", sentence="Looked at conversations")
async def groups(
    engine: Engine, caller: Caller, filter: SessionFilter = _ALL, order: SessionOrder = "recent"
) -> list[Facet]:
    """Return the groups of conversations in an order, with how many each has.

    Orders by time are grouped by day (``2026-03-01``, in this machine's zone), the order by agent by agent; the others
    have no groups.

    Args:
        filter: Which ones.
        order: In what order.
    """
    return await engine.sessions.service.groups(filter, order)


@operation("session.rows", trust="full", sentence="Looked at conversations")
async def rows(engine: Engine, caller: Caller, ids: list[str]) -> list[Session]:
    """Return the conversations of some ids, leaving out those that are gone.

    Args:
        ids: Their ids.
    """
    return await engine.sessions.service.rows(ids)


@operation("session.agents", trust="full", sentence="Looked at conversations")
async def agents(engine: Engine, caller: Caller) -> list[Facet]:
    """Return the agents that have conversations, with how many."""
    return await engine.sessions.service.agents()


@_change("session.rename")
async def rename(engine: Engine, caller: Caller, session: str, title: str) -> Changed[Session]:
    """Give a conversation another title; can be undone.

    Args:
        session: Its id.
        title: The new title.
    """
    return await engine.sessions.service.rename(await conversation(engine, caller, session), title, caller.name)


@_change("session.set_project")
async def set_project(engine: Engine, caller: Caller, session: str, project: str) -> Changed[Session]:
    """Put a conversation into another project or none; can be undone.

    Args:
        session: Its id.
        project: Name of the project, empty for none.
    """
    return await engine.sessions.projects.put(await conversation(engine, caller, session), project, caller.name)


@_change("session.forget", destructive=True, removes=True)
async def forget(engine: Engine, caller: Caller, session: str) -> Changed[Session]:
    """Take a conversation and its messages out of every list and search; can be undone.

    Args:
        session: Its id.
    """
    return await engine.sessions.service.forget(await conversation(engine, caller, session), caller.name)


@_change("session.forget_many", destructive=True, removes=True)
async def forget_many(engine: Engine, caller: Caller, sessions: list[str]) -> Changed[tuple[str, ...]]:
    """Take several conversations out of every list and search as one run; return their ids.

    Args:
        sessions: Their ids.
    """
    ids = [await conversation(engine, caller, session) for session in dict.fromkeys(sessions)]
    return await engine.sessions.service.forget_many(ids, caller.name)
