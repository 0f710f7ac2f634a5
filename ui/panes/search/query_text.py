"""Searches as text: operators put in and taken out, results written down. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from app.core.text_rules.stopwords import stop_words
from app.retrieval.model import Hit, Query, Span, Term
from ui.models.dates import day_of

FACETS = ("kind", "project", "agent", "role", "tag", "store")
_DATES = ("after", "before", "on")
_TARGET = r"\((?:<[^<>]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:\"[^\"]*\"|'[^']*'))?\)"
"""Target of a link in parentheses: an address, and a title if it has one."""
_MARKS = re.compile(
    r"(?P<fence>`+)(?P<code>[^`]+)(?P=fence)"
    r"|\[\[(?:[^\[\]|]*\|(?=[^\[\]]*\]\]))?|\]\]"
    rf"|!?\[(?=(?:[^\[\]]|\[[^\[\]]*\])*\]{_TARGET})|\]{_TARGET}"
    r"|!?\[(?=[^\[\]]*\u2026?$)"
    r"|\s?\[\^[^\s\[\]]+\]:?"
    r"|<(?=(?:https?://|mailto:)[^\s<>]*>)|(?<=[\w/])>(?=[\s.,;:!?)]|$)"
    r"|\*\*|__|`+"
)
"""Of Markdown within lines; those that lines begin with are gone from snippets."""
_CELLS = re.compile(r"\s*\|(?:[\s|]|:?-+:?(?=\s*\|))*")
"""Separators of table cells, and the line below a table's head."""
_TABLE = 4
"""So many upright lines make a table; fewer may belong to a command."""
_PART = re.compile(r'-?[^\s":]+:"[^"]*"|"[^"]*"|\S+')


def term_of(name: str, value: str) -> str:
    """Return an operator as it is typed."""
    return f'{name}:"{value}"' if re.search(r"\s", value) else f"{name}:{value}"


def parts_of(text: str) -> list[str]:
    """Return the words, phrases and operators of a search, as typed."""
    return [match[0] for match in _PART.finditer(text)]


def with_operator(text: str, name: str, value: str, on: bool) -> str:
    """Return ``text`` with the operator added, or taken out however it is quoted."""
    forms = {term_of(name, value).casefold(), f'{name}:"{value}"'.casefold(), f"{name}:{value}".casefold()}
    parts = [part for part in parts_of(text) if part.casefold() not in forms]
    if on:
        parts.append(term_of(name, value))
    return " ".join(parts)


def with_month(text: str, month: str) -> str:
    """Return ``text`` limited to a month or year such as ``2026-03``, without other dates.

    With ``""`` for the month it is limited to no time.
    """
    parts = [part for part in parts_of(text) if part.partition(":")[0] not in _DATES or ":" not in part]
    return " ".join([*parts, *([f"on:{month}"] if month else [])])


def without_operators(query: Query) -> str:
    """Return the words and phrases that a search asks for, and nothing else."""
    wanted = (term for term in query.terms if not term.excluded)
    return " ".join((f'"{term.text}"' if term.phrase else term.text) + "*" * term.prefix for term in wanted)


def chosen_of(query: Query) -> dict[str, tuple[str, ...]]:
    """Return the facet values a search asks for."""
    return {
        "kind": query.kinds,
        "agent": query.agents,
        "role": query.roles,
        "tag": query.tags,
        "project": query.projects,
        "store": query.stores,
    }


def terms_of(query: Query, hit: Hit | None = None) -> tuple[str, ...]:
    """Return the words to mark in a text.

    These are the words of the query, and before them those that a hit was found by, as it spells them.
    """
    if hit is None:
        return tuple(term.text for term in query.terms if not term.excluded)
    words = [term.text for term in significant_terms(query.terms) if not term.excluded]
    known = {term.casefold() for term in hit.why.terms}
    return (*hit.why.terms, *(word for word in words if known and word.casefold() not in known))


def significant_terms(terms: Sequence[Term]) -> list[Term]:
    """Return the terms of a query without stop words, if others are left."""
    loose = [term for term in terms if not (term.phrase or term.prefix or term.excluded)]
    passed = stop_words(term.text for term in loose)
    significant = [term for term in terms if term not in loose or term.text.casefold() not in passed]
    return significant if any(not term.excluded for term in significant) else list(terms)


def group_by_day(hits: Iterable[Hit]) -> list[tuple[date, list[Hit]]]:
    """Return hits by the day they are from, the newest day first."""
    days: dict[date, list[Hit]] = {}
    for hit in hits:
        days.setdefault(day_of(hit.created_at), []).append(hit)
    return sorted(days.items(), key=lambda day: day[0], reverse=True)


def group_by_session(hits: Iterable[Hit]) -> list[tuple[str, list[Hit]]]:
    """Return hits by session, ordered by the best hit of each.

    A memory makes a group of its own under ``""``.
    """
    groups: list[tuple[str, list[Hit]]] = []
    places: dict[str, int] = {}
    for hit in hits:
        if hit.session_id and hit.target == "message":
            if hit.session_id not in places:
                places[hit.session_id] = len(groups)
                groups.append((hit.session_id, []))
            groups[places[hit.session_id]][1].append(hit)
        else:
            groups.append(("", [hit]))
    return groups


def _has_signs(text: str) -> bool:
    """Return whether a text may have signs of Markdown.

    Most texts have none, and looking for each sign is the quickest way to know.
    """
    return "[" in text or "]" in text or "**" in text or "__" in text or "`" in text or "<" in text


def _signs(text: str) -> Iterator[tuple[int, int, str]]:
    """Return where signs are in a text, and what is read in place of each."""
    if text.count("|") >= _TABLE:
        for cells in _CELLS.finditer(text):
            is_between = cells.start() > 0 and cells.end() < len(text)
            yield cells.start(), cells.end(), " · " if is_between else ""
    if not _has_signs(text):
        return
    for match in _MARKS.finditer(text):
        if match["code"] is None:
            yield match.start(), match.end(), ""
        else:
            yield match.start(), match.start("code"), ""
            yield match.end("code"), match.end(), ""


def _without(text: str) -> tuple[str, list[int] | None]:
    """Return a text without signs, and where each of its characters went.

    The places are ``None`` if none moved.
    """
    signs = sorted(_signs(text))
    if not signs:
        return text, None
    parts: list[str] = []
    places: list[int] = []
    at = length = 0
    for start, end, shown in [*signs, (len(text), len(text), "")]:
        if start < at:
            continue  # within a sign that is gone already
        parts += (text[at:start], shown)
        places += range(length, length + start - at)
        length += start - at
        places += [length] * (end - start)
        length += len(shown)
        at = end
    return "".join(parts), [*places, length]


def without_signs(snippet: str) -> str:
    """Return a snippet as it is read: without Markdown's signs and the addresses of links."""
    return _without(snippet)[0]


def plain_snippet(snippet: str, highlights: Iterable[Span]) -> tuple[str, tuple[Span, ...]]:
    """Return a snippet without Markdown's signs, and where its marked words are then."""
    text, places = _without(snippet)
    last = len(snippet)
    ends = ((min(highlight.start, last), min(highlight.end, last)) for highlight in highlights)
    spans = (Span(start, end) if places is None else Span(places[start], places[end]) for start, end in ends)
    return text, tuple(span for span in spans if span.end > span.start)
