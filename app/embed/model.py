"""What an embedder is: texts in, unit vectors out, under an identity that is stored beside what it made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """Which model made a vector; only vectors of equal identity may be compared.

    Args:
        provider: The family: ``static``, ``hashed``, ``fastembed``.
        model: The model's name within the family.
        dimensions: The length of its vectors.
        version: What tells two builds of the same model apart.
    """

    provider: str
    model: str
    dimensions: int
    version: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}/{self.dimensions}@{self.version}"


@dataclass(frozen=True, slots=True)
class DownloadWatcher:
    """Whoever watches a model being fetched, and may stop that; called from any thread.

    Args:
        told: Hears how many bytes are here, and about how many there will be.
        is_stopped: Says whether to go on no more.
    """

    on_progress: Callable[[int, int], None] = lambda _done, _total: None
    is_stopped: Callable[[], bool] = lambda: False


class Embedder(Protocol):
    """Turns texts into vectors; safe to call from several threads."""

    @property
    def identity(self) -> EmbeddingIdentity:
        """Which model this is."""
        ...

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return float32, shape (len(texts), dimensions): rows of length one, zero for a text with nothing in it.

        Raises:
            ModelUnavailableError: The embedder was closed or its model failed.
        """
        ...

    def embed_query(self, text: str) -> "Vectors":
        """Return the vector of a question, shape (dimensions,); some models embed questions differently."""
        ...

    def close(self) -> None:
        """Let go of the model; harmless when called twice."""
        ...
