"""Protocol of an embedder.

Texts in, unit vectors out, with an identity that is stored with the vectors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """Identity of the model that made a vector.

    Only vectors of equal identity may be compared.

    Args:
        provider: The family: ``static``, ``hashed``, ``fastembed``.
        model: The model's name within the family.
        dimensions: The length of its vectors.
        version: Differs between two builds of the same model.
    """

    provider: str
    model: str
    dimensions: int
    version: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}/{self.dimensions}@{self.version}"


@dataclass(frozen=True, slots=True)
class TextInContext:
    """A text, and what is read with it because alone it says little.

    Args:
        before: What was said before; it gets no vectors of its own.
        text: The text.
    """

    before: str
    text: str


@dataclass(frozen=True, slots=True)
class DownloadWatcher:
    """Callbacks that follow the download of a model; they are called from any thread.

    Args:
        on_progress: Receives the bytes downloaded so far, and the approximate total.
        is_stopped: Returns whether to stop the download.
    """

    on_progress: Callable[[int, int], None] = lambda _done, _total: None
    is_stopped: Callable[[], bool] = lambda: False


class Embedder(Protocol):
    """A model that turns texts into vectors; safe to use from several threads."""

    @property
    def identity(self) -> EmbeddingIdentity:
        """The identity of this model."""
        ...

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return float32, shape (len(texts), dimensions): rows of length one, zero for a text without content.

        Raises:
            ModelUnavailableError: The embedder was closed or its model failed.
        """
        ...

    def embed_query(self, text: str) -> "Vectors":
        """Return the vector of a question, shape (dimensions,); some models embed questions differently."""
        ...

    def close(self) -> None:
        """Free the model; a second call does nothing."""
        ...
