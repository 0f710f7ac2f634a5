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

from app.index.columns.chunk_columns import ChunkColumns
from app.index.columns.chunk_lengths import ChunkLengths, last_chunk
from app.index.columns.index_cache import IndexCache
from app.index.columns.posting_cache import PostingList
from app.retrieval.candidates.filter_check import passes_filter
from app.retrieval.candidates.filters import ChunkFilter, small_match_set
from app.retrieval.query.match_expression import Atom, fold, stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.integer[Any]]
    Flags = NDArray[np.bool_]

_K1: Final = 1.2
_B: Final = 0.75
_B_UNREAD: Final = 0.5  # a long text, not yet read, may well have a word twice
_LEAST_IDF: Final = 1e-6
_SPARE: Final = 1.25
"""How many times as many chunks are read as are wanted."""
_MOST_READ: Final = 3
_SAMPLED: Final = 16
_SURE: Final = 2  # so many times what is wanted is taken for sure to hold it
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
class TermMatches:
    """What matches.

    Args:
        atoms: What is asked.
        postings: The chunks that each has.
        idf: What each is worth.
        worth: By chunk id, what the atoms that it has are worth together.
        lengths: Of the chunks.
        columns: What else is known of them.
        last: The highest chunk id there is.
    """

    atoms: "Sequence[Atom]"
    postings: "Sequence[PostingList]"
    idf: "Floats"
    worth: "NDArray[np.float32]"
    lengths: ChunkLengths
    columns: ChunkColumns
    last: int

    def norm(self, ids: "Ids", b: float = _B) -> "Floats":
        """Return what their lengths do to the scores of chunks."""
        return np.asarray(_K1 * (1 - b) + _K1 * b / self.lengths.mean * self.lengths.words[ids])


def find_matches(connection: apsw.Connection, index_cache: IndexCache, atoms: Sequence[Atom]) -> TermMatches:
    """Return which chunks have each of ``atoms``."""
    last = last_chunk(connection)
    found = [_upto(index_cache.posting(connection, atom.expression, _term(atom), last), last) for atom in atoms]
    lengths = index_cache.lengths(connection, last)
    counts = np.array([len(one.ids) for one in found], dtype=np.float64)
    idf = np.maximum(np.log((lengths.chunks - counts + 0.5).clip(0.5) / (counts + 0.5)), _LEAST_IDF)
    worth = np.zeros(last + 1, dtype=np.float32)
    for posting, value in zip(found, idf, strict=True):
        worth[posting.ids.astype(np.intp)] += value  # as small numbers they would be looked up at half the speed
    return TermMatches(atoms, found, idf, worth, lengths, index_cache.columns(connection, last), last)


def _upto(posting: PostingList, last: int) -> PostingList:
    """Return ``posting`` without what others have read of later chunks."""
    end = int(np.searchsorted(posting.ids, last, side="right"))
    return posting if end == len(posting.ids) else PostingList(posting.ids[:end], posting.times[:end])


def _term(atom: Atom) -> str:
    """Return the one word of the index that ``atom`` asks for; ``""`` for several, and where folding might differ."""
    return stem(atom.words[0]) if len(atom.words) == 1 and atom.expression.isascii() else ""


def best_matches(
    connection: apsw.Connection,
    matches: TermMatches,
    unwanted: str | None,
    where: ChunkFilter,
    depth: int,
    besides: "Flags | None" = None,
) -> "tuple[Ids, Floats]":
    """Return the chunks that match any of the atoms and their BM25, best first.

    Args:
        connection: A reader.
        matches: What matches.
        unwanted: An expression for what must not match.
        where: What a chunk must satisfy besides.
        depth: Chunks at most.
        besides: Which chunks may be looked at, by id; all when ``None``.
    """
    worth = matches.worth
    if unwanted is not None:
        worth = worth.copy()
        worth[_unwanted(connection, unwanted)] = 0.0
    if where.mask is not None:
        size = min(len(worth), len(where.mask))
        worth = np.append(worth[:size] * where.mask[:size], worth[size:])
    ids = _to_read(connection, matches, worth, where, depth)
    size = round(depth * _SPARE)
    found, scores = [ids[:0]], [np.zeros(0)]
    start = 0
    while start < len(ids) and sum(map(len, found)) < depth:
        part = ids[start : start + size]
        kept = passes_filter(connection, matches.columns, part, where)
        part = part[kept if besides is None else kept & besides[part]]
        found.append(part)
        scores.append(_scores(connection, part, matches))
        start += size
    best, score = np.concatenate(found), np.concatenate(scores)
    order = np.lexsort((-best, -score))[:depth]
    return best[order], score[order]


def _to_read(
    connection: apsw.Connection, matches: TermMatches, worth: "NDArray[np.float32]", where: ChunkFilter, depth: int
) -> "Ids":
    """Return whom to look at closely, the most promising first."""
    size = round(depth * _SPARE)
    matching = np.flatnonzero(worth > 0)
    ids = _promising(matches, worth, matching, _MOST_READ * depth)
    if where.narrows and len(ids) > size:
        share = np.count_nonzero(passes_filter(connection, matches.columns, ids[:_PROBED], where)) / _PROBED
        few = small_match_set(connection, where) if share < _FEW_PASS else None
        if few is not None:
            known = np.array(few, dtype=np.int64)
            return _promising(matches, worth, known[worth[known] > 0], _MOST_READ * depth)
        if share < _MOST_PASS:
            ids = _promising(matches, worth, matching, _MOST_CHECKED)
            return _first_passing(connection, matches, ids, where, size)
    return ids


def _promising(matches: TermMatches, worth: "NDArray[np.float32]", ids: "Ids", most: int) -> "Ids":
    """Return at most ``most`` of ``ids`` by what each would score if it had its words once, the best first."""
    promise = worth[ids] / (1 + matches.norm(ids, _B_UNREAD))
    if len(ids) > _SAMPLED * most:
        # The least promise of those that stand out, seen in a few of them, leaves few to be put in order.
        sample = promise[::_SAMPLED]
        nth = len(sample) - _SURE * most // _SAMPLED
        kept = np.flatnonzero(promise >= np.partition(sample, nth)[nth])
        if len(kept) >= most:
            ids, promise = ids[kept], promise[kept]
    if len(ids) > most:
        kept = np.argpartition(-promise, most)[:most]
        ids, promise = ids[kept], promise[kept]
    return np.asarray(ids[np.lexsort((-ids, -promise))])


def _first_passing(
    connection: apsw.Connection, matches: TermMatches, ids: "Ids", where: ChunkFilter, most: int
) -> "Ids":
    """Return the first of ``ids`` that satisfy ``where``, about ``most``."""
    found = [ids[:0]]
    for start in range(0, len(ids), _CHECKED):
        part = ids[start : start + _CHECKED]
        found.append(part[passes_filter(connection, matches.columns, part, where)])
        if sum(map(len, found)) >= most:
            break
    return np.concatenate(found)


def _unwanted(connection: apsw.Connection, expression: str) -> list[int]:
    return [int(str(row[0])) for row in connection.execute("SELECT rowid FROM chunks_fts(?)", (expression,))]


def _scores(connection: apsw.Connection, ids: "Ids", matches: TermMatches) -> "Floats":
    """Return the BM25 of chunks that are there."""
    found = [_times_of(ids, posting) for posting in matches.postings]
    unknown = [
        (times == 0) & there if atom.words else None for atom, (there, times) in zip(matches.atoms, found, strict=True)
    ]
    _read_times(connection, ids, matches.atoms, unknown, [times for _, times in found])
    score, norm = np.zeros(len(ids)), matches.norm(ids)
    for (there, counted), idf in zip(found, matches.idf, strict=True):
        times = np.maximum(counted, 1.0)
        score += there * idf * times * (_K1 + 1) / (times + norm)
    return score


def _times_of(places: "Ids", posting: PostingList) -> "tuple[Flags, Floats]":
    """Return which of ``places`` have the word, and how often as far as that is known."""
    if not len(posting.ids):
        return np.zeros(len(places), dtype=np.bool_), np.zeros(len(places))
    at = np.minimum(np.searchsorted(posting.ids, places), len(posting.ids) - 1)
    there = posting.ids[at] == places
    return there, np.where(there, posting.times[at], 0).astype(np.float64)


def _read_times(
    connection: apsw.Connection,
    ids: "Ids",
    atoms: Sequence[Atom],
    unknown: "Sequence[Flags | None]",
    times: "Sequence[Floats]",
) -> None:
    """Fill in how often chunks have their words where the index did not say, from their texts."""
    lacking = [number for number, flags in enumerate(unknown) if flags is not None and flags.any()]
    if not lacking:
        return
    places = np.flatnonzero(np.any([flags for flags in unknown if flags is not None], axis=0))
    texts = dict(
        connection.execute(
            f"SELECT c.id, substr(c.text, 1, {_READ_CHARACTERS}) FROM chunks c"
            " WHERE c.id IN (SELECT value FROM json_each(?))",
            (json.dumps(np.sort(ids[places]).tolist()),),
        )
    )
    read = [str(texts.get(chunk, "")) for chunk in ids[places].tolist()]
    counts = _counts(read, [atoms[number] for number in lacking])
    for column, number in enumerate(lacking):
        rows = np.asarray(unknown[number])[places]
        times[number][places[rows]] = counts[rows, column]


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
