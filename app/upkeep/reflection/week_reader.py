"""Reader of a week: one read of the vault, without what was told before."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import partial
from itertools import groupby
from typing import Final
from zoneinfo import ZoneInfo

import apsw

from app.core.clock import DAY_MS, Clock, to_datetime
from app.core.stores import STORES, StoreName
from app.core.time_rules.local_zone import local_zone
from app.extraction.extractor import extract
from app.extraction.model import SpokenLine
from app.memories.model import Source
from app.store.store import Store
from app.upkeep.reflection import repo
from app.upkeep.reflection.citations import link, quoted, same_words
from app.upkeep.reflection.model import ReflectionOptions, Week, WeekItem
from app.upkeep.reflection.repo import WeekSpan

_MESSAGES: Final = 2_000
_PEOPLE: Final = 200
_CHANGES: Final = 10
_AHEAD_DAYS: Final = 21
_PROMISE_DAYS: Final = 60
_EARLIER: Final = 52  # reflections that are not repeated


@dataclass(frozen=True, slots=True)
class _Material:
    """All that was read of a week."""

    week: Week
    memories: list[tuple[WeekItem, str]]
    lines: list[tuple[str, SpokenLine]]
    earlier: list[tuple[str, bool]]


class WeekReader:
    """Reads weeks.

    Args:
        store: The vault's database.
        clock: The source of the time.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def latest(self) -> tuple[str, datetime] | None:
        """Return id and time of the latest reflection."""
        reflection = await self._store.read(partial(repo.latest_reflection, now_ms=self._clock.now_ms()))
        return None if reflection is None else (reflection[0], to_datetime(reflection[1]))

    async def count_facts(self, options: ReflectionOptions) -> int:
        """Return how many facts the past days have."""
        return await self._store.read(partial(repo.count_facts, span=self._span(options)))

    async def read(self, options: ReflectionOptions) -> Week:
        """Return the week that ends now."""
        span = self._span(options)
        material = await self._store.read(partial(_read, span=span, options=options, zone=_zone()))
        return await asyncio.to_thread(_week, material, options)

    def _span(self, options: ReflectionOptions) -> WeekSpan:
        now_ms = self._clock.now_ms()
        return WeekSpan(now_ms + 1 - options.days * DAY_MS, now_ms + 1)  # what was said just now belongs to it


def _zone() -> tzinfo:
    try:
        return ZoneInfo(local_zone())
    except (KeyError, ValueError, OSError):
        return datetime.now().astimezone().tzinfo or ZoneInfo("UTC")


def _read(connection: apsw.Connection, span: WeekSpan, options: ReflectionOptions, zone: tzinfo) -> _Material:
    before = WeekSpan(span.since - _PROMISE_DAYS * DAY_MS, span.since)
    messages, talks = repo.message_count(connection, span)
    week = Week(
        to_datetime(span.since),
        to_datetime(span.until),
        zone,
        repo.count_facts(connection, span),
        messages,
        talks,
        ahead=tuple(repo.ahead(connection, span, span.until + _AHEAD_DAYS * DAY_MS, options.limit)),
        promises=tuple(repo.promises(connection, before, options.limit)),
        changes=tuple(repo.changes(connection, span, _CHANGES)),
        faded=tuple(repo.faded(connection, span, options.limit)),
        people=repo.people(connection, span, _PEOPLE),
    )
    return _Material(
        week,
        repo.memories(connection, span, options.limit),
        repo.messages(connection, span, _MESSAGES),
        repo.earlier_texts(connection, span.until, _EARLIER),
    )


def _week(material: _Material, options: ReflectionOptions) -> Week:
    week, statements = material.week, _statements(material, options.limit)

    # Rules quote what they tell, so that a changed text is news; a model says it in words of its own.
    quotations = "\n".join(text for text, by_rules in material.earlier if by_rules)
    by_model = "\n".join(text for text, by_rules in material.earlier if not by_rules)

    def untold(items: Iterable[WeekItem]) -> tuple[WeekItem, ...]:
        return tuple(
            item for item in items if quoted(item.text) not in quotations and f"({link(item.source)})" not in by_model
        )

    changes = tuple(change for change in week.changes if untold((change.was, change.now)))
    week = replace(
        week,
        statements=untold(statements),
        ahead=untold(week.ahead),
        promises=untold(week.promises),
        changes=changes,
        faded=untold(week.faded),
    )
    return replace(week, stores=_stores(week))


def _statements(material: _Material, limit: int) -> list[WeekItem]:
    """Return what the memories say, then what messages say that no memory was drawn from."""
    statements = [item for item, _ in material.memories]
    known = {same_words(statement.text) for statement in statements}
    read = {source for _, source in material.memories}
    spoken: list[WeekItem] = []
    for session, lines in groupby(sorted(material.lines, key=lambda line: line[0]), key=lambda line: line[0]):
        some = [line for _, line in lines]
        times = {line.seq: line.at for line in some}
        for fact in extract(some):
            reference = f"{session}#{fact.seq}"
            if reference not in read and same_words(fact.content) not in known:
                known.add(same_words(fact.content))
                source, at = Source("message", reference), times[fact.seq]
                family, day = fact.family, fact.event_time
                spoken.append(WeekItem(fact.content, source, at, family, day, said_by=fact.said_by))
    spoken.sort(key=lambda item: (item.at, item.source.id), reverse=True)
    return [*statements, *spoken][:limit]


def _stores(week: Week) -> tuple[StoreName, ...]:
    """Return the stores of all that a digest may draw from; messages are private."""
    stores: set[StoreName] = {item.store for item in (*week.statements, *week.ahead, *week.promises, *week.faded)}
    stores |= {item.store for change in week.changes for item in (change.was, change.now)}
    if week.message_count or week.people:
        stores.add("private")
    return tuple(store for store in STORES if store in stores)
