"""The code ranges of a Markdown text: fenced blocks and inline spans.

Indented blocks count as text.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

CodeRange = tuple[int, int]

_FENCE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t>\r]*(?=\n)")
_TICKS = re.compile(r"`+")


class CodeRanges:
    """Disjoint half-open ranges in ascending order, asked whether they touch a place."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, ranges: list[CodeRange]) -> None:
        self._starts = [start for start, _ in ranges]
        self._ends = [end for _, end in ranges]

    def touch(self, start: int, end: int) -> bool:
        """Return whether any range shares a character with ``start`` to ``end``."""
        following = bisect_left(self._starts, end)
        return following > bisect_right(self._ends, start)


def code_ranges(text: str) -> list[CodeRange]:
    """Return the code ranges of ``text``, ascending and disjoint.

    An unclosed fence reaches to the end.
    """
    ranges: list[CodeRange] = []
    position = 0
    for start, end in [*_fenced(text), (len(text), len(text))]:
        ranges.extend(_inline(text, position, start))
        if end > start:
            ranges.append((start, end))
        position = end
    return ranges


def _fenced(text: str) -> Iterator[CodeRange]:
    if "```" not in text and "~~~" not in text:
        return
    opened: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        if opened is None:
            # A backtick in the rest of the line makes it an inline span, not a fence.
            opened = None if line[1][0] == "`" and "`" in line[2] else line
        elif line[1][0] == opened[1][0] and len(line[1]) >= len(opened[1]) and not line[2].strip():
            yield opened.start(), line.end()
            opened = None
    if opened is not None:
        yield opened.start(), len(text)


def _inline(text: str, start: int, end: int) -> Iterator[CodeRange]:
    if text.find("`", start, end) < 0:
        return
    paragraph = start
    for blank in _BLANK_LINE.finditer(text, start, end):
        yield from _spans(text, paragraph, blank.start())
        paragraph = blank.end()
    yield from _spans(text, paragraph, end)


def _spans(text: str, start: int, end: int) -> Iterator[CodeRange]:
    """Yield the inline code spans of a paragraph.

    Each run of backticks pairs with the next run of the same length.
    """
    runs = [run.span() for run in _TICKS.finditer(text, start, end)]
    partners: list[int | None] = [None] * len(runs)
    latest: dict[int, int] = {}
    for number in range(len(runs) - 1, -1, -1):
        length = runs[number][1] - runs[number][0]
        partners[number] = latest.get(length)
        latest[length] = number
    number = 0
    while number < len(runs):
        opening, partner = runs[number][0], partners[number]
        if partner is None or (opening > start and text[opening - 1] == "\\"):
            number += 1
            continue
        yield opening, runs[partner][1]
        number = partner + 1
