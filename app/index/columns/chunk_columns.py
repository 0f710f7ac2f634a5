"""Columns of the chunks as arrays by chunk id: owner, type, messages, time and length.

A chunk never changes and its id is never used again, so what was read stays true, and only later chunks are added.
Deleted chunks stay in the arrays: a reader that needs existing chunks checks ``exists``.
"""

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

from app.index.id_arrays import grown, parse_ids
from app.store.connection import INDEXED_ROWS_FUNCTION

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Sizes = NDArray[np.uint16]

_MAX_NEW: Final = 20_000
"""New chunks that are read one by one; more of them are read with all the others, index by index."""
_MAX_SPAN: Final = 4_096
_SEQ_BITS: Final = 32
_CHECKS: Final = 32
_CHUNKS_A_CHECK: Final = 2_000
_LONGEST: Final = 0xFFFF
_OWNER: Final = "CASE kind WHEN 'memory' THEN memory_id ELSE session_id END"


@dataclass(frozen=True, slots=True)
class ChunkType:
    """The kind, role and store that many chunks share.

    The role of a memory's chunk is the memory's kind.
    """

    kind: str
    role: str
    store: str


@dataclass(frozen=True, slots=True)
class ChunkColumns:
    """Columns of the chunks up to some id.

    Arrays are indexed by chunk id unless they say otherwise.

    Args:
        numbers: The number of each owner by its id: sessions from 1 up, memories from -1 down.
        names: Session ids by number; the first is empty.
        memories: Memory ids by the absolute value of their number; the first is empty.
        owner: The number of the session or memory; 0 for an id without a chunk.
        sort: The index of the chunk's type in ``types``.
        types: All combinations of kind, role and store.
        first: The sequence number of the message, or of a passage's first message.
        more: How many sequence numbers later the last message of a passage is.
        created: Milliseconds UTC.
        length: Words as the full-text index counts them, 1 at least; 0 for an id without a chunk.
        mean_length: The average length of all chunks that were read.
        read: How many chunks were read, among them some that may have been deleted since.
        words, user_words: Words in all messages of each session, and in those of role ``user``, by session number.
        exists: Whether the chunk existed when this was last checked.
        count: The number of chunks marked in ``exists``.
    """

    numbers: dict[str, int]
    names: list[str]
    memories: list[str]
    owner: "Ids"
    sort: "Ids"
    types: list[ChunkType]
    first: "Ids"
    more: "Ids"
    created: "Ints"
    length: "Sizes"
    mean_length: float
    read: int
    words: "Floats"
    user_words: "Floats"
    exists: "Flags"
    count: int

    def of_kind(self, ids: "Ids", kind: str) -> "Flags":
        """Return for each chunk whether it is of a kind."""
        return self.where(ids, [each.kind == kind for each in self.types])

    def where(self, ids: "Ids | slice", of_types: list[bool]) -> "Flags":
        """Return for each chunk whether its type is marked.

        Args:
            ids: Chunk ids.
            of_types: The mark of each type, in the order of ``types``.
        """
        return np.asarray(np.array(of_types, dtype=np.bool_)[self.sort[ids]])

    def target(self, chunk: int) -> str:
        """Return the id of a chunk's memory, or ``<session id>#<seq>`` of its message."""
        number = int(self.owner[chunk])
        return self.memories[-number] if number < 0 else f"{self.names[number]}#{self.first[chunk]}"

    def name(self, number: int) -> str:
        """Return the id of the session or memory with a number."""
        return self.names[number] if number >= 0 else self.memories[-number]

    def memory_number(self, memory_id: str) -> int:
        """Return the number of a memory, 0 for one without chunks."""
        return self.numbers.get(_memory_key(memory_id), 0)

    def is_up_to_date(self, connection: apsw.Connection) -> bool:
        """Return whether ``exists`` is exact for the database as ``connection`` sees it."""
        # Every existing chunk was read, so none was deleted while the counts agree.
        return self.count == _indexed_rows(connection)

    def conversations(self, ids: "Ids") -> "Ids":
        """Return the session number of each chunk that is a message, 0 for other chunks."""
        return np.asarray(self.owner[ids] * self.of_kind(ids, "message"))


def last_chunk(connection: apsw.Connection) -> int:
    """Return the highest chunk id, 0 for an empty index."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM chunks").get)


def place_keys(owner: "NDArray[Any]", seq: "NDArray[Any]") -> "Ints":
    """Return a key for each message; consecutive messages of a session have consecutive keys."""
    return np.asarray((owner.astype(np.int64) << _SEQ_BITS) + seq)


class ChunkColumnCache:
    """Columns of the whole index, extended by later chunks; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        zero = np.zeros(1, np.int32)
        self._known = ChunkColumns(
            {},
            [""],
            [""],
            zero,
            np.zeros(1, np.uint16),
            [ChunkType("", "", "")],
            zero.copy(),
            np.zeros(1, np.uint16),
            np.zeros(1, np.int64),
            np.zeros(1, np.uint16),
            1.0,
            0,
            np.zeros(1),
            np.zeros(1),
            np.zeros(1, np.bool_),
            0,
        )
        self._failed_checks = 0

    @property
    def known(self) -> ChunkColumns:
        """Return the columns that were read so far."""
        return self._known

    def refresh(self, connection: apsw.Connection, last: int) -> ChunkColumns:
        """Return the columns of all chunks up to the id ``last`` at least."""
        with self._lock:
            if len(self._known.owner) <= last:
                self._known = _extended(connection, self._known, last)
            self._check_existence(connection, last)
            return self._known

    def _check_existence(self, connection: apsw.Connection, last: int) -> None:
        """Read which chunks still exist, after enough calls saw different counts."""
        known = self._known
        if len(known.owner) > last + 1 or known.is_up_to_date(connection):
            return
        self._failed_checks += 1
        if self._failed_checks > max(_CHECKS, known.count // _CHUNKS_A_CHECK):
            row = connection.execute(_IDS).get
            exists = np.zeros(len(known.exists), dtype=np.bool_)
            exists[parse_ids(row)] = True
            self._known = replace(known, exists=exists, count=int(np.count_nonzero(exists)))
            self._failed_checks = 0


def _extended(connection: apsw.Connection, known: ChunkColumns, last: int) -> ChunkColumns:
    builder = _ColumnBuilder(known, last, is_anew=last - len(known.owner) > _MAX_NEW)
    if builder.begin == 1:
        builder.read_all(connection)
    else:
        builder.read_new(connection, last)
    return builder.columns(known)


# Everything is read from covering indexes, because the table itself holds all the texts.
_BY_SESSION: Final = (
    "SELECT session_id, group_concat(id, ' '), group_concat(seq_start, ' ') FROM chunks INDEXED BY chunks_by_session"
    " WHERE session_id IS NOT NULL AND kind <> 'memory' GROUP BY session_id"
)
_BY_MEMORY: Final = (
    "SELECT memory_id, group_concat(id, ' ') FROM chunks INDEXED BY chunks_by_memory WHERE memory_id IS NOT NULL"
    " GROUP BY memory_id"
)
_BY_ROLE: Final = "SELECT kind, role, group_concat(id, ' ') FROM chunks INDEXED BY chunks_by_role GROUP BY kind, role"
_BY_STORE: Final = (
    "SELECT store, group_concat(id, ' ') FROM chunks INDEXED BY chunks_by_store WHERE store <> 'private' GROUP BY store"
)
_IDS: Final = "SELECT group_concat(id, ' ') FROM chunks INDEXED BY chunks_by_time"
_BY_TIME: Final = "SELECT group_concat(id, ' '), group_concat(created_at, ' ') FROM chunks INDEXED BY chunks_by_time"
_LENGTHS: Final = "SELECT group_concat(chunk_id, ' '), group_concat(words, ' ') FROM chunk_lengths"
_SPANS: Final = (
    "SELECT group_concat(id, ' '), group_concat(seq_end - seq_start, ' ') FROM chunks INDEXED BY chunks_spanning"
    " WHERE kind = 'passage' AND seq_end > seq_start"
)
_NEW: Final = (
    f"SELECT id, {_OWNER}, kind, role, store, seq_start, seq_end - seq_start, created_at, words FROM chunks"
    " LEFT JOIN chunk_lengths ON chunk_id = id WHERE id > ? AND id <= ?"
)


class _ColumnBuilder:
    """Copies of the columns, with room for later chunks."""

    def __init__(self, known: ChunkColumns, last: int, *, is_anew: bool) -> None:
        size = last + 1
        self.begin = 1 if is_anew else len(known.owner)

        def resized(array: "NDArray[Any]") -> "NDArray[Any]":
            return np.zeros(size, array.dtype) if is_anew else grown(array, size)

        self._owner, self._sort, self._exists = resized(known.owner), resized(known.sort), resized(known.exists)
        self._first, self._more, self._created = resized(known.first), resized(known.more), resized(known.created)
        self._length = resized(known.length)
        self._numbers = _Numbers(known)

    def read_all(self, connection: apsw.Connection) -> None:
        """Read all chunks, column by column."""
        for kind, role, listed_ids in connection.execute(_BY_ROLE):
            ids = parse_ids(listed_ids)
            self._exists[ids], self._sort[ids] = True, self._numbers.of_type(ChunkType(kind, role, "private"))
        for store, listed_ids in connection.execute(_BY_STORE):
            self._set_store(store, parse_ids(listed_ids))
        for session, listed_ids, seqs in connection.execute(_BY_SESSION):
            ids = parse_ids(listed_ids)
            self._owner[ids] = self._numbers.of(str(session), is_memory=False)
            self._set_first(ids, parse_ids(seqs))
        for memory, listed_ids in connection.execute(_BY_MEMORY):
            self._owner[parse_ids(listed_ids)] = self._numbers.of(str(memory), is_memory=True)
        ids, created = _pair(connection, _BY_TIME)
        self._created[ids] = created
        ids, words = _pair(connection, _LENGTHS)
        self._length[ids] = words.clip(1, _LONGEST)
        ids, more = _pair(connection, _SPANS)
        self._more[ids] = np.minimum(more, _MAX_SPAN)

    def _set_store(self, store: str, ids: "Ints") -> None:
        before = self._sort[ids]
        for number in np.unique(before).tolist():
            chunk_type = replace(self._numbers.types[number], store=store)
            self._sort[ids[before == number]] = self._numbers.of_type(chunk_type)

    def _set_first(self, ids: "Ints", seqs: "Ints") -> None:
        if int(seqs.max(initial=0)) > np.iinfo(self._first.dtype).max:
            self._first = self._first.astype(np.int64)
        self._first[ids] = seqs

    def read_new(self, connection: apsw.Connection, last: int) -> None:
        """Read the few chunks after those already known, row by row."""
        rows: Any = connection.execute(_NEW, (self.begin - 1, last))
        for chunk, owner_id, kind, role, store, first, more, created, words in rows:
            self._exists[chunk], self._created[chunk] = True, created
            self._length[chunk] = min(max(words or 0, 1), _LONGEST)
            self._owner[chunk] = self._numbers.of(str(owner_id or ""), is_memory=kind == "memory")
            self._sort[chunk] = self._numbers.of_type(ChunkType(kind, role, store))
            self._set_first(np.array([chunk]), np.array([first]))
            self._more[chunk] = min(more, _MAX_SPAN)

    def columns(self, known: ChunkColumns) -> ChunkColumns:
        """Return the extended columns, with the words of each session added up."""
        size, is_anew = len(known.names), self.begin == 1
        counted = [np.zeros(1) if is_anew else one for one in (known.words, known.user_words)]
        # Copies, because earlier columns keep their sums.
        words, user_words = (np.pad(one, (0, size - len(one))) for one in counted)
        read = int(np.count_nonzero(self._length))
        columns = replace(
            known,
            owner=self._owner,
            sort=self._sort,
            first=self._first,
            more=self._more,
            created=self._created,
            length=self._length,
            mean_length=float(self._length.sum(dtype=np.int64)) / max(read, 1),
            read=read,
            words=words,
            user_words=user_words,
            exists=self._exists,
            count=(0 if is_anew else known.count) + int(np.count_nonzero(self._exists[self.begin :])),
        )
        new = np.arange(self.begin, len(self._owner))
        session, lengths = columns.conversations(new), self._length[self.begin :].astype(np.float64)
        is_user = columns.where(new, [each.role == "user" for each in columns.types])
        words += np.bincount(session, lengths, size)
        user_words += np.bincount(session, lengths * is_user, size)
        return columns


def _pair(connection: apsw.Connection, sql: str) -> "tuple[Ints, Ints]":
    first, second = connection.execute(sql).fetchall()[0]
    return parse_ids(first), parse_ids(second)


class _Numbers:
    """Numbers of owners and types, assigned in the order of their first appearance."""

    def __init__(self, known: ChunkColumns) -> None:
        # These only grow, so columns returned before stay valid.
        self._numbers, self._names, self._memories = known.numbers, known.names, known.memories
        self.types = known.types

    def of(self, name: str, *, is_memory: bool) -> int:
        key = _memory_key(name) if is_memory else name
        number = self._numbers.get(key)
        if number is None:
            names = self._memories if is_memory else self._names
            number = self._numbers[key] = -len(names) if is_memory else len(names)
            names.append(name)
        return number

    def of_type(self, chunk_type: ChunkType) -> int:
        if chunk_type not in self.types:
            self.types.append(chunk_type)
        return self.types.index(chunk_type)


def _memory_key(memory_id: str) -> str:
    return f"\x00{memory_id}"  # a program may call its session what a memory is called


def _indexed_rows(connection: apsw.Connection) -> int:
    """Return how many chunks the full-text index has, which FTS5 keeps for BM25."""
    # An auxiliary function needs a row to be called for; the last chunk is one unless the index is empty.
    sql = f"SELECT {INDEXED_ROWS_FUNCTION}(chunks_fts) FROM chunks_fts WHERE rowid = (SELECT max(id) FROM chunks)"
    return int(connection.execute(sql).get or 0)
