"""Mask of the chunks that are not hidden, kept until others are hidden."""

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]
    Mask = NDArray[np.bool_]


class HiddenChunks:
    """The chunks of all but some owners; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owners: frozenset[int] = frozenset()
        self._shown: Mask = np.zeros(0, dtype=np.bool_)

    def shown(self, owner: "Ids", hidden: frozenset[int]) -> "Mask":
        """Return a mask of the chunks of other owners; it must not be changed.

        Args:
            owner: The number of each chunk's session or memory, by chunk id.
            hidden: The numbers of the hidden sessions and memories.
        """
        with self._lock:
            known = self._shown if hidden == self._owners else self._shown[:0]
        if len(known) < len(owner):
            # Owners of chunks never change, so only later chunks are looked at.
            later = ~np.isin(owner[len(known) :], sorted(hidden))
            known = np.concatenate([known, later])
            with self._lock:
                self._owners, self._shown = hidden, known
        return known[: len(owner)]
