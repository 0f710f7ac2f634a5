"""Values of embedding models: what serves, what is built, what one may return to."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """An embedding model with its vectors.

    Args:
        model: Its name as in ``embedding.model``.
        dimensions: The length of its vectors.
        vectors: How many there are.
        is_remote: Whether texts leave this machine to be turned into vectors.
    """

    model: str
    dimensions: int
    vectors: int
    is_remote: bool = False


@dataclass(frozen=True, slots=True)
class EmbeddingStatus:
    """How search by meaning stands.

    Args:
        serving: What answers searches; ``None`` before the first text.
        building: What will answer them once it is complete.
        texts: How many texts there are to have a vector.
        is_paused: Whether the building waits for ``embedding.resume``.
        former: What ``embedding.rollback`` returns to.
        former_until: When that is dropped.
        private_without: Private texts without a vector because they are not sent to a remote service; they are found
            by their words.
        notes: Sentences about what does not work at the moment.
    """

    serving: ModelInfo | None
    building: ModelInfo | None
    texts: int
    is_paused: bool
    former: ModelInfo | None
    former_until: datetime | None
    private_without: int
    notes: tuple[str, ...] = ()
