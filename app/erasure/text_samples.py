"""Text samples that prove an erasure: strings long enough to be unique."""

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
    """Return samples spread over ``texts``, at most ``MOST``.

    Samples that are too short or too common are left out.

    None crosses a line or a character that JSON always writes otherwise; what is beyond ASCII comes in both of the ways
    that JSON may write it. So each is found in every form of the text.
    """
    samples: dict[str, None] = {}
    for text in texts:
        samples.update(dict.fromkeys(_of(text)))
    chosen = _spread(list(samples), MOST)
    return (*chosen, *(json.dumps(sample)[1:-1] for sample in chosen if not sample.isascii()))


def term_tails(terms: Iterable[str]) -> tuple[str, ...]:
    """Return the ends of words as the full-text index may store them.

    The index stores only the part that differs from the previous word.

    The longest words come first, at most ``MOST``.
    """
    long = {term for term in terms if len(term.encode()) >= LEAST_TERM_BYTES}
    return tuple(
        dict.fromkeys(term[len(term) // 3 :] for term in sorted(long, key=lambda term: (-len(term), term))[:MOST])
    )


def names(spellings: Iterable[str]) -> tuple[str, ...]:
    """Return spellings of names that are distinctive enough, at most ``MOST``."""
    plain = {piece for spelling in spellings for piece in _PLAIN.findall(spelling) if _is_distinctive(piece)}
    return tuple(sorted(plain, key=lambda name: (-len(name), name))[:MOST])


def _of(text: str) -> Sequence[str]:
    pieces = [piece.strip() for piece in _PLAIN.findall(text)]
    cut = [piece[start : start + LENGTH].strip() for piece in pieces for start in _starts(len(piece))]
    return _spread([sample for sample in cut if _is_distinctive(sample)], _A_TEXT)


def _starts(length: int) -> Sequence[int]:
    """Return the offsets of samples: at the beginning, the end, and between."""
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
    """Yield the texts of a memory's recorded state, short values left out."""
    title = str(state.get("title") or "")
    yield from (title, title.casefold(), str(state.get("content") or ""))
    for name in ("facts", "files", "people", "attributes"):
        value = state.get(name)
        yield from (text for text in strings_in(_decoded(value)) if len(text) >= LENGTH)


def _decoded(value: object) -> object:
    return json.loads(value) if isinstance(value, str) else value
