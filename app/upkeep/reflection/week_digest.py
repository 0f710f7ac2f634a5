"""Digest of a week by rules: quotations by weight, with speaker and source."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from itertools import islice
from typing import Final

from app.core.stores import STORES, StoreName
from app.entities.ner.gazetteer import gazetteer
from app.memories.model import Source
from app.upkeep.reflection.citations import cited, day, enumerated, in_words, quoted, same_words
from app.upkeep.reflection.model import Digest, Week, WeekItem
from app.upkeep.reflection.retelling import is_same_event

LONGEST: Final = 260  # words: a page
_SECTION: Final = 4  # lines of a section at most
_OF_PERSON: Final = 3  # quotations of a person at most
_PEOPLE: Final = 4
_TITLE: Final = 60
_HALF_DAY: Final = timedelta(hours=12)
_OWN_ROLES: Final = {"user": "You", "assistant": "The assistant"}
# What a statement weighs by its family; unknown ones were written down on purpose.
_WEIGHTS: Final = {
    "commitment": 3.0,
    "decision": 3.0,
    "plan": 2.0,
    "relation": 2.5,
    "preference": 2.0,
    "statement": 2.0,
}
_WRITTEN: Final = 2.5
_NAMED: Final = 1.0  # for each person it names
_NUMBER: Final = 0.5
_OFTEN: Final = 0.5  # for each time it was said again, up to three
_SHORT, _LONG = 15, 220  # characters beyond which a quotation tells little, or too much
_AWKWARD: Final = 1.5
_LEAST: Final = 2.0  # below it a sentence from a conversation is not worth telling
_ABOUT: Final = 2  # people whom a statement is about at most
_LEAST_MENTIONS: Final = 2  # texts that make a person who does not speak here
_QUOTED: Final = re.compile(r"[\"“«][^\"“”«»]*[\"”»]")
_EXCLAMATIONS: Final = frozenset(("oh", "wow", "woah", "whoa", "yeah", "ach", "oye"))
_DIGIT: Final = re.compile(r"\d")


@dataclass(slots=True)
class _Page:
    """A digest as it is written: its lines, and what they cite."""

    week: Week
    most: int
    parts: list[str] = field(default_factory=list)
    sources: dict[Source, None] = field(default_factory=dict)
    quotations: list[WeekItem] = field(default_factory=list)

    def cite(self, label: str, source: Source) -> str:
        self.sources.setdefault(source)
        return cited(label, source)

    def is_fresh(self, statement: WeekItem) -> bool:
        """Return whether no line tells of this yet, and note that one does now."""
        words = same_words(statement.text)
        is_fresh = not any(
            words == same_words(other.text)
            or (statement.said_by == other.said_by and is_same_event(statement.text, other.text))
            for other in self.quotations
        )
        self.quotations.append(statement)
        return is_fresh

    def line(self, item: WeekItem, *, with_speaker: bool = True) -> str:
        """Return a statement as it was said, with its date, and who said it."""
        when = self.cite(day(item.at, self.week.zone, until=self.week.until), item.source)
        if not item.said_by:
            return f"{quoted(item.text)} · {when}"
        speaker = f"{speaker_name(item)}, " if with_speaker else ""
        return f"“{quoted(item.text)}” · {speaker}{when}"

    def lines(self, items: Iterable[WeekItem], before: int = 0) -> list[str]:
        """Return the lines of the first items that no line says yet."""
        lines: list[str] = []
        for item in items:
            if before + len(lines) < self.most and self.is_fresh(item):
                lines.append(self.line(item))
        return lines

    def section(self, heading: str, lines: Iterable[str]) -> None:
        """Add a section, unless it has no lines."""
        some = [f"- {line}" for line in lines]
        if some:
            self.parts.append("\n".join([f"## {heading}", "", *some]))


def digest(week: Week) -> Digest:
    """Return the digest of a week.

    It is a page at most: sections get shorter where there is more.
    """
    page = _page(week, _SECTION)
    for most in range(_SECTION - 1, 0, -1):
        if count_words(page.parts) <= LONGEST:
            break
        page = _page(week, most)
    return Digest(title(week), "\n\n".join(page.parts), tuple(page.sources), store_of(week), {"written_by": "rules"})


def title(week: Week) -> str:
    """Return the title of a week's reflection."""
    # A week that ends in the night ends with the day before.
    since, until = day(week.since + _HALF_DAY, week.zone), day(week.until - _HALF_DAY, week.zone)
    first, last = since.split(" "), until.split(" ")
    while len(first) > 1 and first[-1] == last[-1]:
        del first[-1], last[-1]
    return f"The week from {' '.join(first)} to {until}"


def store_of(week: Week) -> StoreName:
    """Return the most private store that a week draws from."""
    return next((store for store in STORES if store in week.stores), STORES[0])


def count_words(parts: Sequence[str]) -> int:
    """Return how many words a person reads; addresses of links are none."""
    return sum(len(part.split()) for part in parts)


def speaker_name(item: WeekItem) -> str:
    """Return who said something, as a person reads it."""
    return _OWN_ROLES.get(item.said_by) or quoted(item.said_by, _TITLE)


def weight(item: WeekItem, people: Sequence[str]) -> float:
    """Return how much a statement is worth telling."""
    named = sum(_names(item.text, name) for name in people)
    weight = _WEIGHTS.get(item.family, _WRITTEN) + _NAMED * min(named, 2) + _OFTEN * min(item.mentions - 1, 3)
    weight += _NUMBER if _DIGIT.search(item.text) else 0.0
    return weight - (0.0 if _SHORT <= len(item.text) <= _LONG else _AWKWARD)


def _names(text: str, name: str) -> bool:
    """Return whether a text names a person outside of greetings, titles and quotations."""
    plain = _greeting().sub("", _QUOTED.sub("", text))
    return re.search(rf"\b{re.escape(name)}\b", plain) is not None


@cache
def _greeting() -> re.Pattern[str]:
    """Return the pattern of a greeting with a name: ``Hey John,``."""
    openings = "|".join(sorted({*gazetteer().greetings, *_EXCLAMATIONS}))
    return re.compile(rf"\A(?:(?i:{openings})\b[,!.]*\s+)+\w[\w'’]*(?: [A-ZÀ-ÖØ-Þ][\w'’]*){{0,2}}(?=[,!.?–—-])")


def _page(week: Week, most: int) -> _Page:
    page = _Page(week, most)
    speakers = {statement.said_by for statement in week.statements}
    people = [name for name, texts in week.people.items() if texts >= _LEAST_MENTIONS or name in speakers]
    weights = {id(item): weight(item, people) for item in (*week.statements, *week.promises)}
    by_weight = sorted(
        (
            statement
            for statement in week.statements
            if statement.kind != "note" and (weights[id(statement)] >= _LEAST or not statement.said_by)
        ),
        key=lambda item: (-weights[id(item)], -item.at.timestamp(), item.source.id),
    )
    promises = [item for item in by_weight if item.family == "commitment"]
    promises += sorted(week.promises, key=lambda item: (-weights[id(item)], item.source.id))
    # What is due comes first, so that it is told nowhere else.
    due, promised, changed = _due(page), page.lines(promises), _changed(page)
    plans = page.lines((item for item in by_weight if item.family == "plan"), len(due))
    page.section("People", _people(page, by_weight, people))
    page.section("Coming up", [*due, *plans])
    page.section("Promised", promised)
    page.section("Changes of mind", changed)
    page.section("Also kept", page.lines(item for item in by_weight if not item.said_by))
    page.section("Faded", _faded(page))
    if overview := _overview(page):
        page.parts.insert(0, overview)
    return page


def _overview(page: _Page) -> str:
    """Return how much there was, and where nothing is worth telling, that."""
    week, sentences = page.week, list[str]()
    if week.message_count:
        talks = in_words(week.conversation_count, "conversation")
        sentences.append(f"This week had {talks} with {in_words(week.message_count, 'message')}.")
    notes = [statement for statement in week.statements if statement.kind == "note"]
    if notes:
        titles = [
            page.cite(quoted(note.title, _TITLE) or "an untitled note", note.source) for note in notes[: page.most]
        ]
        more = len(notes) - len(titles)
        sentences.append(f"You wrote in {enumerated([*titles, *([in_words(more, 'other')] if more else [])])}.")
    if not page.parts:
        sentences.append("Nothing in it is worth telling that was not told before.")
    return " ".join(sentences)


def _due(page: _Page) -> list[str]:
    week = page.week
    dated = {
        item.source: (item.event_time, item)
        for item in (*week.statements, *week.ahead)
        if item.event_time and item.event_time >= week.until and item.kind != "note"
    }
    lines: list[str] = []
    for when, item in sorted(dated.values(), key=lambda entry: (entry[0], entry[1].source.id)):
        if len(lines) < page.most and page.is_fresh(item):
            lines.append(f"**{day(when, week.zone)}**: {page.line(item)}")
    return lines


def _changed(page: _Page) -> list[str]:
    lines: list[str] = []
    for change in page.week.changes[: page.most]:
        page.is_fresh(change.was)
        page.is_fresh(change.now)
        lines.append(f"Now: {page.line(change.now)}. Before: {page.line(change.was)}.")
    return lines


def _people(page: _Page, by_weight: Sequence[WeekItem], people: Sequence[str]) -> list[str]:
    """Return what was said by and about each person, those with the most weight first."""
    groups: dict[str, list[WeekItem]] = {}
    for item in by_weight:
        named = [name for name in people if name != item.said_by and _names(item.text, name)]
        # A list of guests is about none of them.
        about = named[:1] if len(named) <= _ABOUT else []
        who = next(iter(about), speaker_name(item) if item.said_by else "")
        if who:
            groups.setdefault(who, []).append(item)
    known = [*people]
    ordered = sorted(groups.items(), key=lambda group: -sum(weight(item, known) for item in group[1][:_OF_PERSON]))
    lines: list[str] = []
    for who, sentences in ordered:
        if len(lines) >= min(page.most, _PEOPLE):
            break
        fresh = islice(filter(page.is_fresh, sentences), min(page.most, _OF_PERSON))
        quotations = [page.line(item, with_speaker=speaker_name(item) != who) for item in fresh]
        if quotations:
            lines.append(f"**{quoted(who, _TITLE)}**: {'; '.join(quotations)}")
    return lines


def _faded(page: _Page) -> list[str]:
    faded = page.week.faded
    lines = [page.line(item) for item in faded[: page.most]]
    more = len(faded) - len(lines)
    return [*lines, f"{in_words(more, 'more fact')} that nobody asked for."] if more > 0 else lines
