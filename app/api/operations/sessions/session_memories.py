"""Operations on the memories that were drawn from conversations."""

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.api.session_access import conversation
from app.engine import Engine
from app.errors import InputError
from app.memories.model import SessionMemory
from app.memories.queries.session_memories import MAX_SESSIONS
from app.sentence import Sentence


@operation("session.memories", trust="inner", sentence="Looked at conversations")
async def memories(
    engine: Engine, caller: Caller, session: str, limit: Count = 200, offset: Count = 0
) -> list[SessionMemory]:
    """Return memories that were drawn from a conversation, with the messages that say so.

    Args:
        session: The conversation's id.
        limit: How many at most.
        offset: How many to pass over.
    """
    session = await conversation(engine, caller, session)
    session = (await engine.sessions.service.get(session)).id
    return await engine.memories.by_session.listed(caller.access, session, limit=limit, offset=offset)


@operation("session.memory_counts", trust="full", sentence="Looked at conversations")
async def memory_counts(engine: Engine, caller: Caller, sessions: list[str]) -> dict[str, int]:
    """Return how many memories were drawn from conversations; those without any are left out.

    Args:
        sessions: Their ids, at most 1,000.
    """
    if len(sessions) > MAX_SESSIONS:
        raise InputError(
            Sentence("At most {most} conversations at once.", most=MAX_SESSIONS), field="sessions", allowed=MAX_SESSIONS
        )
    return await engine.memories.by_session.counts(caller.access, sessions)
