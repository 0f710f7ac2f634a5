"""Schedules in the history: what it keeps of them, and their undo.

An entry has what a person decides: the definition, and whether the schedule is switched on. Runs move on by themselves
and are no part of it; those of a deleted schedule come back with it.
"""

import json
from dataclasses import replace
from typing import Final

import apsw
import msgspec

from app.core.clock import to_datetime
from app.errors import NotFoundError
from app.history.model import TargetKind
from app.history.named_applier import NamedApplier
from app.history.undo import State
from app.schedule import repo
from app.schedule.cadence import next_run
from app.schedule.model import Cadence, Schedule, Status
from app.sync.segments.change import Change

_DEFINITION: Final = (
    "name", "goal", "cadence", "notification_policy", "channel_id", "channel_context_id", "trust", "max_turns",
    "max_cost",
)  # fmt: skip


class ScheduleApplier(NamedApplier[Schedule]):
    """Puts schedules back into an earlier state."""

    kind: TargetKind = "schedule"
    apart = ("status",)

    def find(self, connection: apsw.Connection, target: str) -> Schedule | None:
        """Return a schedule; ``None`` where it is deleted."""
        return repo.get(connection, target)

    def state(self, thing: Schedule) -> State:
        """Return the definition of a schedule, and whether it is switched on."""
        cadence = json.loads(msgspec.json.encode(thing.cadence))
        return {name: getattr(thing, name) for name in (*_DEFINITION, "status")} | {"cadence": cadence}

    def apply(
        self, connection: apsw.Connection, target: str, state: State | None, at_ms: int, current: State | None
    ) -> State | None:
        """Make ``state`` the state of a schedule, as far as it goes; ``None`` deletes it.

        Nothing is made up for: one that comes back or goes on runs next at the first of its times after ``at_ms``. A
        run that was going on when it was deleted goes on with it.
        """
        now = to_datetime(at_ms)
        if state is None:
            repo.delete(connection, target, now)
            return None
        if current is None:
            repo.bring_back(connection, target)
        known = repo.get(connection, target)
        if known is None:
            raise NotFoundError("This schedule is there no more.", id=target)
        schedule = replace(known, **_fields(state))
        is_missed = current is None and (
            known.next_run_at <= now if known.next_run_at else not repo.is_claimed(connection, target)
        )
        if schedule.status == "paused":
            schedule = replace(schedule, next_run_at=None)
        elif is_missed or (schedule.cadence, schedule.status) != (known.cadence, known.status):
            following = next_run(schedule.cadence, now)
            status: Status = "completed" if following is None else "active"
            schedule = replace(schedule, next_run_at=following, status=status, consecutive_failures=0)
        if current is not None:
            schedule = replace(schedule, updated_at=now)
        repo.update_goal(connection, schedule)
        return self.current(connection, target)


def make_received(connection: apsw.Connection, first: Change, state: State) -> None:
    """Make a schedule that another machine made, unless it is here.

    It runs once its state is applied.

    Args:
        connection: The writer's connection, inside a transaction.
        first: The change that made it.
        state: Its state.
    """
    if repo.is_stored(connection, first.target):
        return
    at, fields = to_datetime(first.at_ms), _fields(state)
    first_state: State = {"user_id": first.actor, "created_at": at, "updated_at": at}
    repo.insert(connection, Schedule(id=first.target, **{"status": "active", **fields, **first_state}))


def _fields(state: State) -> State:
    """Return the fields of a schedule that a state has, without others."""
    fields = {name: state[name] for name in (*_DEFINITION, "status") if name in state}
    cadence = {"cadence": msgspec.convert(state["cadence"], Cadence)} if "cadence" in state else {}
    return fields | cadence
