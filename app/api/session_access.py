"""Resolution of session ids, within what the caller may use."""

from app.api.caller import Caller
from app.engine import Engine


def owner_of(caller: Caller) -> str | None:
    """Return the agent whose conversations alone the caller may use, ``None`` for any."""
    return None if caller.reaches("full") else caller.name


async def conversation(engine: Engine, caller: Caller, session: str) -> str:
    """Return the stored id of a session, or the given one without access.

    Raises:
        NotFoundError: There is none that the caller may use.
    """
    return await engine.sessions.service.resolved(session, owner_of(caller))


async def mentioned(engine: Engine, caller: Caller, session: str) -> str:
    """Return the stored id of a session, or the given one without access."""
    return await engine.sessions.service.canonical(session, owner_of(caller))
