"""The job that writes the weekly reflection."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Final

from app.core.access import Access
from app.core.clock import DAY_MS, to_datetime, to_ms
from app.core.text import excerpt
from app.core.time_rules.timespans import WEEKDAYS
from app.errors import AccessDeniedError, KeepsakeError
from app.llm.chat_model import ChatModel
from app.llm.model import Usage
from app.memories import validation
from app.memories.deduplication.derived_ids import next_derived_id
from app.memories.digests.reflections import TAG
from app.memories.model import Memory, NewMemory
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryWriter
from app.schedule.model import Cadence, JobResult, Sharing
from app.sentence import Sentence, counted_sentence, joined
from app.upkeep.reflection import cited_sentences, repo
from app.upkeep.reflection.model import Digest, ReflectionOptions, ReflectionPreview, Week, WeekItem
from app.upkeep.reflection.week_digest import digest
from app.upkeep.reflection.week_reader import WeekReader
from app.upkeep.upkeep_job import PlannedChange, UpkeepPlan, UpkeepRun, daily

_STEPS: Final = 3
_MAX_SOURCES: Final = validation.MAX_RELATED
_DETAIL: Final = 200


@dataclass(frozen=True, slots=True)
class _Written:
    """A reflection that is ready to be stored, and how it came to be."""

    digest: Digest
    remark: str = ""
    usage: Usage = field(default_factory=Usage)
    turns: int = 0


class WeeklyReflection:
    """The weekly look back.

    Where a language model may be asked, it writes the text and each sentence cites its sources; else rules do.

    Args:
        transactions: Opens transactions that write memories.
        reader: Reads the week.
        model: The language model.
        options: Returns the settings.
    """

    name = "reflection"
    title = "Weekly reflection"
    goal = "Write the week: people and what changed with them, plans due, open promises, changes of mind, what faded."
    unit = "steps"
    sharing: Sharing = "one"

    def __init__(
        self,
        transactions: MemoryUnitOfWork,
        reader: WeekReader,
        model: ChatModel,
        options: Callable[[], ReflectionOptions],
    ) -> None:
        self._transactions = transactions
        self._reader = reader
        self._model = model
        self._options = options

    def cadences(self) -> tuple[Cadence, ...]:
        """Return its day and time; see ``UpkeepJob``."""
        options = self._options()
        weekday = (WEEKDAYS.index(options.day) + 1) % len(WEEKDAYS)  # cron counts from Sunday
        return (daily(options.time, weekday),)

    def is_enabled(self) -> bool:
        """Return whether the settings let it run by itself."""
        return self._options().is_enabled

    def is_harmless(self) -> bool:
        """Return True where no model is asked: the reflection of a week is one."""
        return not self._model.is_available

    async def preview(self) -> ReflectionPreview:
        """Return what the digest would say now; stores nothing."""
        options = self._options()
        reason = await self._reason_to_skip(options)
        week = digest(await self._reader.read(options))
        return ReflectionPreview(week.title, week.content, week.sources, not reason, reason)

    async def plan(self) -> UpkeepPlan:
        """Return the reflection that it would write; see ``UpkeepJob``."""
        options = self._options()
        reason = await self._reason_to_skip(options)
        if reason:
            return UpkeepPlan(self.name, reason)
        week = digest(await self._reader.read(options))
        change = PlannedChange("write", "", week.title, excerpt(week.content, _DETAIL))
        name = self._model.name or Sentence("The language model")
        notes = (Sentence("{model} writes the text.", model=name),) if self._model.is_available else ()
        return UpkeepPlan(self.name, Sentence("Write “{title}”.", title=week.title), 1, (change,), notes)

    async def apply(self, run: UpkeepRun) -> JobResult:
        """Write the reflection unless there is a reason not to; see ``UpkeepJob``."""
        options = self._options()
        reason = await self._reason_to_skip(options)
        if reason:
            return JobResult(reason, counts={"written": 0})
        week = await self._reader.read(options)
        run.job.advance(1, _STEPS)
        text = await self._text(week, options)
        run.job.advance(2, _STEPS)
        spent = partial(JobResult, cost=text.usage.cost, turn_count=text.turns)
        if run.job.is_cancelled():
            return spent(Sentence("No reflection was written."), counts={"written": 0})
        draft = _draft(text.digest, week, run.id)
        work = partial(_store, draft=draft, ends_on=_last_day(week, options.day), min_days=options.min_days)
        stored = await self._transactions.run(Access.everything(self.name, "upkeep.reflection", run.id), work)
        run.job.advance(_STEPS, _STEPS)
        if stored.value is None:
            return spent(Sentence("Another reflection was written meanwhile."), counts={"written": 0})
        run.publish(stored.changes)
        count = len(text.digest.sources)
        wrote = counted_sentence(
            count,
            "Wrote “{title}” from 1 source.",
            "Wrote “{title}” from {count} sources.",
            title=text.digest.title,
        )
        return spent(joined((wrote, text.remark)), counts={"written": 1, "sources": count})

    async def _reason_to_skip(self, options: ReflectionOptions) -> str:
        """Return why no reflection is due, empty where one is."""
        latest = await self._reader.latest()
        if latest is not None:
            age = self._transactions.clock.now_ms() - round(latest[1].timestamp() * 1000)
            if age < options.min_days * DAY_MS:
                return Sentence(
                    "No reflection was written: the last one is {age} old, and reflection.min_days asks for {days}"
                    " days between two.",
                    age=_days(age),
                    days=options.min_days,
                )
        facts = await self._reader.count_facts(options)
        if facts < options.min_facts:
            return Sentence(
                "No reflection was written: the last {days} have {facts}, and reflection.min_facts asks for {least}.",
                days=counted_sentence(options.days, "1 day", "{count} days"),
                facts=counted_sentence(facts, "1 fact", "{count} facts"),
                least=options.min_facts,
            )
        return ""

    async def _text(self, week: Week, options: ReflectionOptions) -> _Written:
        """Return the model's text, or the digest where the model has none to give."""
        by_rules = await asyncio.to_thread(digest, week)
        items = [statement for statement in week.statements if statement.text][: options.limit]
        if not self._model.is_available or not items:
            return _Written(by_rules)
        try:
            answer = await self._ask(items, options.min_facts)
        except KeepsakeError as error:
            return _Written(by_rules, Sentence("The language model was not used: {why}", why=error.sentence))
        if answer is None:
            remark = Sentence("Private texts are kept from the language model, so rules wrote it.")
            return _Written(by_rules, remark)
        if not answer.content:
            remark = Sentence("The language model's sentences cited too few sources, so rules wrote it.")
            return _Written(by_rules, remark, answer.usage, 1)
        attributes = {"written_by": answer.model, "dropped_sentences": answer.dropped}
        text = replace(by_rules, content=answer.content, sources=answer.sources, attributes=attributes)
        remark = counted_sentence(
            answer.dropped, "1 sentence without sources left out.", "{count} sentences without sources left out."
        )
        return _Written(text, remark if answer.dropped else Sentence(""), answer.usage, 1)

    async def _ask(self, items: list[WeekItem], least: int) -> cited_sentences.CitedText | None:
        """Ask on all items, or on those that the model may see.

        Returns:
            ``None`` where those are too few.
        """
        try:
            return await cited_sentences.write(self._model, items)
        except AccessDeniedError:
            seen = [item for item in items if item.store != "private"]
            return await cited_sentences.write(self._model, seen) if len(seen) >= least else None


def _draft(digest: Digest, week: Week, run_id: str) -> NewMemory:
    return NewMemory(
        digest.content,
        digest.title,
        kind="reflection",
        tags=(TAG,),
        store=digest.store,
        source="keepsake",
        decay_rate=0.0,
        sources=digest.sources[:_MAX_SOURCES],
        attributes={**digest.attributes, "since": _iso(week.since), "until": _iso(week.until), "run": run_id},
    )


def _store(writer: MemoryWriter, *, draft: NewMemory, ends_on: date, min_days: int) -> Memory | None:
    """Store a reflection, unless another one came first.

    Machines that do not hear of each other write that of a week once.
    """
    latest = repo.latest_reflection(writer.connection, writer.at_ms)
    if latest is not None and writer.at_ms - latest[1] < min_days * DAY_MS:
        return None
    day_ms = to_ms(datetime(ends_on.year, ends_on.month, ends_on.day, tzinfo=UTC))
    identity = next_derived_id(writer.connection, "reflection", day_ms, "week", ends_on.isoformat())
    if repo.is_written_ahead(writer.connection, identity, writer.at_ms):
        return None
    named = replace(draft, id=identity, created_at=to_datetime(writer.at_ms))
    return writer.create(validation.compose(named, writer.at_ms))


def _last_day(week: Week, day: str) -> date:
    """Return the last day of a name by the end of a week."""
    until = (week.until - timedelta(milliseconds=1)).astimezone(week.zone).date()
    return until - timedelta(days=(until.weekday() - WEEKDAYS.index(day)) % len(WEEKDAYS))


def _days(age_ms: int) -> str:
    days = age_ms // DAY_MS
    return counted_sentence(days, "1 day", "{count} days") if days else Sentence("less than a day")


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds")
