"""What is known of each chunk besides its words, as arrays by its id: whose it is, which turns, of which sort and when.

A chunk never changes and its id is never given again, so what was read stays true, and later chunks are added to it. Of
those that went nothing is taken back: whoever finds one here looks whether it is still there.
"""

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.index.columns.chunk_lengths import ChunkLengths

    Ids = NDArray[np.integer[Any]]
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

_MOST_NEW: Final = 20_000
_WIDEST: Final = 4_096
_SPARE: Final = 16
_OWNER: Final = "CASE kind WHEN 'memory' THEN memory_id ELSE session_id END"
_SHIFT: Final = 32
_MORE: Final = 0x80
_DOUBTS: Final = 32
_DOUBTFUL: Final = 2_000


@dataclass(frozen=True, slots=True)
class ChunkType:
    """What many chunks share; ``role`` of a piece of a memory is the memory's kind."""

    kind: str
    role: str
    store: str


@dataclass(frozen=True, slots=True)
class ChunkColumns:
    """What is known up to a chunk, by chunk id where nothing else is said.

    Args:
        numbers: Of each owner's id: of conversations from 1 up, of memories from -1 down.
        names: The ids of conversations by number, the first for nobody.
        memories: The ids of memories by their number without its sign.
        owner: The owner's number; 0 for a chunk that there is not.
        sort: Its place in ``sorts``.
        sorts: Kinds, roles and stores.
        first: The number of the turn, or the first of several.
        more: How many numbers further the last of several turns is.
        created: Milliseconds UTC.
        words, user_words: Words of each conversation's turns, and of those of a person, by number.
        there: Which chunks there were when they were last looked for.
        count: How many.
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
    words: "Floats"
    user_words: "Floats"
    exists: "Flags"
    count: int

    def of_kind(self, ids: "Ids", kind: str) -> "Flags":
        """Return which of the chunks are of a kind."""
        return self.where(ids, [sort.kind == kind for sort in self.types])

    def where(self, ids: "Ids | slice", of_sorts: list[bool]) -> "Flags":
        """Return which of the chunks are of a sort that is marked."""
        return np.asarray(np.array(of_sorts, dtype=np.bool_)[self.sort[ids]])

    def target(self, chunk: int) -> str:
        """Return the id of what a chunk is a piece of: ``<session id>#<seq>`` for a turn."""
        number = int(self.owner[chunk])
        return self.memories[-number] if number < 0 else f"{self.names[number]}#{self.first[chunk]}"

    def name(self, number: int) -> str:
        """Return an owner's id."""
        return self.names[number] if number >= 0 else self.memories[-number]

    def is_up_to_date(self, connection: apsw.Connection) -> bool:
        """Tell whether ``there`` says just which chunks there are, as ``connection`` sees them."""
        # Every chunk there is was seen; so none went while there are as many.
        return self.count == _rows_indexed(connection)

    def conversations(self, ids: "Ids") -> "Ids":
        """Return the numbers of the conversations that the chunks are turns of; 0 for what is no turn."""
        return np.asarray(self.owner[ids] * self.of_kind(ids, "message"))


def place_keys(owner: "NDArray[Any]", seq: "NDArray[Any]") -> "Ints":
    """Return a number for each place of an owner; those of turns that follow each other do so too."""
    return np.asarray((owner.astype(np.int64) << _SHIFT) + seq)


class ChunkColumnCache:
    """Reads and keeps them; safe to use from several threads."""

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
            np.zeros(1),
            np.zeros(1),
            np.zeros(1, np.bool_),
            0,
        )
        self._doubts = 0

    @property
    def known(self) -> ChunkColumns:
        """Return what was read up to now."""
        return self._known

    def refresh(self, connection: apsw.Connection, last: int, lengths: "ChunkLengths") -> ChunkColumns:
        """Return what is known of chunks up to the id ``last`` at least.

        Args:
            connection: A reader.
            last: The highest chunk id there is.
            lengths: Of chunks up to it.
        """
        with self._lock:
            if len(self._known.owner) <= last:
                self._known = _longer(connection, self._known, last, lengths)
            self._look_again(connection, last)
            return self._known

    def _look_again(self, connection: apsw.Connection, last: int) -> None:
        """Find out which chunks are gone, once it was asked for often enough to be worth it."""
        known = self._known
        if len(known.owner) > last + 1 or known.is_up_to_date(connection):
            return
        self._doubts += 1
        if self._doubts > max(_DOUBTS, known.count // _DOUBTFUL):
            found = connection.execute("SELECT group_concat(id, ' ') FROM chunks_fts_docsize").get
            there = np.zeros(len(known.exists), dtype=np.bool_)
            there[_parsed(found or "")] = True
            self._known = replace(known, exists=there, count=int(np.count_nonzero(there)))
            self._doubts = 0


def _longer(connection: apsw.Connection, known: ChunkColumns, last: int, lengths: "ChunkLengths") -> ChunkColumns:
    arrays = _Arrays(known, last, is_anew=last - len(known.owner) > _MOST_NEW)
    if arrays.begun == 1:
        arrays.read_all(connection)
    else:
        arrays.read_new(connection, last)
    return arrays.made(known, lengths)


# All of them are read from indexes, for the chunks themselves hold all the texts there are.
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
_BY_TIME: Final = "SELECT group_concat(id, ' '), group_concat(created_at, ' ') FROM chunks INDEXED BY chunks_by_time"
_SPANS: Final = (
    "SELECT group_concat(id, ' '), group_concat(seq_end - seq_start, ' ') FROM chunks INDEXED BY chunks_spanning"
    " WHERE kind = 'passage' AND seq_end > seq_start"
)
_NEW: Final = (
    f"SELECT id, {_OWNER}, kind, role, store, seq_start, seq_end - seq_start, created_at FROM chunks"
    " WHERE id > ? AND id <= ?"
)


class _Arrays:
    """What is known, with room for more."""

    def __init__(self, known: ChunkColumns, last: int, *, is_anew: bool) -> None:
        size = last + 1
        self.begun = 1 if is_anew else len(known.owner)

        def grown(array: "NDArray[Any]") -> "NDArray[Any]":
            return np.zeros(size, array.dtype) if is_anew else _grown(array, size)

        self._owner, self._sort, self._there = grown(known.owner), grown(known.sort), grown(known.exists)
        self._first, self._more, self._created = grown(known.first), grown(known.more), grown(known.created)
        self._numbers = _Numbers(known)

    def read_all(self, connection: apsw.Connection) -> None:
        """Read every chunk."""
        for kind, role, found in connection.execute(_BY_ROLE):
            ids = _parsed(found)
            self._there[ids], self._sort[ids] = True, self._numbers.of_sort(ChunkType(kind, role, "private"))
        for store, found in connection.execute(_BY_STORE):
            self._put_in_store(store, _parsed(found))
        for session, found, seqs in connection.execute(_BY_SESSION):
            ids = _parsed(found)
            self._owner[ids] = self._numbers.of(str(session), is_memory=False)
            self._put_first(ids, _parsed(seqs))
        for memory, found in connection.execute(_BY_MEMORY):
            self._owner[_parsed(found)] = self._numbers.of(str(memory), is_memory=True)
        ids, times = _pair(connection, _BY_TIME)
        self._created[ids] = times
        ids, more = _pair(connection, _SPANS)
        self._more[ids] = np.minimum(more, _WIDEST)

    def _put_in_store(self, store: str, ids: "Ints") -> None:
        before = self._sort[ids]
        for number in np.unique(before).tolist():
            sort = replace(self._numbers.types[number], store=store)
            self._sort[ids[before == number]] = self._numbers.of_sort(sort)

    def _put_first(self, ids: "Ints", seqs: "Ints") -> None:
        if int(seqs.max(initial=0)) > np.iinfo(self._first.dtype).max:
            self._first = self._first.astype(np.int64)
        self._first[ids] = seqs

    def read_new(self, connection: apsw.Connection, last: int) -> None:
        """Read the chunks that came since, which are few."""
        rows: Any = connection.execute(_NEW, (self.begun - 1, last))
        for chunk, whose, kind, role, store, first, more, created in rows:
            self._there[chunk], self._created[chunk] = True, created
            self._owner[chunk] = self._numbers.of(str(whose or ""), is_memory=kind == "memory")
            self._sort[chunk] = self._numbers.of_sort(ChunkType(kind, role, store))
            self._put_first(np.array([chunk]), np.array([first]))
            self._more[chunk] = min(more, _WIDEST)

    def made(self, known: ChunkColumns, lengths: "ChunkLengths") -> ChunkColumns:
        """Return all that is known now."""
        size, is_anew = len(known.names), self.begun == 1
        counted = [np.zeros(1) if is_anew else one for one in (known.words, known.user_words)]
        made = replace(
            known,
            owner=self._owner,
            sort=self._sort,
            first=self._first,
            more=self._more,
            created=self._created,
            words=_padded(counted[0], size),
            user_words=_padded(counted[1], size),
            exists=self._there,
            count=(0 if is_anew else known.count) + int(np.count_nonzero(self._there[self.begun :])),
        )
        new = np.arange(self.begun, len(self._owner))
        whose, said = made.conversations(new), lengths.words[self.begun : len(self._owner)].astype(np.float64)
        is_user = made.where(new, [sort.role == "user" for sort in made.types])
        made.words[:] += np.bincount(whose, said, size)
        made.user_words[:] += np.bincount(whose, said * is_user, size)
        return made


def _pair(connection: apsw.Connection, sql: str) -> "tuple[Ints, Ints]":
    one, other = connection.execute(sql).fetchall()[0]
    return _parsed(one or ""), _parsed(other or "")


class _Numbers:
    """Gives owners and sorts their numbers."""

    def __init__(self, known: ChunkColumns) -> None:
        # These only grow, so whoever has them from before is not disturbed.
        self._numbers, self._names, self._memories = known.numbers, known.names, known.memories
        self.types = known.types

    def of(self, name: str, *, is_memory: bool) -> int:
        """Return the number of an owner."""
        number = self._numbers.get(name)
        if number is None:
            names = self._memories if is_memory else self._names
            number = self._numbers[name] = -len(names) if is_memory else len(names)
            names.append(name)
        return number

    def of_sort(self, sort: ChunkType) -> int:
        """Return the number of a sort."""
        if sort not in self.types:
            self.types.append(sort)
        return self.types.index(sort)


def _padded(array: "Floats", size: int) -> "Floats":
    longer = np.zeros(size)
    longer[: len(array)] = array
    return longer


def _rows_indexed(connection: apsw.Connection) -> int:
    """Return how many chunks the index has: the first of the numbers that FTS5 keeps for BM25."""
    block, rows = connection.execute("SELECT block FROM chunks_fts_data WHERE id = 1").get, 0
    # SQLite's numbers have seven bits a byte, and the highest bit says that more follow.
    for byte in block or b"\0":
        rows = (rows << 7) | (byte & 0x7F)
        if byte < _MORE:
            break
    return rows


def _grown(array: "NDArray[Any]", size: int) -> "NDArray[Any]":
    """Return ``array`` with ``size`` elements, in the same memory where it has room."""
    base = array if array.base is None else array.base
    if len(base) < size:
        room = np.zeros(size + size // _SPARE, array.dtype)
        room[: len(array)] = array
        base = room
    return np.asarray(base[:size])


def _parsed(text: object) -> "Ints":
    return np.fromstring(str(text), dtype=np.int64, sep=" ")
