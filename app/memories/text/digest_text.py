"""Text of a digest: what several observations say, each thing once, with its dates."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.core.text import counted
from app.memories.model import Memory

_SENTENCE: Final = re.compile(r"(?<=[.!?…。！？])\s+|\n+")
_BULLET: Final = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+")
_WORD: Final = re.compile(r"\w+")
_MOST_LINES: Final = 60
_LONGEST: Final = 400


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with the observations that make it, by their place, the oldest first."""

    text: str
    places: tuple[int, ...]


def statements(observations: Sequence[Memory]) -> tuple[Statement, ...]:
    """Return the distinct statements of observations, in the order in which they were first made.

    Single facts come before sentences of the text. Only statements of the very same words count as one: those that
    share most of their words may say the opposite.
    """
    texts: dict[tuple[str, ...], str] = {}
    places: dict[tuple[str, ...], dict[int, None]] = {}
    for place, memory in enumerate(observations):
        for text in (*memory.facts, *sentences(memory.content)):
            words = tuple(_WORD.findall(text.casefold()))
            if words:
                texts.setdefault(words, text)
                places.setdefault(words, {})[place] = None
    return tuple(Statement(text, tuple(places[words])) for words, text in texts.items())


def sentences(content: str) -> list[str]:
    """Return the sentences of a text, without the marks of lists and headings."""
    parts = (_BULLET.sub("", part).strip().lstrip("#>").strip() for part in _SENTENCE.split(content))
    return [part for part in parts if part]


def digest_title(title: str, observations: Sequence[Memory]) -> str:
    """Return the title of a digest: that of its observations, with their number and time."""
    return f"{title[:_LONGEST]} ({counted(len(observations), 'observation')}, {period(observations)})"


def digest_content(observations: Sequence[Memory], statements: Iterable[Statement]) -> str:
    """Return the text of a digest: its time, then each statement with its dates."""
    lines = [
        f"{counted(len(observations), 'observation')} from {period(observations)}, each thing once, with its dates.",
        "",
    ]
    listed = list(statements)
    lines += [f"- {_dates(observations, statement)}: {_short(statement.text)}" for statement in listed[:_MOST_LINES]]
    if len(listed) > _MOST_LINES:
        lines.append(f"- {len(listed) - _MOST_LINES} more in the observations themselves.")
    return "\n".join(lines)


def period(observations: Sequence[Memory]) -> str:
    """Return the first and the last day of observations."""
    days = sorted(f"{when(memory):%Y-%m-%d}" for memory in observations)
    return days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"


def when(memory: Memory) -> datetime:
    """Return when an observation was made."""
    return memory.event_time or memory.created_at


def _dates(observations: Sequence[Memory], statement: Statement) -> str:
    days = sorted({f"{when(observations[place]):%Y-%m-%d}" for place in statement.places})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]} ({len(statement.places)} times)"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"
