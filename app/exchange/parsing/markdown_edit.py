"""Edits of a Markdown file that leave all other bytes of it as they are."""

import difflib
import re
from collections.abc import Sequence
from typing import Final

import yaml

from app.exchange.parsing.frontmatter import dump

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_MOST_COMPARED: Final = 4_000
"""Lines that are compared one by one; a longer part that differs is replaced as a whole."""


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends, whichever they are."""
    return _LINE.findall(text)


def line_end_of(text: str) -> str:
    """Return the line end that a text uses most."""
    pairs = text.count("\r\n")
    ends = {"\n": text.count("\n") - pairs, "\r\n": pairs, "\r": text.count("\r") - pairs}
    return max(ends, key=lambda end: ends[end])


def merged_body(body: str, read: str, wanted: str) -> str:
    """Return a file's body with another text; lines that agree stay as written.

    Args:
        body: The body as it stands in the file.
        read: The text that a note got from it; its lines are those of the body, in which links may be rewritten.
        wanted: The text that the note has now.
    """
    stored, before, after = lines_of(body), lines_of(read), lines_of(wanted)
    end = line_end_of(body)
    if len(stored) != len(before):
        return _with_ends(after, end)
    start, stop = _common_ends(before, after)
    old, new = before[start : len(before) - stop], after[start : len(after) - stop]
    middle: list[str] = []
    if max(len(old), len(new)) > _MOST_COMPARED:
        middle.append(_with_ends(new, end))
    else:
        for what, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            middle += stored[start + a : start + b] if what == "equal" else [_with_ends(new[c:d], end)]
    return "".join((*stored[:start], *middle, *stored[len(stored) - stop :]))


def with_field(front: str, name: str, value: str | Sequence[str], end: str) -> str:
    """Return front matter with another value of one field.

    Args:
        front: The block with its delimiters, ``""`` for none.
        name: The field.
        value: A text, or the items of a list.
        end: The line end to write.
    """
    written = _flow(value)
    if not front:
        return dump({}).replace("---\n---", f"---\n{name}: {written}\n---").replace("\n", end)
    match = re.search(
        rf"^{re.escape(name)}[ \t]*:[^\r\n]*(?:(?:\r\n|\r|\n)(?:[ \t]+[^\r\n]*|-[ \t][^\r\n]*))*", front, re.M | re.I
    )
    if match is not None:
        return f"{front[: match.start()]}{name}: {written}{front[match.end() :]}"
    lines = lines_of(front)
    return "".join((*lines[:-1], f"{name}: {written}{end}", lines[-1]))


def _flow(value: str | Sequence[str]) -> str:
    plain = value if isinstance(value, str) else list(value)
    text: str = yaml.safe_dump(plain, default_flow_style=True, allow_unicode=True, width=1 << 20)
    return text.removesuffix("\n...\n").strip()


def _common_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Return how many lines two texts share at their beginnings and at their ends."""
    most = min(len(before), len(after))
    start = next((at for at in range(most) if before[at] != after[at]), most)
    room = most - start
    stop = next((at for at in range(room) if before[-1 - at] != after[-1 - at]), room)
    return start, stop


def _with_ends(lines: Sequence[str], end: str) -> str:
    return "".join(line[: len(line.rstrip("\r\n"))] + (end if line.endswith(("\n", "\r")) else "") for line in lines)
