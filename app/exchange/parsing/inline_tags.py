"""Inline tags of a note's text by Obsidian's rules, such as ``#project/alpha``.

A tag is never in code and has at least one character that is no digit.
"""

import re
from collections.abc import Iterator

from app.core.text_rules.tag_names import is_inline_tag

MAX_FOUND = 1000
_TAG = re.compile(r"(?<!\S)#([^\s\x00-,.:-@\[-^`{-~\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f\uff00-\uffef]+)")
_FENCE = re.compile(r" {0,3}(?:>[ \t]?)*(`{3,}|~{3,})")
_BACKTICKS = re.compile("`+")


def inline_tags(body: str) -> list[str]:
    """Return the tags in ``body``, as written, in order, without repeats."""
    if "#" not in body:
        return []
    tags: dict[str, None] = {}
    for line in _prose(body):
        for match in _TAG.finditer(_without_code(line)):
            name = match[1].strip("/")
            if name and (name == "-" or is_inline_tag(name)):
                tags.setdefault(name)
        if len(tags) >= MAX_FOUND:
            break
    return list(tags)


def _prose(body: str) -> Iterator[str]:
    """Yield the lines with a ``#`` that lie outside fenced code."""
    fence = ""
    for line in body.split("\n"):
        opened = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            if (
                opened
                and opened[1][0] == fence[0]
                and len(opened[1]) >= len(fence)
                and not line[opened.end() :].strip()
            ):
                fence = ""
        elif opened and (opened[1][0] == "~" or "`" not in line[opened.end() :]):
            fence = opened[1]
        elif "#" in line:
            yield line


def _without_code(line: str) -> str:
    """Blank out inline code; a run of backticks without its twin is plain text."""
    if "`" not in line:
        return line
    runs = [(match.start(), match.end()) for match in _BACKTICKS.finditer(line)]
    last = {end - start: number for number, (start, end) in enumerate(runs)}
    pieces, at, opening = [], 0, None
    for number, (start, end) in enumerate(runs):
        if opening is None:
            if last[end - start] > number:
                opening = (start, end - start)
        elif end - start == opening[1]:
            pieces.append(line[at : opening[0]])
            at, opening = end, None
    return "`".join([*pieces, line[at:]])
