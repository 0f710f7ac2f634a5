"""What the learned recipe looks at: named numbers for each candidate, a turn of a conversation or a memory.

They come from the scores of the legs, from the texts, and from what stands around a turn. Around a memory is nothing,
so its window is itself. Pure functions.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from app.core.clock import to_datetime
from app.retrieval.asked import WORD, Asked
from app.retrieval.fts import fold
from app.retrieval.lines import Lines
from app.retrieval.pool import REACH, Gathered, Line, Place, Said

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Ints = NDArray[np.int64]

NAMES: Final = (
    "bm25", "bm25_before", "bm25_after", "bm25_text", "bm25_window", "bm25_passage", "bm25_session",
    "coverage", "coverage_before", "coverage_window", "coverage_session", "pairs",
    "cosine", "cosine_before", "cosine_after", "cosine_window", "cosine_session",
    "words_rank", "vector_rank",
    "speaker", "other_speaker", "length", "question", "question_before", "answer", "user", "after_user",
    "time", "date", "recency", "memory",
    "session_words", "session_user_words", "session_coverage", "session_length",
    "question_length", "register",
)  # fmt: skip

_OF_ALL: Final = [NAMES.index("question_length"), NAMES.index("register")]
_REGISTER: Final = NAMES.index("register")
_LEAST_WORDS: Final = math.log(4)
_MOST_WORDS: Final = math.log(24)
_TIME: Final = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|week|weekend|month|year|since|recently|\d{4}"
    r"|mon|tues|wednes|thurs|fri|satur|sun)(?:s|day|days)?\b"
)
_K1: Final = 1.2
_B: Final = 0.5
_RANK: Final = 10
_LEAST_IDF: Final = 0.1
_SHORT: Final = math.log(100)  # characters
_LONG: Final = math.log(1_000)


@dataclass(frozen=True, slots=True)
class Table:
    """The candidates that are there and allowed, a row of ``values`` each, in the order of ``NAMES``."""

    heads: tuple[Line, ...]
    values: "Matrix"


def table(question: Asked, gathered: Gathered) -> Table:
    """Return the candidates with their features as they are, not yet scaled."""
    lines = Lines(question, gathered.lines, gathered.found)
    places = [place for place in gathered.candidates if place in lines.rows and lines.heads[lines.rows[place]].allowed]
    if not places:
        return Table((), np.zeros((0, len(NAMES))))
    columns = _Columns(question, gathered, lines, places)
    return Table(tuple(columns.heads), columns.values())


def inputs(values: "Matrix") -> "Matrix":
    """Return what the weights multiply: each column scaled to [0, 1] over the candidates, then the same by register.

    A column in which all are equal becomes zero. The register is -1/2 among the short turns of people who chat and
    1/2 among the long ones of assistants and notes: there the same number says something else.
    """
    return weighed(shares(values))


def weighed(share: "Matrix") -> "Matrix":
    """Return what the weights multiply, made of ``shares``; see ``inputs``."""
    register, share = share[:, _REGISTER], share.copy()
    share[:, _OF_ALL] = 0.0
    return np.hstack([share, share * register[:, None]])


def shares(values: "Matrix") -> "Matrix":
    """Return ``values`` with the columns scaled to [0, 1] that only compare the candidates with each other."""
    if not len(values):
        return np.zeros((0, len(NAMES)))
    low = values.min(axis=0)
    width = values.max(axis=0) - low
    share = (values - low) / np.where(width > 0, width, 1.0)
    share[:, _OF_ALL] = np.clip(values[:, _OF_ALL], -1.0, 1.0)
    return np.asarray(share)


class _Columns:
    """Computes the features, one column each."""

    def __init__(self, question: Asked, gathered: Gathered, lines: Lines, places: Sequence[Place]) -> None:
        self.question, self.gathered, self.lines, self.places = question, gathered, lines, places
        self.found = gathered.found
        self.around = np.array([lines.around(place) for place in places], dtype=np.int64)
        self.rows, self.before, self.after = (self.around[:, REACH + step] for step in (0, -1, 1))
        self.heads = [lines.heads[row] for row in self.rows]
        counts = np.array(gathered.counts, dtype=np.float64)
        rarity = np.log((max(gathered.total, 1) - counts + 0.5).clip(0.5) / (counts + 0.5))
        self.idf = np.maximum(rarity, _LEAST_IDF)

    def values(self) -> "Matrix":
        """Return all columns, in the order of ``NAMES``."""
        columns = {**self._words(), **self._coverage(), **self._meaning(), **self._speech(), **self._time()}
        columns |= self._sessions(columns["bm25"], columns["memory"] > 0)
        columns |= self._of_all(columns["length"])
        return np.stack([columns[name] for name in NAMES], axis=1)

    def _words(self) -> dict[str, "Matrix"]:
        lines, found = self.lines, self.found
        own = lines.bm25[self.rows]
        passage = [found.passages.get(place, score) for place, score in zip(self.places, own, strict=True)]
        return {
            "bm25": own,
            "bm25_before": lines.bm25[self.before],
            "bm25_after": lines.bm25[self.after],
            "bm25_text": self._bm25(lines.hits[self.rows], lines.length[self.rows]),
            "bm25_window": self._bm25(lines.hits[self.around].sum(axis=1), lines.length[self.around].sum(axis=1)),
            "bm25_passage": np.array(passage),
            "bm25_session": np.array([found.owners.get(owner, 0.0) for owner, _ in self.places]),
            "pairs": lines.pairs[self.rows],
            "words_rank": self._rank(found.bm25),
        }

    def _bm25(self, hits: "Matrix", length: "Matrix") -> "Matrix":
        norm = _K1 * (1 - _B + _B * length / max(float(length.mean()), 1.0))
        return np.asarray((hits * (_K1 + 1) / (hits + norm[:, None])) @ self.idf)

    def _coverage(self) -> dict[str, "Matrix"]:
        there = self.lines.hits > 0
        share = self.idf / max(float(self.idf.sum()), 1e-9)
        owners: dict[str, int] = {}
        of_line = [owners.setdefault(head.owner, len(owners)) for head in self.lines.heads]
        by_owner = np.zeros((len(owners), there.shape[1]))
        np.maximum.at(by_owner, of_line, there[:-1].astype(np.float64))
        return {
            "coverage": there[self.rows] @ share,
            "coverage_before": there[self.before] @ share,
            "coverage_window": there[self.around].any(axis=1) @ share,
            "coverage_session": (by_owner @ share)[[owners[owner] for owner, _ in self.places]],
        }

    def _meaning(self) -> dict[str, "Matrix"]:
        cosine, around = self.lines.cosine, self.around
        there = around != self.lines.none
        best: dict[str, list[float]] = {}
        for head, value in zip(self.lines.heads, cosine, strict=False):
            best.setdefault(head.owner, []).append(value)
        top = {owner: sum(sorted(values)[-3:]) / min(len(values), 3) for owner, values in best.items()}
        return {
            "cosine": cosine[self.rows],
            "cosine_before": cosine[self.before],
            "cosine_after": cosine[self.after],
            "cosine_window": (cosine[around] * there).sum(axis=1) / there.sum(axis=1),
            "cosine_session": np.array([top[owner] for owner, _ in self.places]),
            "vector_rank": self._rank(self.found.cosines),
        }

    def _rank(self, scores: Mapping[Place, float]) -> "Matrix":
        ranks = {place: rank for rank, place in enumerate(scores, 1)}
        return np.array([_RANK / (_RANK + ranks[place]) if place in ranks else 0.0 for place in self.places])

    def _speech(self) -> dict[str, "Matrix"]:
        lines = self.lines
        is_named = {author: self._is_named(author) for author in {head.author for head in lines.heads}}
        with_named = {head.owner for head in lines.heads if is_named[head.author]}
        named = np.array([is_named[head.author] for head in self.heads])
        asks = np.array([*("?" in text for text in lines.texts), False])
        user = np.array([*(head.role == "user" for head in lines.heads), False])
        question_before = asks[self.before]
        columns = {
            "speaker": named,
            "other_speaker": np.array([owner in with_named for owner, _ in self.places]) & ~named,
            "length": np.log1p(lines.length[self.rows]),
            "question": asks[self.rows],
            "question_before": question_before,
            "answer": question_before * lines.bm25[self.before],
            "user": user[self.rows],
            "after_user": user[self.before],
            "memory": np.array([head.kind == "memory" for head in self.heads]),
        }
        return {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}

    def _is_named(self, author: str) -> bool:
        return any(part in self.question.words for part in WORD.findall(fold(author)))

    def _time(self) -> dict[str, "Matrix"]:
        says_when = np.zeros(len(self.heads))
        if self.question.about_time:
            says_when = np.array([float(bool(_TIME.search(self.lines.texts[row]))) for row in self.rows])
        dates = np.zeros(len(self.heads))
        if self.question.years or self.question.months:
            dates = np.array([_date_match(self.question, head.created_ms) for head in self.heads])
        return {"time": says_when, "date": dates, "recency": np.array([float(head.created_ms) for head in self.heads])}

    def _sessions(self, own: "Matrix", alone: "NDArray[np.bool_]") -> dict[str, "Matrix"]:
        said = [self.gathered.said.get(owner, Said()) for owner, _ in self.places]
        columns = {
            "session_words": np.array([one.words for one in said]),
            "session_user_words": np.array([one.user_words for one in said]),
            "session_coverage": np.array([one.coverage for one in said]),
        }
        if alone.any():
            # What stands around a memory is itself.
            share = own[alone] / max(float(own.max()), 1e-9)
            for column in columns.values():
                column[alone] = share * (float(column.max()) or 1.0)
        columns["session_length"] = np.log1p([one.length for one in said])
        return columns

    def _of_all(self, length: "Matrix") -> dict[str, "Matrix"]:
        words = math.log(max(len(self.question.sought), 1))
        of_all = {
            "question_length": (words - _LEAST_WORDS) / (_MOST_WORDS - _LEAST_WORDS),
            "register": (float(length.mean()) - _SHORT) / (_LONG - _SHORT),
        }
        return {name: np.full(len(length), min(max(value, 0.0), 1.0) - 0.5) for name, value in of_all.items()}


def _date_match(question: Asked, created_ms: int) -> float:
    when = to_datetime(created_ms)
    asked_for = [(when.year, question.years), (when.month, question.months)]
    if question.months:
        asked_for.append((when.day, question.days))
    return float(all(value in values for value, values in asked_for if values))
