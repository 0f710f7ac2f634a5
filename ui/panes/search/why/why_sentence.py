"""The reason for a hit as one plain sentence."""

from collections.abc import Sequence

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.retrieval.model import Hit, Query
from ui.models.dates import date_words, local
from ui.panes.labels import kind_label, source_label

MOST_WORDS = 4
_NEAR = 50
"""Up to this rank by meaning, a hit counts as near in meaning beside its words."""


def why_sentence(hit: Hit, query: Query) -> str:
    """Return why a search found a hit, as one sentence without numbers."""
    reasons = [*_by_words(hit), *_by_retrievers(hit), *_by_operators(hit, query)]
    if not reasons:
        reasons = [_said(QT_TRANSLATE_NOOP("Words", "stands beside what fits"))]
    template = _said(QT_TRANSLATE_NOOP("Words", "Found because it {reasons}."))
    return template.format(reasons=joined(reasons))


def joined(parts: Sequence[str]) -> str:
    """Return parts of a sentence with commas, and "and" before the last."""
    *before, last = parts
    if not before:
        return last
    template = _said(QT_TRANSLATE_NOOP("Words", "{parts} and {last}"))
    return template.format(parts=", ".join(before), last=last)


def quoted(words: Sequence[str]) -> str:
    """Return the first of some words in quotation marks, as a list."""
    shown = [f"‘{word}’" for word in words[:MOST_WORDS]]
    if len(words) > MOST_WORDS:
        shown.append(_said(QT_TRANSLATE_NOOP("Words", "more of your words")))
    return joined(shown)


def _by_words(hit: Hit) -> list[str]:
    spellings: dict[str, str] = {}
    for word in hit.why.terms:
        spellings.setdefault(word.casefold(), word)
    words = list(spellings.values())
    if words:
        return [_said(QT_TRANSLATE_NOOP("Words", "says {words}")).format(words=quoted(words))]
    if any(leg.leg == "words" for leg in hit.why.legs):
        return [_said(QT_TRANSLATE_NOOP("Words", "has your words in its title or around it"))]
    return []


def _by_retrievers(hit: Hit) -> list[str]:
    ranks = {leg.leg: leg.rank for leg in hit.why.legs}
    reasons = []
    if "entity" in ranks:
        reasons.append(_said(QT_TRANSLATE_NOOP("Words", "mentions what you name")))
    if "vector" in ranks and (ranks["vector"] <= _NEAR or not hit.why.terms):
        reasons.append(_said(QT_TRANSLATE_NOOP("Words", "is near in meaning")))
    if "salient" in ranks:
        reasons.append(_said(QT_TRANSLATE_NOOP("Words", "is important")))
    if "recent" in ranks:
        reasons.append(_said(QT_TRANSLATE_NOOP("Words", "is among the newest")))
    if "mentions" in ranks:
        reasons.append(_said(QT_TRANSLATE_NOOP("Words", "was said often")))
    return reasons


def _by_operators(hit: Hit, query: Query) -> list[str]:
    """Return reasons from the operators and dates of the query."""
    reasons = []
    if query.kinds:
        reasons.append(_said(QT_TRANSLATE_NOOP("Words", "is a {kind}")).format(kind=kind_label(hit.kind).lower()))
    if query.tags:
        tags = joined([f"#{tag}" for tag in query.tags])
        reasons.append(_said(QT_TRANSLATE_NOOP("Words", "is tagged {tags}")).format(tags=tags))
    if query.agents and hit.agent:
        agent = source_label(hit.agent)
        reasons.append(_said(QT_TRANSLATE_NOOP("Words", "comes from {agent}")).format(agent=agent))
    if query.sessions and hit.title and hit.target == "message":
        words = _said(QT_TRANSLATE_NOOP("Words", "stands in ‘{title}’"))
        reasons.append(words.format(title=hit.title))
    if query.entities:
        names = quoted(query.entities)
        reasons.append(_said(QT_TRANSLATE_NOOP("Words", "is about {names}")).format(names=names))
    if "pinned" in query.states:
        reasons.append(_said(QT_TRANSLATE_NOOP("Words", "is pinned")))
    if query.since is not None or query.until is not None or _is_of_moment(hit, query):
        month = date_words(local(hit.created_at).date(), "MMMM yyyy")
        reasons.append(_said(QT_TRANSLATE_NOOP("Words", "is from {month}")).format(month=month))
    return reasons


def _is_of_moment(hit: Hit, query: Query) -> bool:
    """Return whether a hit is from a time that the words of the query name."""
    at = hit.created_at.timestamp() * 1000
    return any(since <= at < until for since, until in query.moments)


def _said(text: object) -> str:
    return QCoreApplication.translate("Words", str(text))
