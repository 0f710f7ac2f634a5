"""Embedding of queries: the vector of a search, and the vectors to compare it with."""

import asyncio
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from app.core.process.lazy_module import LazyModule
from app.errors import KeepsakeError
from app.index.generations.active import ActiveEmbedding
from app.index.worker import IndexWorker
from app.retrieval.model import Query
from app.retrieval.ranking.speaker_names import SpeakerNameCache
from app.retrieval.request import Request, VectorQuery, VectorsFailedError
from app.store.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.retrieval.candidates import vectors
else:
    vectors = LazyModule("app.retrieval.candidates.vectors")  # loads numpy

_OPENING_S: Final = 2.0  # seconds that a search waits for an embedder to open
_QUICK: Final = frozenset({"static", "hashed"})
"""Embedders that are fast enough to run inside the database read."""
_MEANINGLESS: Final = "hashed"  # its vectors are random: they must decide nothing


class QueryEmbedding:
    """Embedding of queries by the active embedder.

    Args:
        store: The vault's database.
        index_worker: Provides the embedder and its vectors.
        is_enabled: False where vectors are switched off.
    """

    def __init__(self, store: Store, index_worker: IndexWorker, *, is_enabled: bool) -> None:
        self._index_worker = index_worker
        self._is_enabled = is_enabled
        self._speakers = SpeakerNameCache(store)

    async def vector_query(
        self, request: Request, active_embedding: ActiveEmbedding | None, *, needs_meaning: bool
    ) -> VectorQuery | None:
        """Return the vector search of a request, ``None`` where it wants none.

        Args:
            request: The search request.
            active_embedding: Replaces the active vectors, which are then compared one by one.
            needs_meaning: Leave out vectors that say nothing about meaning.

        Raises:
            VectorsFailedError: The query cannot be embedded.
            InputError: The caller's own vector does not fit.
        """
        if not (self._is_enabled and request.query.has_words and "vector" in request.wanted):
            return None
        try:
            serving = active_embedding or await self._index_worker.serving(_OPENING_S)
            ann_cache = None if active_embedding else self._index_worker.ann_cache()
            count = 0 if ann_cache is None else ann_cache.count()
        except KeepsakeError as error:
            raise VectorsFailedError(error) from error
        provider = serving.embedder.identity.provider
        if needs_meaning and provider == _MEANINGLESS:
            return None
        vector = await self._vector(request, serving)
        return VectorQuery(serving.generation, vector, ann_cache, count, is_contextual=provider not in _QUICK)

    async def _vector(self, request: Request, serving: ActiveEmbedding) -> Callable[[str], bytes]:
        """Return the function from a text to its vector, see ``VectorQuery``."""
        if request.embedding is not None:
            given = vectors.unit_vector(request.embedding, serving.generation.dimensions)
            return lambda _: given
        embedder = serving.embedder
        if embedder.identity.provider in _QUICK:
            # The text is embedded once for several searches.
            return lru_cache(maxsize=1)(lambda text: embedder.embed_query(text).tobytes())
        try:
            embedded = (await self.embedded(request.query, serving)).tobytes()
        except KeepsakeError as error:
            raise VectorsFailedError(error) from error
        return lambda _: embedded

    async def embedded(self, query: Query, serving: ActiveEmbedding) -> "NDArray[np.float32]":
        """Return the vector of a query; a transformer does not get the names of speakers.

        Raises:
            KeepsakeError: The query cannot be embedded, or the vault not be read.
        """
        is_quick = serving.embedder.identity.provider in _QUICK
        text = query.words if is_quick else await self._speakers.strip_speakers(query.words)
        vector: NDArray[Any] = await asyncio.to_thread(serving.embedder.embed_query, text)
        return vector

    def clear(self) -> None:
        """Clear the names of speakers; they are read again when needed."""
        self._speakers.clear()
