"""Digest of a week by rules: short sections, each line with its source."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from app.core.stores import STORES, StoreName
from app.memories.model import Source
from app.upkeep.reflection.citations import cited, day, enumerated, in_words, quoted, same_words
from app.upkeep.reflection.model import Digest, MentionedName, Week, WeekItem, WeekSession
from app.upkeep.reflection.topics import terms

LONGEST: Final = 400  # words, about
_MOST_LINES: Final = 5  # of a section
_BUSY: Final = 2  # conversations that are named
_TITLE: Final = 60
_TOPICS: Final = 5
_HALF_DAY: Final = timedelta(hours=12)
_RECURRING_WEEKS: Final = 3
_LEAST_MENTIONS: Final = 2
_KINDS: Final = {"organization": "organisation", "location": "place"}


@dataclass(slots=True)
class _Page:
    """A digest as it is written: its lines, and what they cite."""

    most: int
    parts: list[str] = field(default_factory=list)
    sources: dict[Source, None] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)

    def cite(self, label: str, source: Source) -> str:
        self.sources.setdefault(source)
        return cited(label, source)

    def is_fresh(self, statement: WeekItem) -> bool:
        """Return whether no line says this yet, and note that one does now."""
        words = same_words(statement.text)
        is_fresh = words not in self.said
        self.said.add(words)
        return is_fresh

    def section(self, heading: str, lines: Iterable[str]) -> None:
        """Add a section, unless it has no lines."""
        some = [f"- {line}" for line in lines]
        if some:
            self.parts.append("\n".join([f"## {heading}", "", *some]))


def digest(week: Week) -> Digest:
    """Return the digest of a week.

    It has about 400 words at most: sections get shorter where there is more.
    """
    page = _page(week, _MOST_LINES)
    for most in range(_MOST_LINES - 1, 0, -1):
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


def comparison(week: Week) -> str:
    """Return the comparison of a week with the one before, ``""`` for none."""
    page = _Page(_MOST_LINES)
    page.section("Compared with last week", _compared(week))
    return "\n".join(page.parts)


def count_words(parts: Sequence[str]) -> int:
    """Return how many words a person reads; addresses of links are none."""
    return sum(len(part.split()) for part in parts)


def _page(week: Week, most: int) -> _Page:
    page = _Page(most)
    page.parts.append(_overview(page, week))
    dated, promised, changed = _ahead(page, week), _promised(page, week), _changed(page, week)
    decided = _decided(page, week)
    new, highlights = _new_names(page, week), _highlights(page, week)
    page.section("What was said", highlights)
    page.section("New names", new)
    page.section("Changes of mind", changed)
    page.section("Decided and planned", decided)
    page.section("Ahead", dated)
    page.section("Promised", promised)
    page.section("Faded", _faded(page, week))
    page.section("What recurs", _recurring(week))
    page.section("Compared with last week", _compared(week))
    return page


def _overview(page: _Page, week: Week) -> str:
    sentences: list[str] = []
    if week.message_count:
        talks = in_words(len(week.conversations), "conversation")
        first = f"This week had {talks} with {in_words(week.message_count, 'message')}"
        busy = [_named(page, week, one) for one in week.conversations[:_BUSY]]
        most = "it was" if len(week.conversations) == 1 else "the busiest was" if len(busy) == 1 else "the busiest were"
        sentences.append(f"{first}; {most} {enumerated(busy)}.")
    kept = f"{in_words(week.fact_count, 'fact')} {'was' if week.fact_count == 1 else 'were'} kept"
    notes = [one for one in week.statements if one.kind == "note"]
    if notes:
        titles = [page.cite(quoted(one.title, _TITLE) or "an untitled note", one.source) for one in notes[: page.most]]
        more = len(notes) - len(titles)
        others = [in_words(more, "other", "others")] if more else []
        kept += f", and you wrote in {enumerated([*titles, *others])}"
    sentences.append(f"{kept[0].upper()}{kept[1:]}.")
    if week.topics:
        topics = enumerated(page.cite(quoted(one.term), one.source) for one in week.topics[:_TOPICS])
        sentences.append(f"Much of it turned on {topics}.")
    return " ".join(sentences)


def _named(page: _Page, week: Week, one: WeekSession) -> str:
    when = day(one.last_at, week.zone, until=week.until)
    about = f" about {enumerated(map(quoted, one.topics))}" if one.topics else ""
    return page.cite(quoted(one.title, _TITLE) or f"the one on {when}{about}", one.last)


def _highlights(page: _Page, week: Week) -> list[str]:
    """Return the most relevant statements, of several days, in order."""
    days: dict[str, int] = {}
    chosen: list[WeekItem] = []
    left: list[WeekItem] = []
    for one in _by_relevance(week):
        if one.kind == "note" or one.family in ("commitment", "plan", "decision") or not page.is_fresh(one):
            continue
        when = day(one.at, week.zone)
        days[when] = days.get(when, 0) + 1
        (chosen if days[when] <= max(1, page.most // 2) else left).append(one)
    highlights = [*chosen, *left][: page.most]
    page.said.difference_update(same_words(one.text) for one in [*chosen, *left][page.most :])
    return [_line(page, week, one) for one in sorted(highlights, key=lambda one: one.at)]


def _by_relevance(week: Week) -> list[WeekItem]:
    """Return the statements of a week by relevance to its topics and names."""
    weights = {topic.term: topic.weight for topic in week.topics}
    known = {name.name.lower() for name in week.names if name.this_week >= _LEAST_MENTIONS}
    scored: list[tuple[float, int, WeekItem]] = []
    for place, one in enumerate(week.statements):
        found = sum(weights.get(term, 0.0) for term in terms(one.text))
        found += sum(1.0 for name in known if name in one.text.lower())
        found *= 1.5 if one.family in ("statement", "relation", "") else 1.0
        scored.append((-found, place, one))
    return [one for _, _, one in sorted(scored, key=lambda entry: entry[:2])]


def _new_names(page: _Page, week: Week) -> list[str]:
    lines: list[str] = []
    for name in week.names:
        if name.is_new and name.this_week and name.said is not None and page.is_fresh(name.said):
            lines.append(f"**{quoted(name.name, _TITLE)}** ({_kind(name)}): {_said(page, week, name.said)}")
        if len(lines) >= page.most:
            break
    return lines


def _kind(name: MentionedName) -> str:
    return _KINDS.get(name.type, name.type)


def _said(page: _Page, week: Week, said: WeekItem) -> str:
    """Return a quotation, with its speaker where it is a message."""
    speaker = f"{quoted(said.title, _TITLE)} said " if said.kind == "message" and said.title else ""
    when = page.cite(day(said.at, week.zone, until=week.until), said.source)
    return f"{speaker}“{quoted(said.text)}” · {when}"


def _changed(page: _Page, week: Week) -> list[str]:
    lines: list[str] = []
    for change in week.changes[: page.most]:
        was, now = change.was, change.now
        page.is_fresh(was)
        page.is_fresh(now)
        lines.append(f"Now: {_line(page, week, now)}. Before: {_line(page, week, was)}.")
    return lines


def _ahead(page: _Page, week: Week) -> list[str]:
    dated = [one for one in (*week.statements, *week.ahead) if one.event_time and one.event_time >= week.until]
    dated.sort(key=lambda one: (one.event_time or week.until, one.source.id))
    lines: list[str] = []
    for one in dated:
        if one.event_time and one.kind != "note" and page.is_fresh(one):
            lines.append(f"**{day(one.event_time, week.zone)}**: {_line(page, week, one)}")
        if len(lines) >= page.most:
            break
    return lines


def _promised(page: _Page, week: Week) -> list[str]:
    return _lines(page, week, lambda one: one.family == "commitment")


def _decided(page: _Page, week: Week) -> list[str]:
    decided = _lines(page, week, lambda one: one.family == "decision")
    return decided + _lines(page, week, lambda one: one.family == "plan")[: page.most - len(decided)]


def _lines(page: _Page, week: Week, belongs: Callable[[WeekItem], bool]) -> list[str]:
    lines: list[str] = []
    for one in _by_relevance(week):
        if len(lines) >= page.most:
            break
        if one.kind != "note" and belongs(one) and page.is_fresh(one):
            lines.append(_line(page, week, one))
    return lines


def _line(page: _Page, week: Week, one: WeekItem) -> str:
    return f"{quoted(one.text)} · {page.cite(day(one.at, week.zone, until=week.until), one.source)}"


def _faded(page: _Page, week: Week) -> list[str]:
    lines = [_line(page, week, one) for one in week.faded[: page.most]]
    more = len(week.faded) - len(lines)
    return [*lines, f"{in_words(more, 'more fact')} that nobody asked for."] if more > 0 else lines


def _recurring(week: Week) -> list[str]:
    found = [one for one in week.names if one.weeks >= _RECURRING_WEEKS and one.this_week]
    found.sort(key=lambda one: (-one.weeks, -one.this_week, one.name))
    by_weeks: dict[int, list[str]] = {}
    for one in found[:_MOST_LINES]:
        by_weeks.setdefault(one.weeks, []).append(quoted(one.name, _TITLE))
    return [
        f"{enumerated(some)}: mentioned {in_words(weeks, 'week')} in a row{'' if weeks <= 12 else ' or more'}."  # noqa: PLR2004
        for weeks, some in by_weeks.items()
    ]


def _compared(week: Week) -> list[str]:
    """Return what is new, what is gone and what stayed, in names and topics."""
    topics, last = week.topics, week.last_topics
    if not last and not any(one.last_week for one in week.names):
        return []
    frequent = [one for one in week.names if max(one.this_week, one.last_week) >= _LEAST_MENTIONS]
    new = [one.name for one in frequent if not one.last_week] + [one.term for one in topics if one.other_week <= 1]
    gone = [one.name for one in frequent if not one.this_week] + [one.term for one in last if one.other_week <= 1]
    still = [one.name for one in frequent if one.this_week and one.last_week]
    still += [one.term for one in topics if one.other_week > 1]
    labelled = (("New", new), ("No longer", gone), ("Still", still))
    return [
        f"{label}: {enumerated(quoted(name, _TITLE) for name in some[:_TOPICS])}." for label, some in labelled if some
    ]
