"""Values of embedding models: what serves, what is built, what one may return to."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

State = Literal["serving", "building", "ready", "kept", "unfinished"]


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
class GenerationInfo:
    """The vectors of one model.

    Args:
        id: Their number, by which ``embedding.compare`` and ``embedding.rollback`` know them.
        model: What made them, as in ``embedding.model``.
        dimensions: Their length.
        vectors: How many there are.
        state: ``serving`` answers searches; ``building`` is on its way; ``ready`` is complete and waits for
            ``embedding.switch``; ``kept`` served before; ``unfinished`` was given up before it was complete.
        is_remote: Whether texts leave this machine to be turned into vectors.
        until: When they are dropped; ``None`` for those in use or on their way.
    """

    id: int
    model: str
    dimensions: int
    vectors: int
    state: State
    is_remote: bool = False
    until: datetime | None = None


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
        generations: All vectors there are, the newest first.
        waits: Whether what is built lets the old one answer until ``embedding.switch``, also once it is complete.
    """

    serving: ModelInfo | None
    building: ModelInfo | None
    texts: int
    is_paused: bool
    former: ModelInfo | None
    former_until: datetime | None
    private_without: int
    notes: tuple[str, ...] = ()
    generations: tuple[GenerationInfo, ...] = ()
    waits: bool = False
