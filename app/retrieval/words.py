"""The words leg: chunks that have any of the words asked for, best BM25 first, without scoring every one of them.

The index says which chunks have each word; what they would score if they had it once chooses whom to look at. Their
texts are then read, their words counted and the score made as FTS5 makes it. Short of a chunk that repeats its words
far more often than others, that finds what scoring all would find.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

from app.index.postings import Lengths, Postings, last_chunk
from app.retrieval.candidates import Conditions, few_allowed
from app.retrieval.fts import Atom, fold, stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.integer[Any]]

_K1: Final = 1.2
_B: Final = 0.75
_B_UNREAD: Final = 0.5  # a long text, not yet read, may well have a word twice
_LEAST_IDF: Final = 1e-6
_SPARE: Final = 1.25
"""How many times as many chunks are read as are wanted."""
_MOST_READ: Final = 3
_PROBED: Final = 60
_FEW_PASS: Final = 1 / 30
_MOST_PASS: Final = 1 / 2
_MOST_CHECKED: Final = 24_000
_CHECKED: Final = 4_000
_READ_CHARACTERS: Final = 16_000
_BREAK: Final = b" \xff "  # no text has this byte, so that no phrase goes on in the next
_APART: Final = re.compile(r"[\W_]+")
_FOLDED: Final = bytes(
    code if code >= 128 else ord(chr(code).lower()) if chr(code).isalnum() else ord(" ")  # noqa: PLR2004
    for code in range(256)
)


@dataclass(frozen=True, slots=True)
class _Matches:
    """What matches.

    Args:
        lists: The chunk ids of each atom.
        idf: What each is worth.
        lengths: Of the chunks.
    """

    lists: "Sequence[Ids]"
    idf: "Floats"
    lengths: Lengths

    def norm(self, ids: "Ids", b: float = _B) -> "Floats":
        """Return what their lengths do to the scores of chunks."""
        return np.asarray(_K1 * (1 - b + b * self.lengths.words[ids] / self.lengths.mean))


def best_matching(
    connection: apsw.Connection,
    postings: Postings,
    atoms: Sequence[Atom],
    unwanted: str | None,
    where: Conditions,
    fields: str,
    depth: int,
) -> list[tuple[Any, ...]]:
    """Return rows of ``fields`` and the BM25 of chunks that match any of ``atoms``, best first.

    Args:
        connection: A reader.
        postings: Reads what matches.
        atoms: What is asked.
        unwanted: An expression for what must not match.
        where: What a chunk must satisfy besides.
        fields: Columns of ``chunks c``, the first its id.
        depth: Rows at most.
    """
    last = last_chunk(connection)
    lists = [postings.ids(connection, atom.expression, last) for atom in atoms]
    lengths = postings.lengths(connection, last)
    counts = np.array([len(ids) for ids in lists], dtype=np.float64)
    idf = np.maximum(np.log((lengths.chunks - counts + 0.5).clip(0.5) / (counts + 0.5)), _LEAST_IDF)
    matches = _Matches(lists, idf, lengths)
    worth = np.zeros(last + 1, dtype=np.float32)
    for ids, value in zip(lists, idf, strict=True):
        worth[ids] += value
    if unwanted is not None:
        worth[_unwanted(connection, unwanted)] = 0.0
    if where.mask is not None:
        size = min(len(worth), len(where.mask))
        worth[:size] *= where.mask[:size]
    size = round(depth * _SPARE)
    ids = _promising(matches, worth, np.flatnonzero(worth > 0), _MOST_READ * depth)
    if where.narrows and len(ids) > size:
        passing = len(_passing(connection, ids[:_PROBED], where)) / _PROBED
        few = few_allowed(connection, where) if passing < _FEW_PASS else None
        if few is not None:
            ids = _promising(matches, worth, np.array(few, dtype=np.int64), _MOST_READ * depth)
        elif passing < _MOST_PASS:
            ids = _promising(matches, worth, np.flatnonzero(worth > 0), _MOST_CHECKED)
            ids = _first_passing(connection, ids, where, size)
    found: list[tuple[float, tuple[Any, ...]]] = []
    start = 0
    while start < len(ids) and len(found) < depth:
        found += _scored(connection, ids[start : start + size], atoms, matches, where, fields)
        start += size
    found.sort(key=lambda entry: (-entry[0], -entry[1][0]))
    return [(*row, score) for score, row in found[:depth]]


def _promising(matches: _Matches, worth: "NDArray[np.float32]", ids: "Ids", most: int) -> "Ids":
    """Return at most ``most`` of ``ids`` that match, by what each would score if it had its words once."""
    ids = ids[worth[ids] > 0]
    promise = worth[ids] / (1 + matches.norm(ids, _B_UNREAD))
    if len(ids) > most:
        kept = np.argpartition(-promise, most)[:most]
        ids, promise = ids[kept], promise[kept]
    return np.asarray(ids[np.lexsort((-ids, -promise))])


def _passing(connection: apsw.Connection, ids: "Ids", where: Conditions) -> "Ids":
    """Return those of ``ids`` that satisfy ``where``, in their order."""
    rows = connection.execute(
        f"SELECT c.id FROM chunks c WHERE c.id IN (SELECT value FROM json_each(?)) AND {where.check}",
        (json.dumps(np.sort(ids).tolist()), *where.values),
    )
    passing = np.array([row[0] for row in rows], dtype=np.int64)
    return np.asarray(ids[np.isin(ids, passing)])


def _first_passing(connection: apsw.Connection, ids: "Ids", where: Conditions, most: int) -> "Ids":
    """Return the first of ``ids`` that satisfy ``where``, about ``most``."""
    found = [ids[:0]]
    for start in range(0, len(ids), _CHECKED):
        found.append(_passing(connection, ids[start : start + _CHECKED], where))
        if sum(map(len, found)) >= most:
            break
    return np.concatenate(found)


def _unwanted(connection: apsw.Connection, expression: str) -> list[int]:
    return [int(str(row[0])) for row in connection.execute("SELECT rowid FROM chunks_fts(?)", (expression,))]


def _scored(
    connection: apsw.Connection,
    ids: "Ids",
    atoms: Sequence[Atom],
    matches: _Matches,
    where: Conditions,
    fields: str,
) -> list[tuple[float, tuple[Any, ...]]]:
    rows = connection.execute(
        f"SELECT {fields}, substr(c.text, 1, {_READ_CHARACTERS}) FROM chunks c"
        f" WHERE c.id IN (SELECT value FROM json_each(?)) AND {where.check}",
        (json.dumps(np.sort(ids).tolist()), *where.values),
    ).fetchall()
    if not rows:
        return []
    places = np.array([row[0] for row in rows], dtype=np.int64)
    counts = _counts([str(row[-1]) for row in rows], atoms)
    score, norm = np.zeros(len(rows)), matches.norm(places)
    for column, (found, idf) in enumerate(zip(matches.lists, matches.idf, strict=True)):
        there = _among(places, found)
        times = np.maximum(counts[:, column], 1.0)
        score += there * idf * times * (_K1 + 1) / (times + norm)
    return [(value, row[:-1]) for value, row in zip(score.tolist(), rows, strict=True)]


def _among(places: "Ids", ids: "Ids") -> "NDArray[np.bool_]":
    if not len(ids):
        return np.zeros(len(places), dtype=np.bool_)
    at = np.minimum(np.searchsorted(ids, places), len(ids) - 1)
    return np.asarray(ids[at] == places)


def _counts(texts: Sequence[str], atoms: Sequence[Atom]) -> "Floats":
    """Return how often each text has the words of each atom; 0 throughout for an atom that is no words."""
    apart = [_encoded(text) for text in texts]
    joined = (_BREAK + _BREAK.join(apart) + _BREAK).translate(_FOLDED)
    starts = [0, *accumulate(len(text) + len(_BREAK) for text in apart)][:-1]
    counts = np.zeros((len(texts), len(atoms)))
    for column, atom in enumerate(atoms):
        if atom.words:
            rows = np.searchsorted(starts, _places(joined, atom.words), side="right") - 1
            counts[:, column] = np.bincount(rows, minlength=len(texts))
    return counts


def _encoded(text: str) -> bytes:
    """Return ``text`` as bytes of which ``_FOLDED`` makes its words, each between spaces."""
    if text.isascii():
        return text.encode("ascii")
    return _APART.sub(" ", fold(text)).encode("utf-8", "replace")


def beginning(root: str) -> str:
    """Return how every word of the stem ``root`` begins; its last letter may have been another: happi, hope."""
    return root[:-1] if len(root) > 1 and root.endswith(("i", "e", "bl")) else root


def _places(joined: bytes, words: Sequence[str]) -> list[int]:
    """Return where words of the same stems as ``words`` stand one after the other."""
    first, *rest = (stem(word) for word in words)
    sought, same, find = f" {beginning(first)}".encode(), dict[bytes, bool](), joined.find
    found: list[int] = []
    place = find(sought)
    while place >= 0:
        end = find(b" ", place + 1)
        word = joined[place + 1 : end]
        is_same = same.get(word)
        if is_same is None:
            is_same = same[word] = stem(word.decode("utf-8", "replace")) == first
        if is_same and (not rest or _follow(joined, end, rest)):
            found.append(place)
        place = find(sought, end)
    return found


def _follow(joined: bytes, place: int, roots: Sequence[str]) -> bool:
    for root in roots:
        begun = place
        while joined[begun : begun + 1] == b" ":
            begun += 1
        place = joined.find(b" ", begun)
        if stem(joined[begun:place].decode("utf-8", "replace")) != root:
            return False
    return True
