"""Upkeep jobs as built-in schedules: installed at the start, run by the runner of schedules."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from app.changes import ChangeSet
from app.core.clock import Clock, to_datetime
from app.core.time_rules.local_zone import local_zone
from app.errors import CancelledByPersonError, InputError
from app.jobs import Jobs
from app.schedule.model import BUILT_IN, Cadence, JobResult, Schedule, Sharing
from app.schedule.service import ScheduleService
from app.sentence import Sentence, joined
from app.trace.trace import Trace
from app.upkeep.upkeep_job import UpkeepJob, UpkeepRun

PREFIX: Final = "sch-"


class ScheduledUpkeep:
    """An upkeep job that the runner of schedules runs.

    Args:
        job: The job.
        jobs: Lists it while it runs.
        publish: Reports what it changed.
        trace: Records how long a run took and how many changes it made.
    """

    is_heavy = True

    def __init__(self, job: UpkeepJob, jobs: Jobs, publish: Callable[[ChangeSet], None], trace: Trace) -> None:
        self._job = job
        self._jobs = jobs
        self._publish = publish
        self._trace = trace

    @property
    def sharing(self) -> Sharing:
        """The machines that do it, of those that share the vault."""
        return self._job.sharing

    def is_enabled(self) -> bool:
        """Return whether the settings let it run by itself."""
        return self._job.is_enabled()

    def is_harmless(self) -> bool:
        """Return whether two machines that both do it come to the same; see ``UpkeepJob``."""
        return self._job.is_harmless()

    async def run(self, run_id: str, *, decides: bool) -> JobResult:
        """Apply the job as a run; see ``UpkeepJob.apply``."""
        with self._trace.span("upkeep.run", kind=self._job.name) as facts:
            with self._jobs.running(self._job.title, self._job.unit, run_id) as job:
                facts["status"] = "failed"
                outcome = await self._job.apply(UpkeepRun(run_id, job, self._publish, decides))
            facts["status"] = job.progress.state
            facts |= {"changes": sum(outcome.counts.values()), "turns": outcome.turn_count, "cost": outcome.cost}
            for kind, count in outcome.counts.items():
                self._trace.event("upkeep.changed", kind=self._job.name, action=kind, count=count)
        if job.is_cancelled():
            raise CancelledByPersonError(joined((Sentence("Stopped on request."), outcome.output)))
        return outcome


class UpkeepJobs:
    """The upkeep jobs of a vault.

    Args:
        upkeep_jobs: The jobs.
        schedules: Their schedules.
        clock: The source of the time.
        jobs: Lists a job while it runs.
        publish: Reports what a job changed.
        trace: Records the runs.
    """

    def __init__(
        self,
        upkeep_jobs: Sequence[UpkeepJob],
        schedules: ScheduleService,
        clock: Clock,
        jobs: Jobs,
        publish: Callable[[ChangeSet], None],
        trace: Trace,
    ) -> None:
        self._jobs = {job.name: job for job in upkeep_jobs}
        self._schedules = schedules
        self._clock = clock
        self._is_installed = False
        self.scheduled = {
            identity: ScheduledUpkeep(job, jobs, publish, trace)
            for job in upkeep_jobs
            for identity in schedule_ids(job)
        }

    def all(self) -> list[UpkeepJob]:
        """Return every job, by name."""
        return [self._jobs[name] for name in sorted(self._jobs)]

    def named(self, name: str) -> UpkeepJob:
        """Return a job.

        Raises:
            InputError: There is none of that name.
        """
        job = self._jobs.get(name)
        if job is None:
            raise InputError(
                Sentence("There is no such job. The jobs are {names}.", names=", ".join(sorted(self._jobs))),
                field="job",
            )
        return job

    async def install(self) -> None:
        """Store a schedule for every time of every job, unless it is there."""
        if self._is_installed:
            return
        now, zone = to_datetime(self._clock.now_ms()), local_zone()
        await self._schedules.install(
            [
                Schedule(
                    identity,
                    BUILT_IN,
                    job.title,
                    job.goal,
                    _in_zone(cadence, zone),
                    "on_failure",
                    "active",
                    now,
                    now,
                )
                for job in self.all()
                for identity, cadence in zip(schedule_ids(job), job.cadences(), strict=True)
            ]
        )
        self._is_installed = True


def schedule_ids(job: UpkeepJob) -> list[str]:
    """Return the ids of a job's schedules: one for each of its times."""
    count = len(job.cadences())
    return [f"{PREFIX}{job.name}" if number == 0 else f"{PREFIX}{job.name}-{number + 1}" for number in range(count)]


def _in_zone(cadence: Cadence, zone: str) -> Cadence:
    return msgspec.structs.replace(cadence, zone=zone) if cadence.kind == "cron" and not cadence.zone else cadence
