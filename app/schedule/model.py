"""Values of schedules: cadence, definition, run."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import msgspec

from app.agents.model import Trust

CadenceKind = Literal["cron", "once", "interval"]
Policy = Literal["always", "on_failure", "never"]
Status = Literal["active", "paused", "completed"]
RunStatus = Literal["succeeded", "failed", "skipped", "interrupted"]
Sharing = Literal["own", "part", "one"]
"""Which of the machines that share a memory do some work.

``own``: each for itself; ``one``: one for all; ``part``: each for itself, and one of them decides what concerns all.
"""
NoteKind = Literal["finished", "failed", "paused", "missed", "broken"]

BUILT_IN = "keepsake"  # the user of built-in schedules


class Cadence(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Times at which something runs; in JSON only with the fields of its kind.

    Args:
        kind: ``cron``, ``once`` or ``interval``.
        expression: Five fields of cron: minute, hour, day of month, month, day of week.
        at: The time of ``once``.
        seconds: The seconds between two runs of ``interval``.
        zone: The IANA zone in which ``expression`` is meant, such as ``Europe/Berlin``; UTC when empty.
    """

    kind: CadenceKind
    expression: str | None = None
    at: datetime | None = None
    seconds: float | None = None
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A recurring piece of work.

    Args:
        id: ``sch-…``; built-in ones are named by their job, such as ``sch-decay``.
        user_id: Who made it: ``person``, an agent, or ``keepsake`` for built-in ones.
        name: Its name.
        goal: What is to be done, in words.
        cadence: When it runs.
        notification_policy: When the person is told of a run: ``always``, ``on_failure`` or ``never``.
        status: ``active``, ``paused``, or ``completed`` once it never runs again.
        created_at: When it was made.
        updated_at: When it was last changed.
        next_run_at: Its next run.
        last_run_at: The start of its last run.
        last_run_status: How that ended.
        consecutive_failures: Failures since it last succeeded.
        channel_id: The channel it was made from, for its answers.
        channel_context_id: The place in that channel.
        trust: The trust at which a model or an agent pursues its goal.
        max_turns: Turns of a model that a run may take, ``None`` for what the settings allow.
        max_cost: Cost that a run may have, ``None`` for what the settings allow.
        waits: Why it is due and does not run, in words; not stored.
        machine: The other machine of the person that runs it for all, ``""`` for none; not stored.
    """

    id: str
    user_id: str
    name: str
    goal: str
    cadence: Cadence
    notification_policy: Policy
    status: Status
    created_at: datetime
    updated_at: datetime
    next_run_at: datetime | None = None
    last_run_at: datetime | None = None
    last_run_status: str | None = None
    consecutive_failures: int = 0
    channel_id: str | None = None
    channel_context_id: str | None = None
    trust: Trust = "inner"
    max_turns: int | None = None
    max_cost: float | None = None
    waits: str = ""
    machine: str = ""

    @property
    def is_built_in(self) -> bool:
        """True for one of Keepsake's own, which can be moved and paused but not deleted."""
        return self.user_id == BUILT_IN


@dataclass(frozen=True, slots=True)
class ScheduleFilter:
    """A filter of schedules; empty fields mean any.

    Args:
        text: Words in name or goal.
        status: Its status.
        user_id: Who made it.
        trusts: The trust of its goal is one of these.
    """

    text: str = ""
    status: Status | None = None
    user_id: str | None = None
    trusts: tuple[Trust, ...] | None = None


@dataclass(frozen=True, slots=True)
class ScheduleSearch:
    """A page of schedules, and how many there are in all."""

    schedules: tuple[Schedule, ...]
    total: int


class SchedulePatch(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Changes to a schedule; ``None`` leaves a field as it is."""

    name: str | None = None
    goal: str | None = None
    cadence: Cadence | None = None
    notification_policy: Policy | None = None
    status: Status | None = None
    channel_id: str | None = None
    channel_context_id: str | None = None
    trust: Trust | None = None
    max_turns: int | None = None
    max_cost: float | None = None


@dataclass(frozen=True, slots=True)
class ScheduleRun:
    """A run of a schedule, or runs that were left out.

    Args:
        run_id: ``run-…``; what the run changed in the vault is undone by it.
        schedule_id: The schedule.
        started_at: When it began.
        finished_at: When it ended.
        status: ``succeeded``, ``failed``, ``skipped``, or ``interrupted`` when Keepsake ended meanwhile.
        output_summary: The first characters of the output, or why it was skipped.
        output: The whole output.
        turn_count: Turns of the model; of skipped runs, how many they were.
        cost: Cost of the model.
        notified: Whether the person was shown that it ended.
    """

    run_id: str
    schedule_id: str
    started_at: datetime
    finished_at: datetime
    status: RunStatus
    output_summary: str = ""
    output: str = ""
    turn_count: int = 0
    cost: float = 0.0
    notified: bool = False


@dataclass(frozen=True, slots=True)
class ScheduleClaim:
    """The right to run one occurrence of a schedule, for a limited time."""

    schedule_id: str
    run_id: str
    holder: str
    scheduled_for: datetime
    started_at: datetime
    expires_at: datetime
    is_manual: bool = False


@dataclass(frozen=True, slots=True)
class Preview:
    """The next runs of a cadence, and the cadence in words.

    Args:
        words: The cadence in words.
        zone: The zone in which the runs are given.
        runs: The next instants in ISO 8601, with the offset of the zone.
    """

    words: str
    zone: str
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScheduleNote:
    """A note about a schedule that the person is to see.

    Args:
        id: A number, larger for later ones.
        schedule_id: The schedule.
        run_id: The run that it is about, ``None`` for another reason.
        kind: ``finished``, ``failed``, ``paused``, ``missed`` or ``broken``.
        text: A sentence without any content of the vault but the schedule's name.
        made_at: When it was made.
    """

    id: int
    schedule_id: str
    run_id: str | None
    kind: NoteKind
    text: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class JobResult:
    """The outcome of a piece of work.

    Args:
        output: What it did, in words for the person, such as ``Archived 12 observations.``.
        turn_count: Turns of a language model.
        cost: Cost of a language model.
        status: ``failed`` where it could not be done to its end.
        counts: How many of each kind of change were made.
    """

    output: str
    turn_count: int = 0
    cost: float = 0.0
    status: RunStatus = "succeeded"
    counts: dict[str, int] = field(default_factory=dict)
