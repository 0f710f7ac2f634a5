"""Palette entries and their ranking; pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ui.models.fuzzy_match import match

SHOWN = 50
RECENT_BONUS = 4.0
KEYWORD_WORTH = 3.0
"""Score of a typed letter that matches a keyword: half of one in the title."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the palette.

    Args:
        key: Names it over time, for the recents.
        title: What is matched and shown.
        detail: Where it comes from, shown on the right.
        icon: Name of its icon.
        keys: Its shortcut.
        run: What choosing it does.
        also: Further words it is found by.
        last: Kept below everything else: search for, create.
        positions: Letters of the title that matched.
    """

    key: str
    title: str
    run: Callable[[], object]
    detail: str = ""
    icon: str = ""
    keys: str = ""
    also: str = ""
    last: bool = False
    positions: tuple[int, ...] = ()


def ranked(entries: Iterable[Entry], typed: str, recents: list[str]) -> list[Entry]:
    """Return the entries that fit ``typed``, best first; with nothing typed the recent ones lead.

    Args:
        entries: All there is, in their natural order.
        typed: What the person typed.
        recents: Keys used before, latest first.
    """
    scored: list[tuple[float, int, Entry]] = []
    for order, entry in enumerate(entries):
        score = _score(entry, typed, recents)
        if score is not None:
            scored.append((*score[:1], order, score[1]))
    scored.sort(key=lambda item: (item[2].last, -item[0], item[1]))
    return [entry for _, _, entry in scored[:SHOWN]]


def _score(entry: Entry, typed: str, recents: list[str]) -> tuple[float, Entry] | None:
    recency = (len(recents) - recents.index(entry.key)) / len(recents) if entry.key in recents else 0.0
    if entry.last or not typed:
        return recency, entry
    score = match(typed, entry.title)
    if score is not None:
        return score.score + RECENT_BONUS * recency, replace(entry, positions=score.positions)
    if not _begins_words(typed, f"{entry.also} {entry.title}"):
        return None
    return (KEYWORD_WORTH * len(typed) + RECENT_BONUS * recency, entry)


def _begins_words(typed: str, text: str) -> bool:
    known = text.casefold().split()
    return all(any(word.startswith(begun) for word in known) for begun in typed.casefold().split())
