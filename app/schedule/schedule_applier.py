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
from app.history import history_repo
from app.history.state_diff import differing
from app.history.undo import State
from app.schedule import repo
from app.schedule.cadence import next_run
from app.schedule.model import Cadence, Schedule, Status

_DEFINITION: Final = (
    "name", "goal", "cadence", "notification_policy", "channel_id", "channel_context_id", "trust", "max_turns",
    "max_cost",
)  # fmt: skip


class ScheduleApplier:
    """Puts schedules back into an earlier state."""

    def current(self, connection: apsw.Connection, target: str) -> State | None:
        """Return the state of a schedule now; ``None`` where it is deleted."""
        schedule = repo.get(connection, target)
        return None if schedule is None else _state(schedule)

    def apply(
        self, connection: apsw.Connection, target: str, state: State | None, at_ms: int, current: State | None
    ) -> State | None:
        """Make ``state`` the state of a schedule, as far as it goes; ``None`` deletes it.

        Nothing is made up for: one that comes back or goes on runs next at the first of its times after ``at_ms``.
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
        is_missed = current is None and (known.next_run_at or now) <= now
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


def record_change(
    connection: apsw.Connection, before: Schedule | None, after: Schedule | None, actor: str, at_ms: int
) -> tuple[int, ...]:
    """Record a change of a schedule: its creation, a patch of it or its deletion.

    Args:
        connection: The writer's connection, in the transaction of the change.
        before: What it was, ``None`` for a new one.
        after: What it is, ``None`` for a deleted one.
        actor: Who changed it.
        at_ms: When, milliseconds UTC.

    Returns:
        The entry of the history; none where nothing changed.
    """
    states = tuple(None if one is None else _state(one) for one in (before, after))
    event = "ADD" if before is None else "DELETE" if after is None else "UPDATE"
    if event == "UPDATE":
        changed = differing(*states)
        if not changed:
            return ()
        states = tuple({name: state[name] for name in changed} for state in states if state is not None)
        event = "RENAME" if changed == ("name",) else event
    else:  # whether it is switched on stays with it
        states = tuple(None if state is None else {name: state[name] for name in _DEFINITION} for state in states)
    known = after or before
    if known is None:
        return ()
    entry = history_repo.record(
        connection,
        target_kind="schedule",
        target=known.id,
        event=event,
        before=states[0],
        after=states[1],
        actor=actor,
        at_ms=at_ms,
    )
    return (entry,)


def _state(schedule: Schedule) -> State:
    cadence = json.loads(msgspec.json.encode(schedule.cadence))
    return {name: getattr(schedule, name) for name in (*_DEFINITION, "status")} | {"cadence": cadence}


def _fields(state: State) -> State:
    cadence = {"cadence": msgspec.convert(state["cadence"], Cadence)} if "cadence" in state else {}
    return state | cadence
