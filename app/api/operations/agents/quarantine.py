"""Operations that undo or hide what an agent wrote."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.agents.service import AgentService
from app.api.caller import Caller
from app.api.moments import begin_of, end_of
from app.api.registry import operation
from app.changes import Changed, ChangeSet
from app.engine import Engine
from app.errors import NotFoundError
from app.jobs import Job
from app.quarantine.model import AgentRun, QuarantinedItem
from app.quarantine.service import ANY_AREAS


@operation("agent.undo", access="write", owner_only=True, destructive=True, undo="operation")
async def undo(
    engine: Engine,
    caller: Caller,
    name: str,
    since: str,
    until: str = "",
    dry_run: bool = False,
    job: str = "",
) -> Changed[AgentRun]:
    """Undo all that an agent wrote since a time, as one run.

    ``memory.undo`` with the ``run_id`` of the answer brings all of it back. What somebody else changed since stays as
    it is and is named with the reason, and so is a conversation that began before that time. When it is cancelled or
    cut off, the same call goes on with the same run.

    Args:
        name: The agent's name or id.
        since: A time such as ``2026-03-01T10:00``, ``today`` or ``last week``, from its beginning on.
        until: The same, to its end; now when empty.
        dry_run: Only say what would be undone.
        job: An id of the caller's own to watch and cancel it by.
    """
    now_ms = engine.clock.now_ms()
    since_ms, until_ms = begin_of(since, now_ms, "since"), end_of(until, now_ms, "until") if until else None
    agent = await _actor(engine.agents, name)
    if dry_run:
        return Changed(await engine.undo.quarantine.preview(agent, since_ms, until_ms))
    with _announced(engine, caller, f"Undoing what {agent} wrote", "changes", job) as work:
        return await engine.undo.quarantine.undo(agent, since_ms, until_ms, caller.name, work)


@operation("agent.quarantine", access="write", owner_only=True, destructive=True, undo="operation")
async def hide(engine: Engine, caller: Caller, name: str, since: str = "", job: str = "") -> Changed[AgentRun]:
    """Hide the memories, conversations, entities and relations that an agent made, until they are released.

    They are in no search, list, context, graph or count, whatever agent a conversation names; of a conversation with
    others, only the agent's turns are hidden. Entities that it merged are apart meanwhile, and what others stated of an
    entity stays. What it changed of other memories stays, too; ``agent.undo`` takes that back.

    Args:
        name: The agent's name or id.
        since: Only what it made since a time, such as ``today``; all when empty.
        job: An id of the caller's own to watch and cancel it by.
    """
    since_ms = begin_of(since, engine.clock.now_ms(), "since") if since else 0
    agent = await _actor(engine.agents, name)
    with _announced(engine, caller, f"Hiding what {agent} wrote", "items", job) as work:
        return await engine.undo.quarantine.hide(agent, since_ms, caller.name, work)


@operation("agent.release", access="write", owner_only=True, undo="operation")
async def release(engine: Engine, caller: Caller, name: str, job: str = "") -> Changed[AgentRun]:
    """Bring back what was hidden of an agent, exactly as it was.

    Args:
        name: The agent's name or id.
        job: An id of the caller's own to watch and cancel it by.
    """
    agent = await _actor(engine.agents, name)
    with _announced(engine, caller, f"Releasing what {agent} wrote", "items", job) as work:
        return await engine.undo.quarantine.release(agent, caller.name, work)


@operation("agent.quarantined", owner_only=True)
async def hidden(engine: Engine, caller: Caller, name: str) -> list[QuarantinedItem]:
    """Return what is hidden of an agent, the last hidden first.

    Args:
        name: The agent's name or id.
    """
    return await engine.undo.quarantine.hidden(await _actor(engine.agents, name))


@contextmanager
def _announced(engine: Engine, caller: Caller, title: str, unit: str, job: str) -> Iterator[Job]:
    """List a job, and announce what it did before it failed."""
    with engine.jobs.running(title, unit, job) as work:
        try:
            yield work
        except BaseException:
            engine.publish(ChangeSet(ANY_AREAS, (), caller.name))
            raise


async def _actor(agents: AgentService, name: str) -> str:
    """Return an agent's name in the history, registered or not."""
    try:
        return (await agents.named(name)).name
    except NotFoundError:
        return name.strip()
