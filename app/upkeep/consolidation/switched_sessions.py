"""Consolidation of conversations soon after their agent began another one."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from app.errors import KeepsakeError
from app.part import BackgroundTask, Part
from app.schedule.model import ScheduleRun
from app.schedule.parts import ScheduleParts
from app.sentence import Sentence
from app.sessions.consolidation_queue import ConsolidationQueue
from app.upkeep.consolidation.job import ConsolidationJob
from app.upkeep.job_schedules import schedule_ids

_log = logging.getLogger(__name__)

DELAY_S: Final = 10.0  # the answer to what was said in the new conversation comes first
_MOST: Final = 1_000


class SwitchedSessions(Part):
    """Worker that reads conversations which were left. Belongs to one event loop.

    Args:
        job: Reads conversations.
        queue: Knows which ones still go on.
        is_enabled: Whether the settings want it.
        schedules: Runs the job.
        delay_s: Seconds to wait after a change.
    """

    def __init__(
        self,
        job: ConsolidationJob,
        queue: ConsolidationQueue,
        is_enabled: Callable[[], bool],
        schedules: ScheduleParts,
        delay_s: float = DELAY_S,
    ) -> None:
        self._job = job
        self._queue = queue
        self._is_enabled = is_enabled
        self._delay_s = delay_s
        self._left: dict[str, None] = {}
        self._wake = asyncio.Event()
        self._schedules = schedules
        self.failure = ""

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the consolidation of what was left."""
        return (BackgroundTask("left-conversations", self.run, is_essential=False),)

    @property
    def failures(self) -> Sequence[str]:
        """Why a conversation that was left is not consolidated."""
        return (self.failure,)

    def note(self, session: str) -> None:
        """Note that an agent left a conversation for another one; returns at once."""
        if self._is_enabled() and len(self._left) < _MOST:
            self._left[session] = None
            self._wake.set()

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            await self._wake.wait()
            await asyncio.sleep(self._delay_s)
            self._wake.clear()
            try:
                await self.read_left()
                self.failure = ""
            except KeepsakeError as error:
                self.failure = Sentence(
                    "A conversation that was left could not be consolidated: {why}", why=error.sentence
                )
                _log.info("a conversation that was left was not consolidated: %s", error.code)

    async def read_left(self) -> None:
        """Consolidate what was left, unless it goes on again."""
        sessions_left, self._left = self._left, {}
        waiting = set(await self._queue.waiting_ids())
        sessions = [session for session in sessions_left if session in waiting]
        if sessions and self._is_enabled():
            await self.read_now(sessions)

    async def read_now(self, sessions: list[str]) -> ScheduleRun:
        """Consolidate these conversations now, and return the run."""
        schedules, runner = self._schedules.service, self._schedules.runner
        await self._schedules.install()
        schedule = await schedules.get(schedule_ids(self._job)[0])
        await runner.ended(schedule.id)
        claim = await runner.run_now(schedule)
        # The run begins when this gives way; until then it can be told what to read.
        self._job.narrow(claim.run_id, sessions)
        await runner.ended(schedule.id)
        return await schedules.run(claim.run_id)
