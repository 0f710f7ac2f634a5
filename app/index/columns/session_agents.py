"""Agents of sessions, kept by session number; the agent of a session never changes."""

import threading
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from app.index.id_arrays import grown
from app.index.repo import agents_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.index.columns.chunk_columns import ChunkColumns

    Ids = NDArray[np.integer[Any]]


class SessionAgents:
    """The agent of each session, in four bytes; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of = np.zeros(1, dtype=np.int32)  # one more than the index in names; 0 if not read yet
        self._numbers = {"": 0}
        self.names = [""]

    def of(self, connection: apsw.Connection, columns: "ChunkColumns", owner: "Ids") -> "Ids":
        """Return for each session the index of its agent in ``names``.

        Args:
            connection: A reader.
            columns: The columns that number the sessions.
            owner: Session numbers, above 0.
        """
        with self._lock:
            if len(self._of) < len(columns.names):
                self._of = grown(self._of, len(columns.names))
            agent = self._of[owner]
        if lacking := np.unique(owner[agent == 0]).tolist():
            self._read(connection, columns, lacking)
            agent = self._of[owner]
        return np.asarray(agent - 1)

    def _read(self, connection: apsw.Connection, columns: "ChunkColumns", numbers: list[int]) -> None:
        agents = agents_of(connection, map(columns.name, numbers))
        with self._lock:
            for number in numbers:
                agent = agents.get(columns.name(number), "")
                if agent not in self._numbers:
                    self._numbers[agent] = len(self.names)
                    self.names.append(agent)
                self._of[number] = self._numbers[agent] + 1
