"""Notes about schedules: what the person is to see of their runs."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

import apsw

from app.changes import Changed, ChangeSet
from app.core.clock import Clock, to_datetime
from app.core.text import excerpt
from app.schedule import note_repo
from app.schedule.model import Schedule, ScheduleNote, ScheduleRun
from app.sentence import Sentence, as_sentence, counted_sentence
from app.store.store import Store

AREA: Final = "schedules"
_NAME: Final = 60


class ScheduleNotes:
    """The notes that wait for the person, and those that were shown.

    Args:
        store: The vault.
        clock: The source of the time.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def waiting(self, limit: int = 100) -> list[ScheduleNote]:
        """Return the notes that wait to be shown, oldest first."""
        return await self._store.read(partial(note_repo.waiting, limit=limit))

    async def mark_shown(self, ids: Sequence[int], *, actor: str) -> Changed[int]:
        """Record that the person was shown notes, and return how many were not shown before."""
        now = to_datetime(self._clock.now_ms())
        shown_ids = await self._store.write(partial(note_repo.mark_shown, ids=ids, at=now))
        changes = (
            ChangeSet(frozenset({AREA}), tuple(dict.fromkeys(shown_ids)), actor)
            if shown_ids
            else ChangeSet(frozenset())
        )
        return Changed(len(shown_ids), changes)


def note_run(connection: apsw.Connection, schedule: Schedule, run: ScheduleRun) -> None:
    """Store a note about a run that ended, where the schedule's policy wants one."""
    policy, name = schedule.notification_policy, _name(schedule)
    if run.status == "failed" and policy != "never":
        text = Sentence("‘{name}’ failed.", name=name)
        note_repo.insert(connection, schedule.id, run.run_id, "failed", text, run.finished_at)
    elif run.status == "succeeded" and policy == "always":
        text = Sentence("‘{name}’ is done.", name=name)
        note_repo.insert(connection, schedule.id, run.run_id, "finished", text, run.finished_at)


def note_pause(connection: apsw.Connection, schedule: Schedule, run: ScheduleRun, failures: int) -> None:
    """Store a note about a schedule that is paused because it failed too often."""
    if schedule.notification_policy != "never":
        text = counted_sentence(
            failures,
            "‘{name}’ is paused after 1 failure.",
            "‘{name}’ is paused after {count} failures in a row.",
            name=_name(schedule),
        )
        note_repo.insert(connection, schedule.id, None, "paused", text, run.finished_at)


def note_missed(connection: apsw.Connection, schedule: Schedule, count: int, reason: str, now: datetime) -> None:
    """Store a note about missed occurrences where the policy is ``always``.

    ``reason`` is a sentence.
    """
    if schedule.notification_policy == "always":
        text = counted_sentence(
            count,
            "‘{name}’ was left out once. {why}",
            "‘{name}’ was left out {count} times. {why}",
            name=_name(schedule),
            why=as_sentence(reason),
        )
        note_repo.insert(connection, schedule.id, None, "missed", text, now)


def note_broken(connection: apsw.Connection, schedule: Schedule, problem: str, now: datetime) -> None:
    """Store a note about a schedule whose times cannot be worked out."""
    text = Sentence(
        "‘{name}’ is paused because its times cannot be worked out: {why}",
        name=_name(schedule),
        why=as_sentence(problem),
    )
    note_repo.insert(connection, schedule.id, None, "broken", text, now)


def _name(schedule: Schedule) -> str:
    return Sentence(schedule.name) if schedule.is_built_in else excerpt(schedule.name, _NAME)
