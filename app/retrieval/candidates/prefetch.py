"""Prefetching of nearest neighbours in a thread, while the words are searched."""

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Final, Protocol

from app.index.vectors.vector_repo import Generation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Found = tuple[NDArray[np.int64], NDArray[Any]]
    Allowed = NDArray[np.bool_]

PREFETCH_FROM: Final = 100_000
"""With fewer vectors, starting a thread takes as long as it saves."""


class NeighbourIndex(Protocol):
    """Nearest neighbour search; see ``app.index.vectors.ann_cache.AnnCache``."""

    def nearest(
        self, generation: Generation, vector: bytes, k: int, allowed: "Allowed | None" = None
    ) -> "Found | None":
        """Return about the ``k`` nearest chunks with their cosine, best first.

        ``None`` when the index cannot answer.
        """


class PrefetchedNeighbours:
    """Nearest neighbours that a thread begins to search for at once.

    Args:
        ann_cache: The neighbour index.
        generation, vector, k, allowed: Arguments of the search to prefetch.
    """

    def __init__(
        self, ann_cache: NeighbourIndex, generation: Generation, vector: bytes, k: int, allowed: "Allowed | None"
    ) -> None:
        self._ann_cache = ann_cache
        self._query = (generation, vector, k)
        self._allowed = allowed
        self._found: Future[Found | None] = Future()
        threading.Thread(target=self._look, name="keepsake-near", daemon=True).start()

    def nearest(
        self, generation: Generation, vector: bytes, k: int, allowed: "Allowed | None" = None
    ) -> "Found | None":
        """Return the prefetched neighbours, or search again for other arguments; see ``NeighbourIndex``."""
        if (generation, vector, k) == self._query and allowed is self._allowed:
            return self._found.result()
        return self._ann_cache.nearest(generation, vector, k, allowed)

    def _look(self) -> None:
        try:
            self._found.set_result(self._ann_cache.nearest(*self._query, self._allowed))
        except BaseException as error:  # noqa: BLE001  (raised again in the caller)
            self._found.set_exception(error)
