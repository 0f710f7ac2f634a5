"""Which strings prove that a text is gone: samples of it long enough to be its own."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

MOST = 48
LENGTH = 24  # characters of a sample
LEAST_BYTES = 8
LEAST_TERM_BYTES = 9
_LEAST_DIFFERENT = 4
_A_TEXT = 4  # samples of one text
_PLAIN = re.compile(r'[^"\\\x00-\x1f]+')  # stands in JSON as it stands in a text


def text_samples(texts: Iterable[str]) -> tuple[str, ...]:
    """Return samples spread over ``texts``, at most ``MOST``, without those too short or too plain to be anyone's own.

    None crosses a line or a character that JSON always writes otherwise; what is beyond ASCII comes in both of the ways
    that JSON may write it. So each is found in every form of the text.
    """
    found: dict[str, None] = {}
    for text in texts:
        found.update(dict.fromkeys(_of(text)))
    chosen = _spread(list(found), MOST)
    return (*chosen, *(json.dumps(sample)[1:-1] for sample in chosen if not sample.isascii()))


def term_tails(terms: Iterable[str]) -> tuple[str, ...]:
    """Return the ends of words as the word index may hold them, which shares the beginning with the word before.

    The longest words come first, at most ``MOST``.
    """
    long = {term for term in terms if len(term.encode()) >= LEAST_TERM_BYTES}
    return tuple(
        dict.fromkeys(term[len(term) // 3 :] for term in sorted(long, key=lambda one: (-len(one), one))[:MOST])
    )


def names(spellings: Iterable[str]) -> tuple[str, ...]:
    """Return those spellings of names that are long and varied enough to be looked for, at most ``MOST``."""
    plain = {piece for spelling in spellings for piece in _PLAIN.findall(spelling) if _is_distinctive(piece)}
    return tuple(sorted(plain, key=lambda one: (-len(one), one))[:MOST])


def _of(text: str) -> Sequence[str]:
    pieces = [piece.strip() for piece in _PLAIN.findall(text)]
    cut = [piece[start : start + LENGTH].strip() for piece in pieces for start in _starts(len(piece))]
    return _spread([sample for sample in cut if _is_distinctive(sample)], _A_TEXT)


def _starts(length: int) -> Sequence[int]:
    """Return where samples of a piece begin: at its beginning, at its end, and between them."""
    last = max(length - LENGTH, 0)
    return sorted({0, last // 3, 2 * last // 3, last})


def _is_distinctive(sample: str) -> bool:
    return len(sample.encode()) >= LEAST_BYTES and len(set(sample)) >= _LEAST_DIFFERENT


def _spread(items: list[str], most: int) -> list[str]:
    if len(items) <= most:
        return items
    return [items[place * (len(items) - 1) // (most - 1)] for place in range(most)]


def strings_in(value: object) -> Iterator[str]:
    """Yield the strings of a decoded JSON value, without the names of its fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from chain.from_iterable(map(strings_in, value.values()))
    elif isinstance(value, list):
        yield from chain.from_iterable(map(strings_in, value))


def strings_of_state(state: dict[str, Any]) -> Iterator[str]:
    """Yield what a recorded state of a memory says; short values beside the text are nobody's own."""
    title = str(state.get("title") or "")
    yield from (title, title.casefold(), str(state.get("content") or ""))
    for name in ("facts", "files", "people", "attributes"):
        value = state.get(name)
        yield from (text for text in strings_in(_decoded(value)) if len(text) >= LENGTH)


def _decoded(value: object) -> object:
    return json.loads(value) if isinstance(value, str) else value
