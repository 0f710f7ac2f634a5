"""Words of a foreign message from several of its fields, each of them once."""

import re
from collections.abc import Collection, Iterable
from typing import Any, Final

from app.exchange.parsing.source_words import Noise, single_words, spoken

_ALL: Final = Noise()
_LINK: Final = re.compile(r"\]\([^()\s]*\)|\b[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+")
_ID: Final = re.compile(r"[bcdgstuw](?=\w*\d)[a-z0-9]{7,11}")
_MOST_LINES: Final = 500


def merged(*parts: str) -> str:
    """Return the texts on lines of their own, without repeated lines.

    A line is left out where its words stand in an earlier part. A text that stands wholly in a later one is left out as
    well, such as the short form of a card.
    """
    kept: list[str] = []
    words: set[str] = set()
    for part in filter(str.strip, parts):
        own = _words(part)
        if not own and any(part.strip() in other for other in kept):
            continue
        if words and words < own:
            kept, words = [part], own
            continue
        lines = [line for line in part.splitlines() if not kept or _adds(line, words)]
        if any(line.strip() for line in lines):
            kept.append("\n".join(lines).strip("\n"))
            words |= own
    return "\n\n".join(kept)


def _adds(line: str, words: set[str]) -> bool:
    own = _words(line)
    return not own <= words if own else not line.strip() or not words


def covers(text: str, other: str) -> bool:
    """Return whether at least half of the words of another text are in a text."""
    own = _words(other)
    return len(own & _words(text)) * 2 >= len(own)


def unknown(found: dict[str, Any], known: Collection[str], texts: Iterable[str], noise: Noise = _ALL) -> str:
    """Return the words in unknown fields that are not in other texts.

    Args:
        found: A message, or another object of a foreign file.
        known: Fields that were read, or hold nobody's words.
        texts: Texts that were made of the others.
        noise: What holds nobody's words anywhere.
    """
    rest = {name: value for name, value in found.items() if name not in known}
    if not rest:
        return ""
    words = set[str]().union(*map(_words, texts))
    lines: dict[str, None] = {}
    for value in (*spoken(rest, noise), *single_words(rest, noise)):
        own = _words(value.text)
        if not own <= words and len(lines) < _MOST_LINES:
            lines[value.text.strip()] = None
            words |= own
    return "\n".join(lines)


def _words(text: str) -> set[str]:
    """Return the words of a text without the addresses and ids in it."""
    return {word for word in _WORD.findall(_LINK.sub("]", text).casefold()) if not _ID.fullmatch(word)}
