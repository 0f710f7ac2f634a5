"""Reader of the trace: its latest lines, newest first."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from app.core.clock import to_datetime
from app.core.regular_files import open_for_reading
from app.core.text import storable
from app.trace.model import TraceLine
from app.trace.trace import FILE

_BLOCK: Final = 4 * 1024 * 1024
_OWN: Final = frozenset({"at", "event", "ms", "error"})


def latest(folder: Path, limit: int, contains: str = "") -> list[TraceLine]:
    """Return the latest lines of the trace in ``folder``, newest first.

    Args:
        folder: Where the trace is kept.
        limit: How many at most.
        contains: Words that the event or one of its facts contains; everything when empty.
    """
    wanted = storable(contains)[0].casefold().encode()
    lines: list[TraceLine] = []
    for line in _lines_backwards(folder):
        if len(lines) >= limit:
            break
        if wanted in line.lower() and (read := _parsed(line)) is not None:
            lines.append(read)
    return lines


def _lines_backwards(folder: Path) -> Iterator[bytes]:
    """Yield the lines of the present file and the one before, the newest first."""
    for path in (folder / FILE, folder / f"{FILE}.1"):
        try:
            with open_for_reading(path) as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _BLOCK))
                data = file.read(_BLOCK)
        except FileNotFoundError:
            continue
        # What was cut in two at the beginning of the block is no line.
        lines = data.splitlines()[1 if size > _BLOCK else 0 :]
        yield from reversed(lines)


def _parsed(line: bytes) -> TraceLine | None:
    try:
        facts = msgspec.json.decode(line, type=dict[str, str | int | float | bool | None])
        at = facts["at"]
        when = to_datetime(round(float(at or 0) * 1000))
        ms = facts.get("ms")
        summary = ", ".join(f"{name} {_shown(fact)}" for name, fact in facts.items() if name not in _OWN)
        return TraceLine(
            when,
            str(facts.get("event", "")),
            float(ms) if isinstance(ms, int | float) else None,
            str(facts.get("error") or ""),
            summary,
        )
    except (msgspec.DecodeError, KeyError, ValueError, OverflowError):
        return None  # half of a line, written when the computer stopped


def _shown(fact: str | float | bool | None) -> str:
    return "yes" if fact is True else "no" if fact is False else "–" if fact is None else str(fact)
