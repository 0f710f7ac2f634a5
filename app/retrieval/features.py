"""What the learned recipe looks at: named numbers for each candidate, from texts, scores and what stands around it.

Pure functions over arrays; a candidate is a turn of a conversation or a durable item.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from app.core.stopwords import stop_words
from app.index import grams
from app.retrieval.fts import fold, quoted, stem
from app.retrieval.model import Term
from app.retrieval.pool import REACH, Line, Place, Scored

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

_WORD: Final = re.compile(r"\w+")
_WHEN: Final = re.compile(r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bhow long\b|\bwhich (?:day|month|year)\b")
_TIME: Final = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|week|weekend|month|year|since|recently|\d{4}"
    r"|mon|tues|wednes|thurs|fri|satur|sun)(?:s|day|days)?\b"
)
_MONTHS: Final = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
                  "november", "december")  # fmt: skip
K1: Final = 1.2
B: Final = 0.5


@dataclass(frozen=True, slots=True)
class Sought:
    """One thing asked for: what to look for in a text in lower case, and the expression that counts it in the index."""

    keys: tuple[str, ...]
    expression: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the features need it."""

    sought: tuple[Sought, ...]
    words: frozenset[str]
    pairs: tuple[tuple[str, ...], ...]
    about_time: bool
    years: frozenset[int]
    months: frozenset[int]
    days: frozenset[int]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything known of a question's candidates before it is made numbers.

    Args:
        words: Chunks the words leg matched, of every kind, best first.
        near: Chunks nearest by vector, best first; ``None`` where there are no vectors.
        cosines: Cosine by chunk id, deeper than ``near``.
        turns: The candidate turns.
        memories: The candidate memories.
        lines: Turns and pieces: the candidates and what stands around them.
        total: Chunks in the index; ``counts`` says how many of them have each thing sought.
    """

    words: Sequence[Scored]
    near: Sequence[Scored] | None
    cosines: Mapping[int, float]
    turns: Sequence[Place]
    memories: Sequence[str]
    lines: Sequence[Line]
    total: int
    counts: Sequence[int]


def asked(terms: Sequence[Term]) -> Asked:
    """Return what ``terms`` ask for."""
    text = " ".join(term.text for term in terms if not term.excluded)
    words = _WORD.findall(fold(grams.normal(text)))
    kept = _without_stop_words(list(dict.fromkeys(words)))
    sought = [one for word in kept for one in _sought(word)]
    content = [word for word in words if word in set(kept)]
    pairs = tuple((_root(one), _root(other)) for one, other in zip(content, content[1:], strict=False) if one != other)
    numbers = {int(word) for word in words if word.isdecimal() and len(word) <= 4}
    return Asked(
        tuple(sought[:64]),
        frozenset(words),
        pairs,
        bool(_WHEN.search(text.lower())),
        frozenset(number for number in numbers if 1900 <= number < 2200),
        frozenset(place for place, name in enumerate(_MONTHS, 1) if name in words and (name != "may" or "May" in text)),
        frozenset(number for number in numbers if 1 <= number <= 31),
    )


def _without_stop_words(words: list[str]) -> list[str]:
    dropped = stop_words(words)
    return [word for word in words if word not in dropped] or words


def _sought(word: str) -> list[Sought]:
    if grams.has_wide(word):
        entries, _ = grams.phrase(word)
        return [Sought((entry,), f"grams : {quoted(entry)}") for entry in entries]
    return [Sought(_keys(word), quoted(word))]


def _root(word: str) -> str:
    return _keys(word)[0]


def _keys(word: str) -> tuple[str, ...]:
    """Return beginnings that words with the stem of ``word`` have."""
    root = stem(word)
    if root.endswith("i") and len(root) > 2:
        return (root, root[:-1] + "y")
    return (root,) if word.startswith(root) else (root, word)


NAMES: Final = (
    "bm25", "bm25_before", "bm25_after", "bm25_window", "bm25_passage", "bm25_session",
    "coverage", "coverage_window", "coverage_session", "pairs", "pairs_window",
    "cosine", "cosine_before", "cosine_after", "cosine_window", "cosine_session",
    "words_rank", "vector_rank",
    "speaker", "other_speaker", "length", "question", "question_before", "user",
    "time", "date", "recency", "memory",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """The candidates and their features, one row each, in the order of ``NAMES``."""

    targets: tuple[str, ...]
    chunk_ids: tuple[int, ...]
    created_ms: tuple[int, ...]
    values: "Matrix"


class _Lines:
    """The lines of a question as arrays: a row for each turn and each memory, and a last one for "nothing there"."""

    def __init__(self, question: Asked, found: Gathered) -> None:
        self.rows: dict[tuple[str, int], int] = {}
        self.heads: list[Line] = []
        texts: list[str] = []
        members: list[list[int]] = []
        for line in found.lines:
            key = (line.owner, -1 if line.kind == "memory" else line.seq)
            row = self.rows.get(key)
            if row is None:
                row = self.rows[key] = len(self.heads)
                self.heads.append(line)
                texts.append(line.text)
                members.append([line.chunk_id])
                continue
            members[row].append(line.chunk_id)
            if line.kind == "message":
                self.heads[row], texts[row] = line, line.text
            elif line.kind == "memory":
                texts[row] = f"{texts[row]}\n{line.text}"
        self.texts = [_plain(text) for text in texts]
        self.members = members
        n = len(texts)
        self.hits = np.zeros((n + 1, len(question.sought)))
        self.pairs = np.zeros(n + 1)
        for row, text in enumerate(self.texts):
            for column, one in enumerate(question.sought):
                if any(key in text for key in one.keys):
                    self.hits[row, column] = text.count(one.keys[0]) or 1
        self.length = np.array([*map(len, self.texts), 0], dtype=float)


def _plain(text: str) -> str:
    return text.lower() if text.isascii() else fold(text)
