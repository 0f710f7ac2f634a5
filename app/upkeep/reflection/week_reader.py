"""Reader of a week: one read of the vault, and the counting on another thread."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import partial
from itertools import groupby
from typing import Final
from zoneinfo import ZoneInfo

import apsw

from app.core.clock import DAY_MS, Clock, to_datetime
from app.core.local_zone import local_zone
from app.core.recall_fence import without_recalled
from app.core.stores import STORES, StoreName
from app.extraction.extractor import extract
from app.extraction.model import SpokenLine
from app.extraction.sentence_split import sentences
from app.memories.model import Source
from app.store.store import Store
from app.upkeep.reflection import repo
from app.upkeep.reflection.citations import same_words
from app.upkeep.reflection.model import MentionedName, ReflectionOptions, Week, WeekItem, WeekSession
from app.upkeep.reflection.repo import WeekSpan
from app.upkeep.reflection.topics import count_documents, terms, topics

_EARLIER_WEEKS: Final = 6
_MESSAGES: Final = 2_000  # of which the terms are counted
_EARLIER_MESSAGES: Final = 2_000
_EARLIER_TEXT: Final = 600
_NAMES: Final = 60
_EXPLAINED: Final = 12  # new names that are explained
_TOPICS: Final = 10
_CHANGES: Final = 10
_AHEAD_DAYS: Final = 21
_DESCRIBED: Final = 2  # conversations that are named
_CONVERSATIONS: Final = 10_000

_Document = tuple[frozenset[str], Source]  # the terms of a text, and its source


@dataclass(frozen=True, slots=True)
class _Material:
    """All that was read of a week."""

    week: Week
    memories: list[tuple[WeekItem, str]]
    lines: list[tuple[str, SpokenLine]]
    earlier_lines: list[tuple[str, SpokenLine]]
    last_lines: list[tuple[str, SpokenLine]]
    names: list[tuple[MentionedName, list[WeekItem]]]
    speakers: set[str]


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
        found = await self._store.read(partial(repo.latest_reflection, now_ms=self._clock.now_ms()))
        return None if found is None else (found[0], to_datetime(found[1]))

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
    length = span.until - span.since
    last, earlier = (
        WeekSpan(span.since - length, span.since),
        WeekSpan(span.since - _EARLIER_WEEKS * length, span.since - length),
    )
    named = [
        (one, repo.mentions(connection, entity, span, 4) if one.is_new and place < _EXPLAINED * 3 else [])
        for place, (entity, one) in enumerate(repo.names(connection, span, _NAMES))
    ]
    week = Week(
        to_datetime(span.since),
        to_datetime(span.until),
        zone,
        repo.count_facts(connection, span),
        repo.message_count(connection, span),
        tuple(repo.conversations(connection, span, _CONVERSATIONS)),
        ahead=tuple(repo.ahead(connection, span, span.until + _AHEAD_DAYS * DAY_MS, options.limit)),
        changes=tuple(repo.changes(connection, span, _CHANGES)),
        faded=tuple(repo.faded(connection, span, options.limit)),
    )
    return _Material(
        week,
        repo.memories(connection, span, options.limit),
        repo.messages(connection, span, _MESSAGES),
        repo.messages(connection, earlier, _EARLIER_MESSAGES, _EARLIER_TEXT),
        repo.messages(connection, last, _EARLIER_MESSAGES, _EARLIER_TEXT),
        named,
        repo.speakers(connection, span),
    )


def _week(material: _Material, options: ReflectionOptions) -> Week:
    statements = _statements(material, options.limit)
    names = [_explained(one, said) for one, said in material.names if one.name not in material.speakers]
    taken = frozenset(word for one, _ in material.names for word in one.name.lower().split())
    taken |= {word for _, line in material.lines for word in line.speaker.lower().split()}
    here, last = _documents(material.lines), _documents(material.last_lines)
    here += [(terms(one.text), one.source) for one in statements if one.kind in ("note", "observation")]
    earlier = count_documents(found for found, _ in _documents(material.earlier_lines))
    now, before = count_documents(found for found, _ in here), count_documents(found for found, _ in last)
    topics_now = topics(here, earlier + before, len(material.earlier_lines) + len(last), taken, _TOPICS)
    topics_then = topics(last, earlier, len(material.earlier_lines), taken, _TOPICS)
    week = replace(
        material.week,
        statements=tuple(statements),
        conversations=_described(material.week.conversations, here, taken),
        names=tuple(names),
        topics=tuple(replace(one, other_week=before[one.term]) for one in topics_now),
        last_topics=tuple(replace(one, other_week=now[one.term]) for one in topics_then),
    )
    return replace(week, stores=_stores(week))


def _documents(lines: list[tuple[str, SpokenLine]]) -> list[_Document]:
    return [(terms(without_recalled(line.text)), _source(session, line)) for session, line in lines]


def _described(
    found: tuple[WeekSession, ...], documents: list[_Document], taken: frozenset[str]
) -> tuple[WeekSession, ...]:
    """Return conversations with the topics of those that are named and have no title."""
    made: list[WeekSession] = []
    for one in found[:_DESCRIBED]:
        own = [item for item in documents if item[1].id.startswith(f"{one.id}#")]
        others = [some for some, source in documents if not source.id.startswith(f"{one.id}#")]
        about = () if one.title else topics(own, count_documents(others), len(others), taken, 2)
        made.append(replace(one, topics=tuple(topic.term for topic in about)))
    return (*made, *found[_DESCRIBED:])


def _statements(material: _Material, limit: int) -> list[WeekItem]:
    """Return what the memories say, then what messages say that no memory was drawn from."""
    found = [one for one, _ in material.memories]
    known = {same_words(one.text) for one in found}
    read = {source for _, source in material.memories}
    spoken: list[WeekItem] = []
    for session, lines in groupby(sorted(material.lines, key=lambda one: one[0]), key=lambda one: one[0]):
        some = [line for _, line in lines]
        times = {line.seq: line.at for line in some}
        for fact in extract(some):
            reference = f"{session}#{fact.seq}"
            if reference not in read and same_words(fact.content) not in known:
                known.add(same_words(fact.content))
                source, at = Source("message", reference), times[fact.seq]
                spoken.append(WeekItem(fact.content, source, at, fact.family, fact.event_time))
    spoken.sort(key=lambda one: (one.at, one.source.id), reverse=True)
    return [*found, *spoken][:limit]


def _explained(name: MentionedName, said: list[WeekItem]) -> MentionedName:
    """Return a name with the best sentence about it.

    A statement is better than a question, and a long one than a short one.
    """
    best: tuple[float, WeekItem] | None = None
    for one in said:
        for sentence in sentences(without_recalled(one.text)) if one.kind == "message" else (one.text,):
            place = sentence.find(name.name)
            if place < 0:
                continue
            score = min(len(sentence), 120) - (60 if sentence.endswith("?") else 0) - place * 0.2
            score -= 200 if one.title == "the assistant" else 0
            if best is None or score > best[0]:
                best = score, replace(one, text=sentence)
    return replace(name, said=None if best is None else best[1])


def _source(session: str, line: SpokenLine) -> Source:
    return Source("message", f"{session}#{line.seq}")


def _stores(week: Week) -> tuple[StoreName, ...]:
    """Return the stores of all that a digest may draw from; messages are private."""
    found: set[StoreName] = {one.store for one in (*week.statements, *week.ahead, *week.faded)}
    found |= {one.store for change in week.changes for one in (change.was, change.now)}
    if week.message_count or week.names:
        found.add("private")
    return tuple(store for store in STORES if store in found)
