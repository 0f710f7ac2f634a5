"""Structure of a Markdown text: its headings and its number of words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
_MARKS: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|\[\[(?:[^\[\]|]*\|)?([^\[\]]*)\]\]|[*_`~]+")
_LONGEST: Final = 200
MAX_HEADINGS: Final = 2_000
# Marks of lists and tasks, and the targets of links.
_NO_WORDS: Final = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t])?|(?<=\])\([^()\n]*\)")
# Chinese, Japanese and Thai are written without spaces: each sign counts.
_WORD: Final = re.compile(
    r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    r"|(?:(?![\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])[\w'\u2019-])+"
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a text.

    Args:
        level: 1 to 6.
        title: Its words, without marks.
        line: The line it stands on, the first being 0.
    """

    level: int
    title: str
    line: int


@dataclass(frozen=True, slots=True)
class TextStructure:
    """Headings in order, and the number of words."""

    headings: tuple[Heading, ...] = ()
    words: int = 0


def structure_of(text: str) -> TextStructure:
    """Return the structure of ``text``; for any thread, since it goes line by line."""
    lines = text.split("\n")
    begin = _after_front_matter(lines)
    words = sum(
        1
        for line in lines[begin:]
        for word in _WORD.finditer(_NO_WORDS.sub(" ", line))
        if any(map(str.isalnum, word[0]))
    )
    return TextStructure(tuple(_headings(lines, begin)), words)


def _headings(lines: list[str], begin: int) -> Iterator[Heading]:
    fence, count = "", 0
    for number, line in enumerate(lines[begin:], begin):
        if mark := _FENCE.match(line):
            is_end = bool(fence) and mark[1].startswith(fence) and not line[mark.end() :].strip()
            fence = "" if is_end else fence or mark[1]
            continue
        if fence or "#" not in line[:4]:
            continue
        match = _HEADING.match(line.rstrip("\r"))
        title = " ".join(_MARKS.sub(r"\1\2", (match[2] or "")[:_LONGEST]).split()) if match else ""
        if match and title:
            yield Heading(len(match[1]), title, number)
            count += 1
            if count >= MAX_HEADINGS:
                return


def _after_front_matter(lines: list[str]) -> int:
    if lines[0].rstrip() != "---":
        return 0
    return next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "...")), 0)
