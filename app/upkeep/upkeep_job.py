"""Upkeep jobs: plans, and runs that can be undone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from app.changes import ChangeSet
from app.jobs import Job
from app.schedule.model import Cadence, JobResult, Sharing


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """One change that a job would make.

    Args:
        action: A verb, such as ``archive``.
        id: What would be changed.
        title: Its title, for a person.
        detail: What would become of it, in a few words.
    """

    action: str
    id: str
    title: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class UpkeepPlan:
    """A plan of what a job would change now.

    Args:
        job: The name of the job.
        summary: A sentence for a person.
        total: How many changes there would be.
        changes: The first of them.
        notes: Sentences about what was left out, and why.
    """

    job: str
    summary: str
    total: int = 0
    changes: tuple[PlannedChange, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UpkeepRun:
    """A run under way.

    Args:
        id: ``run-…``; every entry of the history that it makes bears it, so that the run can be undone as one.
        job: Its progress; asked before each batch whether it was cancelled.
        publish: Reports what a batch changed.
        decides: Whether this machine decides what concerns all that share the vault.
    """

    id: str
    job: Job
    publish: Callable[[ChangeSet], None]
    decides: bool = True


def daily(time: str, weekday: int | str = "*") -> Cadence:
    """Return the cadence of a time on one weekday (0 is Sunday) or on all."""
    hour, _, minute = time.partition(":")
    return Cadence(kind="cron", expression=f"{int(minute)} {int(hour)} * * {weekday}")


class UpkeepJob(Protocol):
    """A piece of upkeep.

    It changes the vault in short transactions, a batch at a time, so that it can be cancelled between them and goes on
    where it was when Keepsake ends.
    """

    name: str
    title: str
    goal: str
    unit: str
    sharing: Sharing
    """The machines that do it, of those that share the vault."""

    def is_harmless(self) -> bool:
        """Return whether two machines that both do it come to the same, at no cost."""

    def cadences(self) -> tuple[Cadence, ...]:
        """Return the times at which it runs unless the person moved them, without a zone."""

    def is_enabled(self) -> bool:
        """Return whether the settings let it run by itself."""

    async def plan(self) -> UpkeepPlan:
        """Return what it would change now; changes nothing."""

    async def apply(self, run: UpkeepRun) -> JobResult:
        """Do it.

        Raises:
            KeepsakeError: It could not be done; finished batches stay, and bear the run's id.
        """
