"""Vectors compared in a thread of their own while the words are looked for: of very many, both take a while."""

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
"""Of fewer vectors a thread takes about as long to start as it saves."""


class NeighbourIndex(Protocol):
    """Finds the nearest vectors; see ``app.index.vectors.ann_cache.AnnCache``."""

    def nearest(
        self, generation: Generation, vector: bytes, k: int, allowed: "Allowed | None" = None
    ) -> "Found | None":
        """Return about the ``k`` nearest chunks with their cosine, best first; ``None`` when it cannot tell."""


class PrefetchedNeighbours:
    """Looks for the nearest at once, beside whoever made it, and answers when that is asked for.

    Args:
        ann_cache: Answers; from this thread too, what was not looked for.
        generation, vector, k, allowed: What will be asked.
    """

    def __init__(
        self, ann_cache: NeighbourIndex, generation: Generation, vector: bytes, k: int, allowed: "Allowed | None"
    ) -> None:
        self._ann_cache = ann_cache
        self._asked = (generation, vector, k)
        self._allowed = allowed
        self._found: Future[Found | None] = Future()
        threading.Thread(target=self._look, name="keepsake-near", daemon=True).start()

    def nearest(
        self, generation: Generation, vector: bytes, k: int, allowed: "Allowed | None" = None
    ) -> "Found | None":
        """Return what was found, or look for something else; see ``NeighbourIndex``."""
        if (generation, vector, k) == self._asked and allowed is self._allowed:
            return self._found.result()
        return self._ann_cache.nearest(generation, vector, k, allowed)

    def _look(self) -> None:
        try:
            self._found.set_result(self._ann_cache.nearest(*self._asked, self._allowed))
        except BaseException as error:  # noqa: BLE001  (whoever asks gets it)
            self._found.set_exception(error)
