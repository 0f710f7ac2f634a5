"""What never changes of a chunk, as arrays by its id: which sort it is, and whose conversation it is in.

Later chunks are added as they come; an id that no chunk has any more keeps what it had.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.uint8]
    Rows = NDArray[np.int32]
    Ids = NDArray[np.int64]

Sort = tuple[str, str]
"""Kind and role."""

_MOST_SORTS: Final = 255
_ALL_SORTS: Final = "SELECT kind, role, group_concat(id, ' ') FROM chunks INDEXED BY chunks_by_role GROUP BY kind, role"
_NEW_SORTS: Final = "SELECT kind, role, group_concat(id, ' ') FROM chunks NOT INDEXED WHERE id > ? GROUP BY kind, role"
_OWNED: Final = "SELECT group_concat(s.rowid, ' '), group_concat(c.id, ' ')"
_ALL_OWNERS: Final = f"{_OWNED} FROM sessions s CROSS JOIN chunks c INDEXED BY chunks_by_session ON c.session_id = s.id"
_NEW_OWNERS: Final = f"{_OWNED} FROM chunks c CROSS JOIN sessions s ON s.id = c.session_id WHERE c.id > ?"


class Columns:
    """Reads and keeps the arrays; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._codes: Codes = np.zeros(1, dtype=np.uint8)
        self._known: list[Sort] = [("", "")]
        self._owners: Rows = np.zeros(1, dtype=np.int32)

    def of_sorts(
        self, connection: apsw.Connection, last: int, wanted: Callable[[Sort], bool]
    ) -> "NDArray[np.bool_] | None":
        """Return which chunks are of a sort that is ``wanted``; ``None`` where there are too many sorts.

        Args:
            connection: A reader.
            last: The highest chunk id there is.
            wanted: Told of each kind and role.
        """
        with self._lock:
            if len(self._codes) <= last:
                self._read_sorts(connection, last)
            codes, known = self._codes[: last + 1], list(self._known)
        if len(known) > _MOST_SORTS:
            return None
        return np.asarray(np.array([wanted(sort) for sort in known])[codes])

    def of_sessions(self, connection: apsw.Connection, last: int, rows: "Ids") -> "NDArray[np.bool_]":
        """Return which chunks belong to the sessions with the ``rowid`` of ``rows``; see ``of_sorts``."""
        with self._lock:
            if len(self._owners) <= last:
                self._owners = self._longer_owners(connection, last)
            owners = self._owners[: last + 1]
        chosen = np.zeros(max(int(owners.max()), int(rows.max(initial=0))) + 1, dtype=np.bool_)
        chosen[rows] = True
        chosen[0] = False
        return np.asarray(chosen[owners])

    def _read_sorts(self, connection: apsw.Connection, last: int) -> None:
        upto = len(self._codes) - 1
        codes = np.zeros(last + 1, dtype=np.uint8)
        codes[: upto + 1] = self._codes
        rows: Any = connection.execute(_NEW_SORTS, (upto,)) if upto else connection.execute(_ALL_SORTS)
        for kind, role, ids in rows:
            if (kind, role) not in self._known:
                self._known.append((kind, role))
            codes[_numbers(ids)] = min(self._known.index((kind, role)), _MOST_SORTS)
        self._codes = codes

    def _longer_owners(self, connection: apsw.Connection, last: int) -> "Rows":
        upto = len(self._owners) - 1
        owners = np.zeros(last + 1, dtype=np.int32)
        owners[: upto + 1] = self._owners
        found = connection.execute(_NEW_OWNERS, (upto,)) if upto else connection.execute(_ALL_OWNERS)
        sessions, chunks = found.fetchall()[0]
        if chunks is not None:
            owners[_numbers(chunks)] = _numbers(sessions)
        return owners


def _numbers(text: object) -> "Ids":
    return np.fromstring(str(text), dtype=np.int64, sep=" ")
