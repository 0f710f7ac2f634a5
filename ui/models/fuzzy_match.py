"""Fuzzy matching of a few typed letters to titles.

All letters must be there in order; word starts and neighbouring letters score higher.
"""

from dataclasses import dataclass

START, BOUNDARY, ADJACENT, PLAIN = 12, 9, 6, 1
LONGEST = 200
GAP_COST, LENGTH_COST = 0.15, 0.02


@dataclass(frozen=True, slots=True)
class Match:
    """A match: its score (higher is better) and the positions of its letters."""

    score: float
    positions: tuple[int, ...] = ()


def match(typed: str, title: str) -> Match | None:
    """Return how well ``typed`` fits ``title``.

    It is ``None`` when the letters are not all there in order.

    Only the first ``LONGEST`` letters of the title count, so that no title is slow.
    """
    needle = typed.casefold().replace(" ", "")
    hay = title.casefold()
    if len(hay) != len(title):
        hay = title.lower() if len(title.lower()) == len(title) else title
    hay = hay[:LONGEST]
    if not needle:
        return Match(0.0)
    best: Match | None = None
    start = hay.find(needle[0])
    while start >= 0:
        found = _walk(needle, hay, start)
        if found is None:
            break
        if best is None or found.score > best.score:
            best = found
        start = hay.find(needle[0], start + 1)
    return best


def _walk(needle: str, hay: str, start: int) -> Match | None:
    positions = [start]
    for letter in needle[1:]:
        at = positions[-1] + 1
        if hay[at : at + 1] != letter:
            at = _boundary(hay, letter, at)
        if at < 0:
            return None
        positions.append(at)
    score = sum(_worth(hay, at, positions[i - 1] if i else -2) for i, at in enumerate(positions))
    spread = positions[-1] - positions[0] - len(positions) + 1
    return Match(score - GAP_COST * spread - LENGTH_COST * len(hay), tuple(positions))


def _boundary(hay: str, letter: str, at: int) -> int:
    """Return the next ``letter`` at a word start, else anywhere, else -1."""
    first = found = hay.find(letter, at)
    while found >= 0:
        if not hay[found - 1].isalnum():
            return found
        found = hay.find(letter, found + 1)
    return first


def _worth(hay: str, at: int, before: int) -> int:
    if at == 0:
        return START
    if not hay[at - 1].isalnum():
        return BOUNDARY
    return ADJACENT if at == before + 1 else PLAIN
