"""Operations on the ledger: which agent read and wrote what."""

from datetime import datetime

from app.agents.ledger.model import AgentActivity, LedgerFilter, LedgerPage, Reader
from app.api.caller import Caller
from app.api.registry import REGISTRY, Count, operation
from app.changes import Changed
from app.engine import Engine


@operation("agent.ledger", owner_only=True)
async def ledger(
    engine: Engine,
    caller: Caller,
    agent: str = "",
    item: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
    operation: str = "",
    outcome: str = "",
    limit: Count = 50,
    before: Count | None = None,
) -> LedgerPage:
    """Return the calls of agents, newest first: who, operation, ids read and written, outcome, duration.

    It names memories and never says what is in them. A search's query is stored only where the setting
    ``ledger.queries`` is on; else as a keyed hash. Your own programs are recorded where ``ledger.owner`` is on. What
    isolated agents do in their own vaults is in here too. Backups hold the ledger, exports do not.

    Args:
        agent: The agent's name; ``unknown`` for programs that were not let in.
        item: The id of a memory, conversation or entity that was read or changed.
        since: Calls at or after.
        until: Calls before.
        operation: The operation, or a subject with its dot, such as ``note.``.
        outcome: ``done``, ``proposed``, ``refused``, ``failed``, ``echo``, or the code of a failure.
        limit: How many at most, 500 or fewer.
        before: The cursor of the page before; the latest when left out.
    """
    wanted = LedgerFilter(agent, item, since, until, operation, outcome)
    return await engine.ledger.calls(wanted, limit, before)


@operation("agent.readers", owner_only=True)
async def readers(engine: Engine, caller: Caller, id: str) -> list[Reader]:
    """Return which agents were given a memory, conversation or entity, the latest first.

    Args:
        id: Its id.
    """
    return await engine.ledger.readers(id)


@operation("agent.activity", owner_only=True)
async def activity(engine: Engine, caller: Caller, agent: str, since: datetime | None = None) -> AgentActivity:
    """Return sums of an agent's calls, in numbers and in words.

    Args:
        agent: Its name; ``unknown`` for programs that were not let in.
        since: Calls at or after; all that are kept when left out.
    """
    searches = frozenset(declared.name for declared in REGISTRY.all() if declared.searches)
    return await engine.ledger.activity(agent, searches, since)


@operation("agent.clear_ledger", access="write", destructive=True, owner_only=True, undo="none")
async def clear_ledger(engine: Engine, caller: Caller, before: datetime | None = None) -> Changed[int]:
    """Delete calls from the ledger and return how many; this cannot be undone.

    Args:
        before: Those before this time; all when left out.
    """
    return await engine.ledger.clear(before, actor=caller.name)
