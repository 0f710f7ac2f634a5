"""Caller of a scheduled goal: what the model that pursues it may read and write."""

from dataclasses import replace

from app.agents.service import GOAL_PREFIX
from app.api.caller import OWNER, TRUSTS, Caller, caller_of
from app.engine import Engine
from app.errors import AccessDeniedError
from app.schedule.model import Schedule
from app.sentence import Sentence


async def goal_caller(engine: Engine, schedule: Schedule) -> Caller:
    """Return the caller that pursues a schedule's goal.

    A goal of the person has the trust that the schedule says. A goal of an agent is that agent in everything: its
    ledger, its rules in the inbox, its isolation, its stores, and never more trust than it has now.

    Raises:
        NotFoundError: The agent that made it is not known any more.
        AccessDeniedError: Its access has ended.
    """
    client = f"schedule {schedule.id}"
    if schedule.user_id == OWNER.name:
        return Caller(f"{GOAL_PREFIX}{schedule.id}", schedule.trust, client=client)
    agent = await engine.agents.named(schedule.user_id)
    if agent.revoked_at is not None:
        raise AccessDeniedError(Sentence("{agent}, who made this schedule, has no access any more.", agent=agent.name))
    caller = caller_of(agent, client)
    return replace(caller, trust=min(caller.trust, schedule.trust, key=TRUSTS.index))


async def caller_named(engine: Engine, name: str) -> Caller | None:
    """Return the caller of a person's goal by its name, ``None`` for another name.

    Raises:
        NotFoundError: The schedule is there no more.
    """
    if not name.startswith(GOAL_PREFIX):
        return None
    return await goal_caller(engine, await engine.schedules.service.get(name.removeprefix(GOAL_PREFIX)))
