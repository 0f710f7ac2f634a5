"""Words of a foreign message from several of its fields, each of them once."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final

from app.exchange.parsing.source_words import MAX_DEPTH, Noise, SpokenValue, single_words, spoken

_ALL: Final = Noise()
_LINK: Final = re.compile(r"\]\([^()\s]*\)|\b[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+")
_ID: Final = re.compile(r"[bcdgstuw](?=\w*\d)[a-z0-9]{7,11}")
_CHOICES: Final = frozenset({"option", "options", "choice", "choices", "answer", "answers", "label"})
_MOST_LINES: Final = 500


def merged(*parts: str) -> str:
    """Return the texts on lines of their own, without repeated lines.

    A line is left out where its words stand in an earlier part. A text that stands wholly in a later one is left out as
    well, such as the short form of a card.
    """
    pieces: list[str] = []
    words: set[str] = set()
    for part in filter(str.strip, parts):
        own = _words(part)
        if not own and any(part.strip() in other for other in pieces):
            continue
        if words and words < own:
            pieces, words = [part], own
            continue
        lines = part.splitlines()
        adding = [line for line in lines if not pieces or _adds(line, words)]
        if any(line.strip() for line in adding):
            pieces.append("\n".join(lines if len(adding) * 2 > len(lines) else adding).strip("\n"))
            words |= own
    return "\n\n".join(pieces)


def _adds(line: str, words: set[str]) -> bool:
    own = _words(line)
    return not own <= words if own else not line.strip() or not words


def covers(text: str, other: str) -> bool:
    """Return whether at least half of the words of another text are in a text."""
    own = _words(other)
    return len(own & _words(text)) * 2 >= len(own)


def unread(
    fields: dict[str, Any],
    known: Collection[str],
    texts: Iterable[str],
    noise: Noise = _ALL,
    shown: Callable[[str], str] = str,
    *,
    is_message: bool = True,
) -> str:
    """Return the words of an object that are not in the texts made of it.

    So a reader keeps the words in fields that it does not know, and in known ones whose inner parts changed.

    Args:
        fields: A message, or another object of a foreign file.
        known: Fields that hold nobody's words, or are kept elsewhere.
        texts: The texts.
        noise: What holds nobody's words anywhere.
        shown: Makes a text of the source what the texts show of it.
        is_message: Whether one word in a field of its own may be all that is said.
    """
    rest = {name: value for name, value in fields.items() if name not in known}
    words = set[str]().union(*map(_words, texts))
    lines: dict[str, None] = {}
    singles = single_words(rest, noise) if is_message else ()
    for value in (*spoken(rest, noise), *singles, *_choices(rest)):
        shown_text = shown(value.text).strip()
        own = _words(shown_text)
        if not own <= words and len(lines) < _MOST_LINES:
            lines[shown_text] = None
            words |= own
    return "\n".join(lines)


def _choices(value: Any, name: str = "", depth: int = 0) -> Iterator[SpokenValue]:
    """Yield what can be chosen in a poll, even where it is one word."""
    if isinstance(value, str) and name in _CHOICES:
        yield SpokenValue(name, value)
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        for inner_name, inner in value.items():
            yield from _choices(inner, str(inner_name).lower(), depth + 1)
    elif isinstance(value, list) and depth < MAX_DEPTH:
        for inner in value:
            yield from _choices(inner, name, depth + 1)


def _words(text: str) -> set[str]:
    """Return the words of a text without the addresses and ids in it."""
    return {word for word in _WORD.findall(_LINK.sub("]", text).casefold()) if not _ID.fullmatch(word)}
