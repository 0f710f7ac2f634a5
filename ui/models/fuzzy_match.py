"""Fuzzy matching of a few typed letters to titles.

``match`` wants all letters in order; word starts and neighbouring letters score higher. ``has_near_words`` lets a word
have a typo, and ``pieces`` says by what such titles can be fetched: with n typos, one of n + 1 pieces is right.
"""

from dataclasses import dataclass
from itertools import pairwise

START, BOUNDARY, ADJACENT, PLAIN = 12, 9, 6, 1
LONGEST = 200
GAP_COST, LENGTH_COST = 0.15, 0.02
SHORT, LONG = 4, 8
"""Letters of a word from which on it may have one typo, and two."""
MOST_WORDS, LONGEST_WORD = 3, 24


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
        matched = _walk(needle, hay, start)
        if matched is None:
            break
        if best is None or matched.score > best.score:
            best = matched
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
    first = place = hay.find(letter, at)
    while place >= 0:
        if not hay[place - 1].isalnum():
            return place
        place = hay.find(letter, place + 1)
    return first


def _worth(hay: str, at: int, before: int) -> int:
    if at == 0:
        return START
    if not hay[at - 1].isalnum():
        return BOUNDARY
    return ADJACENT if at == before + 1 else PLAIN


def pieces(typed: str) -> tuple[str, ...]:
    """Return parts of the typed words; a title with a typo has one of them."""
    matches: dict[str, None] = {}
    for word in _words(typed):
        count = _typos(word) + 1
        if count > 1:
            cuts = [len(word) * n // count for n in range(count + 1)]
            parts = [word[start:end] for start, end in pairwise(cuts)]
            # Two letters that changed places across a cut spoil both sides.
            swapped = [f"{left[:-1]}{right[0]}{left[-1]}{right[1:]}" for left, right in pairwise(parts)]
            matches.update(dict.fromkeys([*parts, *swapped]))
    return tuple(matches)


def has_near_words(typed: str, title: str) -> bool:
    """Return whether typed words begin words of ``title``, but for a typo."""
    known = [word[:LONGEST_WORD] for word in title[:LONGEST].casefold().split()]
    words = _words(typed)
    return bool(words) and all(
        any(_typos_to_prefix(word, known_word) <= _typos(word) for known_word in known) for word in words
    )


def _words(typed: str) -> list[str]:
    return [word[:LONGEST_WORD] for word in typed.casefold().split()[:MOST_WORDS]]


def _typos(word: str) -> int:
    return 0 if len(word) < SHORT else 1 if len(word) < LONG else 2


def _typos_to_prefix(word: str, other: str) -> int:
    """Return the least edit distance of ``word`` to a beginning of ``other``.

    Optimal string alignment (Boytsov 2011), the least of the last row's costs.
    """
    if abs(min(len(other), len(word)) - len(word)) > _typos(word):
        return LONGEST_WORD
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(word, 1):
        older, before, row = before, row, [place]
        for at, there in enumerate(other, 1):
            cost = min(before[at] + 1, row[at - 1] + 1, before[at - 1] + (letter != there))
            if place > 1 and at > 1 and letter == other[at - 2] and word[place - 2] == there:
                cost = min(cost, older[at - 2] + 1)
            row.append(cost)
    return min(row)
