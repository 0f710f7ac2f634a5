"""Which chunks match a word, as arrays: read from FTS5 in one piece, and kept for words that many chunks have.

A chunk's words never change and its id is never given again, so what was read stays true: later chunks are added to it,
and of those that went whoever looks a chunk up finds nothing.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

from app.index.columns.chunk_columns import ChunkColumnCache, ChunkColumns
from app.index.columns.chunk_lengths import ChunkLengths, extend_lengths
from app.index.columns.message_index import MessageIndex
from app.index.columns.session_agents import SessionAgents
from app.index.columns.session_frequency import EMPTY, SessionTermFrequency, add_frequencies, count_by_session
from app.index.columns.style_cache import StyleFeatureCache
from app.index.columns.text_cache import TextCache
from app.store.connection import WORDS_TABLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]
    Sizes = NDArray[np.uint16]

KEPT_IDS: Final = 4_000_000
"""Ids kept at most, six bytes each with how often the word is there; more of a large index."""
KEPT_SHARE: Final = 16
"""How many times as many ids as there are chunks may be kept: the words asked for most are in many of them."""
KEPT_COUNTS: Final = 20_000
_TERM: Final = "term "  # no expression begins like this
_ENTRY: Final = 128  # what an entry takes besides, in ids
MOST_TIMES: Final = 0xFFFF
_NO_IDS: "Final[Ids]" = np.zeros(0, dtype=np.int64)
_NO_TIMES: "Final[Sizes]" = np.zeros(0, dtype=np.uint16)


@dataclass(frozen=True, slots=True)
class PostingList:
    """The chunks that match, ascending, and how often each has the word; 0 where that is not known."""

    ids: "Ids"
    times: "Sizes"
    _tally: list[tuple[int, SessionTermFrequency]] = field(default_factory=list, repr=False, compare=False)

    def session_frequency(self, columns: ChunkColumns) -> SessionTermFrequency:
        """Return the conversations of the chunks, counted the first time that it is asked for.

        Args:
            heads: What is known of the chunks.
        """
        counted, found = self._tally[-1] if self._tally else (0, EMPTY)
        if counted < len(self.ids):
            found = add_frequencies(found, count_by_session(columns, self.ids[counted:]))
            self._tally.append((len(self.ids), found))
        return found

    def continued(self, later: "PostingList") -> "PostingList":
        """Return this with ``later`` chunks; what was counted need not be counted again."""
        if not len(later.ids):
            return self
        ids = np.concatenate([self.ids, later.ids.astype(self.ids.dtype)])
        return PostingList(ids, np.concatenate([self.times, later.times]), self._tally[-1:])


_NOTHING: Final = PostingList(_NO_IDS, _NO_TIMES)


class IndexCache:
    """Reads and keeps lists of chunk ids; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[int, PostingList]] = OrderedDict()
        self._size = 0
        self._counts: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._lengths = ChunkLengths(np.zeros(1, dtype=np.uint16), 0, 1.0)
        self.agents = SessionAgents()
        self.texts = TextCache()
        self.style_features = StyleFeatureCache()
        self.messages = MessageIndex()
        self._heads = ChunkColumnCache()

    def columns(self, connection: apsw.Connection, last: int) -> ChunkColumns:
        """Return what is known of chunks up to the id ``last`` at least, besides their words."""
        return self._heads.refresh(connection, last, self.lengths(connection, last))

    def ids(self, connection: apsw.Connection, expression: str, last: int) -> "Ids":
        """Return the ids of chunks that match ``expression``, ascending; see ``posting``."""
        return self.posting(connection, expression, "", last).ids

    def posting(self, connection: apsw.Connection, expression: str, term: str, last: int) -> PostingList:
        """Return which chunks match ``expression``.

        Args:
            connection: A reader.
            expression: For ``MATCH``.
            term: The one word of the index that it asks for, ``""`` where it asks for another thing.
            last: The highest chunk id there is.
        """
        key = _TERM + term if term else expression  # forms of a word have one list
        with self._lock:
            upto, kept = self._kept.get(key, (0, _NOTHING))
            if upto:
                self._kept.move_to_end(key)
        if upto < last:
            later = _with_times(connection, term) if term and not upto else None
            later = later or _matching(connection, expression, upto)
            if last <= np.iinfo(np.int32).max:
                later = PostingList(later.ids.astype(np.int32), later.times)
            kept = kept.continued(later) if len(kept.ids) else later
            self._keep(key, last, kept)
        with self._lock:
            self._note_count(expression, last, len(kept.ids))
        return kept

    def _keep(self, key: str, last: int, posting: PostingList) -> None:
        most = max_kept_ids(last)
        with self._lock:
            if not 0 < len(posting.ids) <= most // 4 or last > np.iinfo(np.int32).max:
                return
            before = self._kept.pop(key, None)
            self._size += _room(posting) - (_room(before[1]) if before else 0)
            self._kept[key] = (last, posting)
            while self._size > most:
                self._size -= _room(self._kept.popitem(last=False)[1][1])

    def count(self, connection: apsw.Connection, expression: str, last: int) -> int:
        """Return how many chunks match ``expression``, of which some may be gone; see ``ids``."""
        with self._lock:
            upto, count = self._counts.get(expression, (0, 0))
        if upto < last:
            sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid > ?"
            count += int(connection.execute(sql, (expression, upto)).get)
            with self._lock:
                self._note_count(expression, last, count)
        return count

    def _note_count(self, expression: str, last: int, count: int) -> None:
        self._counts[expression] = (last, count)
        self._counts.move_to_end(expression)
        while len(self._counts) > KEPT_COUNTS:
            self._counts.popitem(last=False)

    def lengths(self, connection: apsw.Connection, last: int) -> ChunkLengths:
        """Return the lengths of chunks up to the id ``last`` at least."""
        known = self._lengths
        if len(known.words) <= last:
            known = extend_lengths(connection, known, last)
            with self._lock:
                if len(known.words) > len(self._lengths.words):
                    self._lengths = known
        return known


def max_kept_ids(last: int) -> int:
    """Return how many ids are kept at most of a vault with so many chunks."""
    return max(KEPT_IDS, KEPT_SHARE * last)


def _room(posting: PostingList) -> int:
    """Return what a list takes, in ids; of its conversations there are far fewer."""
    return len(posting.ids) + len(posting.ids) // 4 + _ENTRY


def _matching(connection: apsw.Connection, expression: str, after: int) -> PostingList:
    # As one text: a row each would cost ten times as much.
    sql = "SELECT group_concat(rowid, ' ') FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid > ?"
    found = connection.execute(sql, (expression, after)).get
    if found is None:
        return _NOTHING
    ids = np.fromstring(found, dtype=np.int64, sep=" ")
    return PostingList(ids, np.zeros(len(ids), dtype=np.uint16))


def _with_times(connection: apsw.Connection, term: str) -> PostingList | None:
    """Return all that have a word of the index, and how often; ``None`` on a connection that cannot list them."""
    if connection.execute("SELECT 1 FROM temp.sqlite_master WHERE name = ?", (WORDS_TABLE,)).get is None:
        return None
    # Each time the word is there is a row, those of one chunk together.
    found = connection.execute(f"SELECT group_concat(doc, ' ') FROM temp.{WORDS_TABLE} WHERE term = ?", (term,)).get
    if found is None:
        return _NOTHING
    each = np.fromstring(found, dtype=np.int64, sep=" ")
    starts = np.flatnonzero(np.diff(each, prepend=-1))
    times = np.diff(starts, append=len(each))
    return PostingList(each[starts], np.minimum(times, MOST_TIMES).astype(np.uint16))
