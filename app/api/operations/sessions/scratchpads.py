"""Operations during a conversation: scratchpad, working memory, appends without waiting."""

from functools import partial

from app.api.caller import Caller
from app.api.registry import operation
from app.api.session_access import owner_of, partner, writer_of
from app.changes import Changed
from app.engine import Engine
from app.sessions.capture.write_behind import Accepted
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from app.sessions.state.scratchpad import Scratchpad

_change = partial(
    operation,
    access="write",
    trust="inner",
    review="free",
    kind="session",
    undo="needless",
    sentence="Changed a conversation",
)


@operation("session.scratchpad.read", trust="inner", sentence="Looked at conversations")
async def read(engine: Engine, caller: Caller, session: str) -> Scratchpad:
    """Return the items on a conversation's scratchpad.

    Below full trust, only for an agent's own conversation.

    Args:
        session: The conversation's id.
    """
    return await engine.sessions.scratchpads.read(session, owner_of(caller))


@_change("session.scratchpad.write")
async def write(engine: Engine, caller: Caller, session: str, items: list[str]) -> Changed[Scratchpad]:
    """Replace all items on a conversation's scratchpad.

    Below full trust, only for an agent's own conversation.

    A scratchpad holds at most 32 items of at most 240 characters. What should outlast the conversation belongs into a
    note.

    Args:
        session: The conversation's id; it appears when there is none yet.
        items: Goals, steps done and steps left, in order; empty ones are left out.
    """
    owner = owner_of(caller)
    heading = NewSession(agent=owner or partner(caller, ""), writer=writer_of(caller))
    return await engine.sessions.scratchpads.write(session, items, caller.name, owner, heading)


@_change("session.scratchpad.clear")
async def clear(engine: Engine, caller: Caller, session: str) -> Changed[bool]:
    """Empty a conversation's scratchpad and return whether it had content.

    Below full trust, only for an agent's own conversation.

    Args:
        session: The conversation's id.
    """
    return await engine.sessions.scratchpads.clear(session, caller.name, owner_of(caller))


@operation(
    "session.append_later",
    access="write",
    trust="inner",
    review="conversation",
    kind="session",
    undo="needless",
    transcript="messages",
    for_models=False,
    sentence="Added to a conversation",
)
async def append_later(
    engine: Engine,
    caller: Caller,
    messages: list[NewMessage],
    session: str | None = None,
    title: str = "",
    agent: str = "",
    channel: str = "",
) -> Accepted:
    """Take messages of a conversation without waiting until they are stored.

    They are stored in the background, in the order taken, and are durable only then; what cannot be stored is told by
    ``vault.status`` and not here. Messages given to ``session.append`` meanwhile may come before them. Below full trust
    they go to conversations with the caller only.

    Args:
        messages: The messages, in order; numbers must rise, and are given where left out.
        session: The conversation's id; without one, the channel's latest conversation or a new one. An id that is new
            on a known channel becomes another id of its conversation.
        title: Title of a conversation made by this.
        agent: The agent it is with, of a conversation made by this; an agent that leaves it out means itself.
        channel: ``channel:chat:thread`` it comes from; finds the conversation again when its id changed.
    """
    heading = NewSession(title, partner(caller, agent), channel, writer=writer_of(caller))
    return engine.sessions.write_behind.append(messages, session, heading, caller.name, owner_of(caller))
