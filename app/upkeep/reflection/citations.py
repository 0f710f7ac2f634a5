"""Citations: quoted text made harmless for Markdown, and links to messages and memories."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime, timedelta, tzinfo
from typing import Final
from urllib.parse import quote

from app.core.text import collapse, excerpt, without_controls, without_markup
from app.core.text_rules.recall_fence import single_line
from app.core.time_rules.timespans import MONTHS, WEEKDAYS
from app.memories.model import Source

LONGEST: Final = 170  # characters of a quoted text
_READ: Final = 2_000
_SIGNS: Final = re.compile(r"([\\`*_\[\]<>#|~]|^[-+=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]|&(?=[#\w]+;))")
_ADDRESS: Final = re.compile(r"\b(?:https?|ftp|file|keepsake|javascript|data|mailto):\S*|\bwww\.\S+", re.IGNORECASE)
_COUNTS: Final = "no one two three four five six seven eight nine ten eleven twelve"
_NUMBERS: Final = tuple(_COUNTS.split())
_RTL: Final = frozenset({"R", "AL"})
_ISOLATE: Final = "\u2068{}\u2069"
_WEEK: Final = timedelta(days=6)


def quoted(text: str, length: int = LONGEST) -> str:
    """Return stored text as one harmless line of Markdown, cut to ``length``.

    It can make neither links nor pictures, headings, tags or code. Text that runs from right to left is isolated,
    so that it does not turn the words around it.
    """
    plain = excerpt(without_controls(single_line(_ADDRESS.sub("…", without_markup(text[:_READ])))), length)
    safe = _SIGNS.sub(r"\\\1", plain)
    is_rtl = any(unicodedata.bidirectional(sign) in _RTL for sign in plain)
    return _ISOLATE.format(safe) if is_rtl else safe


def link(source: Source) -> str:
    """Return the address of a source in the window."""
    if source.kind == "memory":
        return f"keepsake://memory/{quote(source.id, safe='')}"
    session, _, seq = source.id.rpartition("#")
    return f"keepsake://session/{quote(session, safe='')}#{seq}"


def cited(label: str, source: Source) -> str:
    """Return a Markdown link to a source; ``label`` must be harmless."""
    return f"[{label}]({link(source)})"


def day(at: datetime, zone: tzinfo, *, until: datetime | None = None) -> str:
    """Return a date as people write it.

    Within the week that ends at ``until`` it is the weekday alone.
    """
    local = at.astimezone(zone)
    if until is not None and timedelta() <= until - at <= _WEEK:
        return WEEKDAYS[local.weekday()].title()
    year = f" {local.year}" if until is None or local.year != until.astimezone(zone).year else ""
    return f"{local.day} {MONTHS[local.month - 1].title()}{year}"


def in_words(number: int, noun: str) -> str:
    """Return a number with its noun, up to twelve in letters."""
    count = _NUMBERS[number] if 0 <= number < len(_NUMBERS) else f"{number:,}"
    return f"{count} {noun if number == 1 else noun + 's'}"


def enumerated(items: Iterable[str]) -> str:
    """Return items as people list them: ``a, b and c``."""
    *first, last = list(items) or [""]
    return f"{', '.join(first)} and {last}" if first else last


def same_words(text: str) -> str:
    """Return what two texts have in common that say the same."""
    return collapse(text).casefold().rstrip(".!… ")
