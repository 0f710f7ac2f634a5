"""Embedder wrapper that traces the duration of each call, but no text."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from app.embed.model import Embedder, EmbeddingIdentity
from app.errors import KeepsakeError
from app.trace.trace import Trace

if TYPE_CHECKING:
    from app.embed.model import Vectors

T = TypeVar("T")


class TracedEmbedder:
    """Embedder that delegates to ``embedder`` and reports each call to ``trace``."""

    def __init__(self, embedder: Embedder, trace: Trace) -> None:
        self._embedder = embedder
        self._trace = trace

    @property
    def identity(self) -> EmbeddingIdentity:
        """See ``Embedder``."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """See ``Embedder``."""
        return self._traced("embedding.texts", len(texts), sum(map(len, texts)), lambda: self._embedder.embed(texts))

    def embed_query(self, text: str) -> "Vectors":
        """See ``Embedder``."""
        return self._traced("embedding.query", 1, len(text), lambda: self._embedder.embed_query(text))

    def close(self) -> None:
        """See ``Embedder``."""
        self._embedder.close()

    def _traced(self, event: str, texts: int, characters: int, work: Callable[[], T]) -> T:
        begun, status = time.perf_counter(), "failed"
        try:
            vectors = work()
            status = "ok"
        except KeepsakeError as error:
            status = error.code
            raise
        else:
            return vectors
        finally:
            identity = self._embedder.identity
            self._trace.event(
                event,
                provider=identity.provider,
                model=identity.model,
                dimensions=identity.dimensions,
                texts=texts,
                characters=characters,
                ms=round((time.perf_counter() - begun) * 1000, 2),
                status=status,
            )
