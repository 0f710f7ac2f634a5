"""Posting lists of terms and expressions, read from FTS5 and kept for the recent ones.

The words of a chunk never change and its id is never used again, so a list that was read stays true: later chunks are
appended, and a deleted chunk is noticed by the reader that looks it up.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

from app.index.columns.session_frequency import EMPTY, SessionTermFrequency, add_frequencies, count_by_session
from app.index.id_arrays import parse_ids
from app.store.connection import VOCABULARY_TABLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.index.columns.chunk_columns import ChunkColumns

    Ids = NDArray[np.integer[Any]]
    Sizes = NDArray[np.uint16]

KEPT_IDS: Final = 4_000_000
"""Ids that are kept in any vault, six bytes each with the term frequency."""
KEPT_SHARE: Final = 16
"""Ids that are kept per chunk of a large vault: the most frequent words are in many chunks."""
KEPT_COUNTS: Final = 20_000
MAX_TIMES: Final = 0xFFFF
_TERM: Final = "term "  # no expression begins like this
_FREQUENCIES_SHARE: Final = 4  # session frequencies take about this share of the ids' memory
_OVERHEAD: Final = 128  # memory of an entry apart from its ids, counted in ids
_NO_IDS: "Final[Ids]" = np.zeros(0, dtype=np.int64)
_NO_TIMES: "Final[Sizes]" = np.zeros(0, dtype=np.uint16)


@dataclass(frozen=True, slots=True)
class PostingList:
    """The chunks that match an expression.

    Args:
        ids: Chunk ids, ascending.
        times: How often each chunk contains the term; 0 where that is not known.
    """

    ids: "Ids"
    times: "Sizes"
    _frequencies: list[tuple[int, SessionTermFrequency]] = field(default_factory=list, repr=False, compare=False)

    def session_frequency(self, columns: "ChunkColumns") -> SessionTermFrequency:
        """Return the term's frequency in each session, counted once and kept.

        Args:
            columns: The columns of all chunks in the list.
        """
        counted, frequency = self._frequencies[-1] if self._frequencies else (0, EMPTY)
        if counted < len(self.ids):
            frequency = add_frequencies(frequency, count_by_session(columns, self.ids[counted:]))
            self._frequencies.append((len(self.ids), frequency))
        return frequency

    def continued(self, later: "PostingList") -> "PostingList":
        """Return this list followed by ``later`` chunks; session frequencies counted so far are kept."""
        if not len(later.ids):
            return self
        ids = np.concatenate([self.ids, later.ids.astype(self.ids.dtype)])
        return PostingList(ids, np.concatenate([self.times, later.times]), self._frequencies[-1:])


_EMPTY: Final = PostingList(_NO_IDS, _NO_TIMES)


class PostingCache:
    """Posting lists and counts of recent expressions; safe to use from several threads.

    The least recently used ones are dropped when they take more room than ``max_kept_ids`` allows.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lists: OrderedDict[str, tuple[int, PostingList]] = OrderedDict()
        self._size = 0
        self._counts: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def posting(self, connection: apsw.Connection, expression: str, term: str, last: int) -> PostingList:
        """Return the chunks that match an expression, some of which may have been deleted since.

        Args:
            connection: A reader.
            expression: The argument of ``MATCH``.
            term: The single term of the index that the expression stands for; ``""`` for any other expression.
            last: The highest chunk id.
        """
        key = _TERM + term if term else expression  # inflected forms of a word share one list
        with self._lock:
            read_up_to, postings = self._lists.get(key, (0, _EMPTY))
            if read_up_to:
                self._lists.move_to_end(key)
        if read_up_to < last:
            later = _read_term(connection, term) if term and not read_up_to else None
            later = later or _read_matches(connection, expression, read_up_to)
            if last <= np.iinfo(np.int32).max:
                later = PostingList(later.ids.astype(np.int32), later.times)
            postings = postings.continued(later) if len(postings.ids) else later
            self._keep(key, last, postings)
        with self._lock:
            self._keep_count(expression, last, len(postings.ids))
        return postings

    def count(self, connection: apsw.Connection, expression: str, last: int) -> int:
        """Return how many chunks match an expression, including some that may have been deleted since.

        Args:
            connection: A reader.
            expression: The argument of ``MATCH``.
            last: The highest chunk id.
        """
        with self._lock:
            counted_up_to, count = self._counts.get(expression, (0, 0))
        if counted_up_to < last:
            sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid > ?"
            count += int(connection.execute(sql, (expression, counted_up_to)).get)
            with self._lock:
                self._keep_count(expression, last, count)
        return count

    def _keep(self, key: str, last: int, posting: PostingList) -> None:
        limit = max_kept_ids(last)
        with self._lock:
            if not 0 < len(posting.ids) <= limit // 4 or last > np.iinfo(np.int32).max:
                return
            before = self._lists.pop(key, None)
            self._size += _size_in_ids(posting) - (_size_in_ids(before[1]) if before else 0)
            self._lists[key] = (last, posting)
            while self._size > limit:
                self._size -= _size_in_ids(self._lists.popitem(last=False)[1][1])

    def _keep_count(self, expression: str, last: int, count: int) -> None:
        self._counts[expression] = (last, count)
        self._counts.move_to_end(expression)
        while len(self._counts) > KEPT_COUNTS:
            self._counts.popitem(last=False)


def max_kept_ids(last: int) -> int:
    """Return the most ids to keep, given the highest chunk id of the vault."""
    return max(KEPT_IDS, KEPT_SHARE * last)


def _size_in_ids(posting: PostingList) -> int:
    """Return the size of a posting list with its session frequencies, counted in ids."""
    return len(posting.ids) + len(posting.ids) // _FREQUENCIES_SHARE + _OVERHEAD


def _read_matches(connection: apsw.Connection, expression: str, after: int) -> PostingList:
    sql = "SELECT group_concat(rowid, ' ') FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid > ?"
    listed = connection.execute(sql, (expression, after)).get
    if listed is None:
        return _EMPTY
    ids = parse_ids(listed)
    return PostingList(ids, np.zeros(len(ids), dtype=np.uint16))


def _read_term(connection: apsw.Connection, term: str) -> PostingList | None:
    """Return the posting list of a term with frequencies, ``None`` without the vocabulary table."""
    if connection.execute("SELECT 1 FROM temp.sqlite_master WHERE name = ?", (VOCABULARY_TABLE,)).get is None:
        return None
    # The table has one row per occurrence; those of one chunk stand together.
    listed = connection.execute(
        f"SELECT group_concat(doc, ' ') FROM temp.{VOCABULARY_TABLE} WHERE term = ?", (term,)
    ).get
    if listed is None:
        return _EMPTY
    occurrences = parse_ids(listed)
    starts = np.flatnonzero(np.diff(occurrences, prepend=-1))
    times = np.diff(starts, append=len(occurrences))
    return PostingList(occurrences[starts], np.minimum(times, MAX_TIMES).astype(np.uint16))
