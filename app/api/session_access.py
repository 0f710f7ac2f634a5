"""Resolution of session ids, within what the caller may use."""

from app.api.caller import Caller
from app.engine import Engine


def owner_of(caller: Caller) -> str | None:
    """Return the agent whose conversations alone the caller may use, ``None`` for any.

    What is said in conversations is private: who reads the private store may use all of them.
    """
    return None if "private" in caller.stores else caller.name


def partner(caller: Caller, agent: str) -> str:
    """Return the agent that a conversation is with which a caller makes.

    An agent that names none means itself: undo and quarantine find what it made by that name.
    """
    return agent or (caller.name if caller.agent_id else "")


def writer_of(caller: Caller) -> str:
    """Return the agent whose connection writes, ``""`` for the person.

    What it writes is known by that name, whatever agent a conversation names.
    """
    return "" if caller.is_owner else caller.name


async def conversation(engine: Engine, caller: Caller, session: str) -> str:
    """Return the stored id of a session, or the given one without access.

    Raises:
        NotFoundError: There is none that the caller may use.
    """
    return await engine.sessions.service.resolved(session, owner_of(caller))


async def mentioned(engine: Engine, caller: Caller, session: str) -> str:
    """Return the stored id of a session to filter by.

    For one that the caller may not use it is a name that nothing has.
    """
    return await engine.sessions.service.canonical(session, owner_of(caller))


async def origin(engine: Engine, caller: Caller, session: str | None) -> str | None:
    """Return the stored id of a memory's session, ``None`` without access."""
    return await engine.sessions.service.own(session, owner_of(caller)) if session else None
