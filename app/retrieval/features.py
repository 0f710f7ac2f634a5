"""What the learned recipe looks at: named numbers for each candidate, from texts, scores and what stands around it.

Pure functions over arrays; a candidate is a turn of a conversation or a durable item.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from app.core.clock import to_datetime
from app.core.stopwords import stop_words
from app.index import grams
from app.retrieval.fts import fold, quoted, stem
from app.retrieval.model import Term
from app.retrieval.pool import REACH, Line, Place, Scored

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Ints = NDArray[np.int64]

_WORD: Final = re.compile(r"\w+")
_WHEN: Final = re.compile(r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bhow long\b|\bwhich (?:day|month|year)\b")
_TIME: Final = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|week|weekend|month|year|since|recently|\d{4}"
    r"|mon|tues|wednes|thurs|fri|satur|sun)(?:s|day|days)?\b"
)
_MONTHS: Final = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
                  "november", "december")  # fmt: skip
_WHOLE: Final = -1  # in place of a turn's number: all of a memory
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
    "bm25", "bm25_text", "bm25_before", "bm25_after", "bm25_window", "bm25_passage", "bm25_session",
    "coverage", "coverage_window", "coverage_session", "pairs",
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


def table(question: Asked, found: Gathered) -> Table:
    """Return the candidates that are there and allowed, with their features as they are, not yet scaled."""
    lines = _Lines(question, found)
    keys = [key for key in _keys_of(found) if key in lines.rows and lines.heads[lines.rows[key]].allowed]
    rows = np.array([lines.rows[key] for key in keys], dtype=int)
    heads = [lines.heads[row] for row in rows]
    around = np.array([lines.around(key) for key in keys], dtype=int).reshape(len(keys), 2 * REACH + 1)
    values = _Columns(question, found, lines, rows, around, heads).values()
    targets = tuple(head.owner if head.kind == "memory" else f"{head.owner}#{head.seq}" for head in heads)
    return Table(targets, tuple(lines.best[row] for row in rows), tuple(head.created_ms for head in heads), values)


def _keys_of(found: Gathered) -> list[Place]:
    return [*found.turns, *((memory, _WHOLE) for memory in found.memories)]


class _Lines:
    """What was read, as arrays: a row for each turn and each memory, and a last one for "nothing there"."""

    def __init__(self, question: Asked, found: Gathered) -> None:
        self.rows: dict[Place, int] = {}
        self.heads: list[Line] = []
        self.texts: list[str] = []
        self.best: list[int] = []
        members: list[list[int]] = []
        for line in found.lines:
            self._add(line, members)
        self.none = len(self.heads)
        scores = {item.chunk_id: item.score for item in reversed(found.words)}
        floor = min(found.cosines.values(), default=0.0)
        self.bm25 = np.zeros(self.none + 1)
        self.cosine = np.full(self.none + 1, floor)
        for row, ids in enumerate(members):
            self._score(row, ids, scores, found.cosines)
        self.texts = [_plain(text) for text in self.texts]
        self.length = np.array([*map(len, self.texts), 0], dtype=float)
        self.hits = np.array([*(_hits(text, question) for text in self.texts), [0] * len(question.sought)], dtype=float)
        self.hits = self.hits.reshape(self.none + 1, len(question.sought))

    def _add(self, line: Line, members: list[list[int]]) -> None:
        key = (line.owner, _WHOLE if line.kind == "memory" else line.seq)
        row = self.rows.setdefault(key, len(self.heads))
        if row == len(self.heads):
            self.heads.append(line)
            self.texts.append(line.text)
            self.best.append(line.chunk_id)
            members.append([line.chunk_id])
            return
        members[row].append(line.chunk_id)
        if line.kind == "message":
            self.heads[row], self.texts[row] = line, line.text
        elif line.kind == "memory":
            self.texts[row] = f"{self.texts[row]}\n{line.text}"

    def _score(self, row: int, ids: list[int], scores: Mapping[int, float], cosines: Mapping[int, float]) -> None:
        near = [cosines[number] for number in ids if number in cosines]
        if near:
            self.cosine[row] = max(near)
        matched = [(scores[number], number) for number in ids if number in scores]
        # The chunk that stands for a turn is the one its words were found in, for the snippet is cut around words.
        if matched:
            self.bm25[row], self.best[row] = max(matched)
        elif near:
            self.best[row] = max((cosines[number], number) for number in ids if number in cosines)[1]

    def around(self, key: Place) -> list[int]:
        """Return the rows of a turn's window, the turn in the middle; a memory stands alone."""
        owner, seq = key
        if seq == _WHOLE:
            return [self.none] * REACH + [self.rows[key]] + [self.none] * REACH
        return [self.rows.get((owner, seq + step), self.none) for step in range(-REACH, REACH + 1)]


def _plain(text: str) -> str:
    return text.lower() if text.isascii() else fold(text)


def _hits(text: str, question: Asked) -> list[int]:
    return [sum(text.count(key) for key in one.keys) for one in question.sought]


class _Columns:
    """Computes the features, one column each."""

    def __init__(
        self, question: Asked, found: Gathered, lines: _Lines, rows: "Ints", around: "Ints", heads: Sequence[Line]
    ) -> None:
        self.question, self.found, self.lines = question, found, lines
        self.rows, self.around, self.heads = rows, around, heads
        counts = np.array(found.counts, dtype=float)
        self.idf = np.log1p((max(found.total, 1) - counts).clip(0) + 0.5) - np.log(counts + 0.5)
        self.idf = np.maximum(self.idf, 0.1)

    def values(self) -> "Matrix":
        """Return all columns, in the order of ``NAMES``."""
        columns = {**self._words(), **self._meaning(), **self._speech(), **self._time()}
        return np.stack([columns[name] for name in NAMES], axis=1) if self.heads else np.zeros((0, len(NAMES)))

    def _words(self) -> dict[str, "Matrix"]:
        lines, before, after = self.lines, self.around[:, REACH - 1], self.around[:, REACH + 1]
        window = lines.hits[self.around].sum(axis=1)
        there = lines.hits > 0
        weight = max(self.idf.sum(), 1e-9)
        sessions, session_hits = self._by_session(there)
        return {
            "bm25": lines.bm25[self.rows],
            "bm25_text": self._bm25(lines.hits[self.rows], lines.length[self.rows]),
            "bm25_before": lines.bm25[before],
            "bm25_after": lines.bm25[after],
            "bm25_window": self._bm25(window, lines.length[self.around].sum(axis=1)),
            "bm25_passage": self._passages(),
            "bm25_session": self._sessions(),
            "coverage": there[self.rows] @ self.idf / weight,
            "coverage_window": (window > 0) @ self.idf / weight,
            "coverage_session": session_hits[sessions] @ self.idf / weight,
            "pairs": self._pairs(there),
            "words_rank": self._rank([item for item in self.found.words if not item.spans]),
        }

    def _bm25(self, hits: "Matrix", length: "Matrix") -> "Matrix":
        mean = length.mean() if length.size else 1.0
        norm = K1 * (1 - B + B * length / max(mean, 1.0))
        return (hits * (K1 + 1) / (hits + norm[:, None])) @ self.idf

    def _passages(self) -> "Matrix":
        best: dict[Place, float] = {}
        for item in self.found.words:
            if item.kind != "memory":
                for seq in range(item.first, item.last + 1):
                    best.setdefault((item.session, seq), item.score)
        return np.array(
            [
                self.lines.bm25[row] if head.kind == "memory" else best.get((head.owner, head.seq), 0.0)
                for row, head in zip(self.rows, self.heads, strict=True)
            ]
        )

    def _sessions(self) -> "Matrix":
        sums: dict[str, float] = {}
        seen: dict[str, int] = {}
        for item in self.found.words:
            owner = item.memory if item.kind == "memory" else item.session
            seen[owner] = seen.get(owner, 0) + 1
            sums[owner] = sums.get(owner, 0.0) + item.score / seen[owner]
        return np.array([sums.get(head.owner, 0.0) for head in self.heads])

    def _by_session(self, there: "NDArray[np.bool_]") -> tuple["Ints", "NDArray[np.bool_]"]:
        numbers: dict[str, int] = {}
        of_line = [numbers.setdefault(head.owner, len(numbers)) for head in self.lines.heads]
        hits = np.zeros((len(numbers), there.shape[1]), dtype=bool)
        np.logical_or.at(hits, of_line, there[: self.lines.none])
        return np.array([numbers[head.owner] for head in self.heads], dtype=int), hits

    def _pairs(self, there: "NDArray[np.bool_]") -> "Matrix":
        """Return the share of the question's neighbouring words that stand in the turn close to each other."""
        pairs = self.question.pairs
        found = np.zeros(len(self.heads))
        if not pairs:
            return found
        for place, row in enumerate(self.rows):
            if there[row].sum() > 1:
                text = self.lines.texts[row]
                found[place] = sum(_beside(text, one, other) for one, other in pairs) / len(pairs)
        return found

    def _meaning(self) -> dict[str, "Matrix"]:
        cosine = self.lines.cosine
        window = np.where(self.around == self.lines.none, np.nan, cosine[self.around])
        best: dict[str, list[float]] = {}
        for row, head in enumerate(self.lines.heads):
            best.setdefault(head.owner, []).append(cosine[row])
        top = {owner: float(np.mean(sorted(values)[-3:])) for owner, values in best.items()}
        return {
            "cosine": cosine[self.rows],
            "cosine_before": cosine[self.around[:, REACH - 1]],
            "cosine_after": cosine[self.around[:, REACH + 1]],
            "cosine_window": np.nanmean(window, axis=1) if len(window) else np.zeros(0),
            "cosine_session": np.array([top[head.owner] for head in self.heads]),
            "vector_rank": self._rank(self.found.near or ()),
        }

    def _rank(self, found: Sequence[Scored]) -> "Matrix":
        ranks: dict[str, int] = {}
        for item in found:
            ranks.setdefault(item.target, len(ranks) + 1)
        targets = (head.owner if head.kind == "memory" else f"{head.owner}#{head.seq}" for head in self.heads)
        return np.array([10 / (10 + ranks[target]) if target in ranks else 0.0 for target in targets])

    def _speech(self) -> dict[str, "Matrix"]:
        named = [self._is_named(head.author) for head in self.heads]
        whose = {head.owner for head in self.lines.heads if self._is_named(head.author)}
        asks = np.array([*("?" in text for text in self.lines.texts), False], dtype=float)
        return {
            "speaker": np.array(named, dtype=float),
            "other_speaker": np.array(
                [head.owner in whose and not own for head, own in zip(self.heads, named, strict=True)], dtype=float
            ),
            "length": np.log1p(self.lines.length[self.rows]),
            "question": asks[self.rows],
            "question_before": asks[self.around[:, REACH - 1]],
            "user": np.array([head.role == "user" for head in self.heads], dtype=float),
            "memory": np.array([head.kind == "memory" for head in self.heads], dtype=float),
        }

    def _is_named(self, author: str) -> bool:
        return bool(author) and any(part in self.question.words for part in _WORD.findall(fold(author)))

    def _time(self) -> dict[str, "Matrix"]:
        created = np.array([head.created_ms for head in self.heads], dtype=float)
        times = np.zeros(len(self.heads))
        if self.question.about_time:
            times = np.array([bool(_TIME.search(self.lines.texts[row])) for row in self.rows], dtype=float)
        return {"time": times, "date": self._dates(), "recency": created}

    def _dates(self) -> "Matrix":
        question = self.question
        if not (question.years or question.months):
            return np.zeros(len(self.heads))
        return np.array([_date_match(question, head.created_ms) for head in self.heads])


def _beside(text: str, one: str, other: str) -> bool:
    start = text.find(one)
    while start >= 0:
        if other in text[start + len(one) : start + len(one) + 16 + len(other)]:
            return True
        start = text.find(one, start + 1)
    return False


def _date_match(question: Asked, created_ms: int) -> float:
    when = to_datetime(created_ms)
    asked_for = [(when.year, question.years), (when.month, question.months)]
    if question.months and question.days:
        asked_for.append((when.day, question.days))
    wanted = [value in values for value, values in asked_for if values]
    return float(all(wanted))


def scaled(values: "Matrix") -> "Matrix":
    """Return each column scaled to [0, 1] over the candidates; one that says nothing becomes zero."""
    if not len(values):
        return values
    low, high = values.min(axis=0), values.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    return np.asarray((values - low) / width)
