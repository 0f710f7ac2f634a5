"""Lexical retriever: chunks that have any word of a query, best BM25 first.

Posting lists give the chunks with each word, and an estimate that takes each word as occurring once selects the most
promising. Only their texts are read to count the words for the exact BM25 of FTS5. A result can be missed only where a
chunk repeats its words far more often than others.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

from app.core.text_rules.spellings import fold
from app.index.chunk_texts import read_texts
from app.index.columns.chunk_columns import ChunkColumns
from app.index.columns.posting_cache import PostingList
from app.retrieval.bm25 import B, fts5_idf, length_norm, term_frequency
from app.retrieval.candidates.filter_check import passes_filter
from app.retrieval.candidates.filters import ChunkFilter, small_match_set
from app.retrieval.query.match_expression import Atom
from app.retrieval.snapshot import SearchSnapshot
from app.store.words.tokenizer import KEPT, root

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.integer[Any]]
    Flags = NDArray[np.bool_]

_B_UNREAD: Final = 0.5  # a long text may well have a word twice
_SPARE: Final = 1.25
"""Factor by which more chunks are read than wanted."""
_MOST_READ: Final = 3
_SAMPLED: Final = 16
_SURE: Final = 2  # safety factor of the sample
_PROBED: Final = 60
_FEW_PASS: Final = 1 / 30
_MOST_PASS: Final = 1 / 2
_MOST_CHECKED: Final = 24_000
_CHECKED: Final = 4_000
_READ_CHARACTERS: Final = 16_000
_BREAK: Final = b" \xff "  # no text has this byte, so phrases do not cross texts
_APART: Final = re.compile(r"[\W_]+")
_FOLDED: Final = bytes(
    code if code >= 128 else ord(chr(code).lower()) if chr(code).isalnum() else ord(" ")  # noqa: PLR2004
    for code in range(256)
)


@dataclass(frozen=True, slots=True)
class TermMatches:
    """Posting lists of a query's words, with their weights.

    Args:
        atoms: Atomic expressions of the query.
        postings: Posting list of each atom.
        idf: Inverse document frequency of each atom.
        worth: Summed inverse document frequency of the matching atoms by chunk id.
        columns: Columns of all chunks.
    """

    atoms: "Sequence[Atom]"
    postings: "Sequence[PostingList]"
    idf: "Floats"
    worth: "NDArray[np.float32]"
    columns: ChunkColumns

    def norm(self, ids: "Ids", b: float = B) -> "Floats":
        """Return the length normalisation of chunks in BM25."""
        return length_norm(self.columns.length[ids] / self.columns.mean_length, b)


def find_matches(snapshot: SearchSnapshot, atoms: Sequence[Atom]) -> TermMatches:
    """Return the posting lists of ``atoms``."""
    last, columns, read = snapshot.last_chunk, snapshot.columns, snapshot.index_cache.posting
    postings = [_up_to(read(snapshot.connection, atom.expression, _term(atom), last), last) for atom in atoms]
    idf = np.array([fts5_idf(columns.read, len(posting.ids)) for posting in postings], dtype=np.float64)
    worth = np.zeros(last + 1, dtype=np.float32)
    for posting, value in zip(postings, idf, strict=True):
        worth[posting.ids.astype(np.intp)] += value  # indexing with small integers is half as fast
    return TermMatches(atoms, postings, idf, worth, columns)


def _up_to(posting: PostingList, last: int) -> PostingList:
    """Return ``posting`` without chunks above the id ``last``."""
    end = int(np.searchsorted(posting.ids, last, side="right"))
    return posting if end == len(posting.ids) else PostingList(posting.ids[:end], posting.times[:end])


def _term(atom: Atom) -> str:
    """Return the single index term of ``atom``, ``""`` where there is none.

    There is none for several words, nor where folding might differ from the index.
    """
    stem = root(atom.words[0]) if len(atom.words) == 1 else ""
    return stem if atom.expression.isascii() or stem.endswith(KEPT) else ""


def best_matches(
    snapshot: SearchSnapshot,
    matches: TermMatches,
    unwanted: str | None,
    where: ChunkFilter,
    depth: int,
    allowed: "Flags | None" = None,
) -> "tuple[Ids, Floats]":
    """Return the chunks that match any of the atoms with their BM25, best first.

    Args:
        snapshot: The index.
        matches: Posting lists of the query.
        unwanted: FTS expression that chunks must not match.
        where: Filter of the chunks.
        depth: Number of chunks at most.
        allowed: Mask of the chunks that may match, by id; all when ``None``.
    """
    worth = matches.worth
    if unwanted is not None:
        worth = worth.copy()
        worth[_unwanted(snapshot.connection, unwanted)] = 0.0
    ids = _chunks_to_read(snapshot, matches, worth, where, depth)
    size = round(depth * _SPARE)
    parts, scores = [ids[:0]], [np.zeros(0)]
    start = 0
    while start < len(ids) and sum(map(len, parts)) < depth:
        part = ids[start : start + size]
        kept = passes_filter(snapshot, part, where)
        part = part[kept if allowed is None else kept & allowed[part]]
        parts.append(part)
        scores.append(_scores(snapshot.connection, part, matches))
        start += size
    best, score = np.concatenate(parts), np.concatenate(scores)
    order = np.lexsort((-best, -score))[:depth]
    return best[order], score[order]


def _chunks_to_read(
    snapshot: SearchSnapshot, matches: TermMatches, worth: "NDArray[np.float32]", where: ChunkFilter, depth: int
) -> "Ids":
    """Return the chunks to score exactly, the most promising first."""
    size = round(depth * _SPARE)
    matches_any = worth > 0
    if where.mask is not None:
        size_known = min(len(worth), len(where.mask))
        matches_any[:size_known] &= where.mask[:size_known]
    matching = np.flatnonzero(matches_any)
    ids = _promising(matches, worth, matching, _MOST_READ * depth)
    if where.is_restrictive and len(ids) > size:
        share = np.count_nonzero(passes_filter(snapshot, ids[:_PROBED], where)) / _PROBED
        few = small_match_set(snapshot.connection, where) if share < _FEW_PASS else None
        if few is not None:
            known = np.array(few, dtype=np.int64)
            return _promising(matches, worth, known[matches_any[known]], _MOST_READ * depth)
        if share < _MOST_PASS:
            ids = _promising(matches, worth, matching, _MOST_CHECKED)
            return _first_passing(snapshot, ids, where, size)
    return ids


def _promising(matches: TermMatches, worth: "NDArray[np.float32]", ids: "Ids", most: int) -> "Ids":
    """Return at most ``most`` of ``ids``, ranked by an estimate of their BM25.

    The estimate takes each word as occurring once.
    """
    promise = worth[ids] / (1 + matches.norm(ids, _B_UNREAD))
    if len(ids) > _SAMPLED * most:
        # A threshold estimated from a sample leaves few to sort.
        sample = promise[::_SAMPLED]
        nth = len(sample) - _SURE * most // _SAMPLED
        kept = np.flatnonzero(promise >= np.partition(sample, nth)[nth])
        if len(kept) >= most:
            ids, promise = ids[kept], promise[kept]
    if len(ids) > most:
        kept = np.argpartition(-promise, most)[:most]
        ids, promise = ids[kept], promise[kept]
    return np.asarray(ids[np.lexsort((-ids, -promise))])


def _first_passing(snapshot: SearchSnapshot, ids: "Ids", where: ChunkFilter, most: int) -> "Ids":
    """Return about ``most`` of ``ids``, the first that satisfy ``where``."""
    parts = [ids[:0]]
    for start in range(0, len(ids), _CHECKED):
        part = ids[start : start + _CHECKED]
        parts.append(part[passes_filter(snapshot, part, where)])
        if sum(map(len, parts)) >= most:
            break
    return np.concatenate(parts)


def _unwanted(connection: apsw.Connection, expression: str) -> list[int]:
    return [int(str(row[0])) for row in connection.execute("SELECT rowid FROM chunks_fts(?)", (expression,))]


def _scores(connection: apsw.Connection, ids: "Ids", matches: TermMatches) -> "Floats":
    """Return the BM25 of existing chunks."""
    counts = [_known_counts(ids, posting) for posting in matches.postings]
    unknown = [
        (times == 0) & there if atom.words else None for atom, (there, times) in zip(matches.atoms, counts, strict=True)
    ]
    _count_in_texts(connection, ids, matches.atoms, unknown, [times for _, times in counts])
    score, norm = np.zeros(len(ids)), matches.norm(ids)
    for (there, counted), idf in zip(counts, matches.idf, strict=True):
        score += there * idf * term_frequency(np.maximum(counted, 1.0), norm)
    return score


def _known_counts(places: "Ids", posting: PostingList) -> "tuple[Flags, Floats]":
    """Return which of ``places`` have the word, and its count where known."""
    if not len(posting.ids):
        return np.zeros(len(places), dtype=np.bool_), np.zeros(len(places))
    at = np.minimum(np.searchsorted(posting.ids, places), len(posting.ids) - 1)
    there = posting.ids[at] == places
    return there, np.where(there, posting.times[at], 0).astype(np.float64)


def _count_in_texts(
    connection: apsw.Connection,
    ids: "Ids",
    atoms: Sequence[Atom],
    unknown: "Sequence[Flags | None]",
    times: "Sequence[Floats]",
) -> None:
    """Count words in the texts of chunks whose counts the index did not give."""
    lacking = [number for number, flags in enumerate(unknown) if flags is not None and flags.any()]
    if not lacking:
        return
    places = np.flatnonzero(np.any([flags for flags in unknown if flags is not None], axis=0))
    texts = read_texts(connection, ids[places].tolist(), _READ_CHARACTERS)
    read = [texts.get(chunk, "") for chunk in ids[places].tolist()]
    counts = _counts(read, [atoms[number] for number in lacking])
    for column, number in enumerate(lacking):
        rows = np.asarray(unknown[number])[places]
        times[number][places[rows]] = counts[rows, column]


def _counts(texts: Sequence[str], atoms: Sequence[Atom]) -> "Floats":
    """Return the count of each atom in each text; 0 for prefixes and pairs."""
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
    """Return ``text`` as bytes that ``_FOLDED`` translates into words between spaces."""
    if text.isascii():
        return text.encode("ascii")
    return _APART.sub(" ", fold(text)).encode("utf-8", "replace")


def beginning(of_word: str) -> str:
    """Return the common prefix of all words with a root.

    The last letter of a stem may differ from that of a word: happi (happy), hope (hoping).
    """
    bare = of_word.removesuffix(KEPT)
    return bare[:-1] if len(bare) > 1 and bare.endswith(("i", "e", "bl")) else bare


def _places(joined: bytes, words: Sequence[str]) -> list[int]:
    """Return the positions of phrases whose words have the same roots as ``words``."""
    first, *rest = map(root, words)
    start_of_word, same, find = f" {beginning(first)}".encode(), dict[bytes, bool](), joined.find
    hits: list[int] = []
    place = find(start_of_word)
    while place >= 0:
        end = find(b" ", place + 1)
        word = joined[place + 1 : end]
        is_same = same.get(word)
        if is_same is None:
            is_same = same[word] = root(word.decode("utf-8", "replace")) == first
        if is_same and (not rest or _follow(joined, end, rest)):
            hits.append(place)
        place = find(start_of_word, end)
    return hits


def _follow(joined: bytes, place: int, roots: Sequence[str]) -> bool:
    for wanted in roots:
        begun = place
        while joined[begun : begun + 1] == b" ":
            begun += 1
        place = joined.find(b" ", begun)
        if root(joined[begun:place].decode("utf-8", "replace")) != wanted:
            return False
    return True
