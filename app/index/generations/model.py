"""Values about the embedding models whose vectors a vault holds."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.index.token_vectors.model import TokenVectorState

State = Literal["serving", "building", "ready", "kept", "unfinished"]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """An embedding model with its vectors.

    Args:
        model: Its name as in ``embedding.model``.
        dimensions: The length of its vectors.
        vectors: The number of its vectors.
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
        id: The number for ``embedding.compare`` and ``embedding.rollback``.
        model: The model that made them, as in ``embedding.model``.
        dimensions: The length of a vector.
        vectors: The number of vectors.
        state: ``serving`` answers searches; ``building`` is being built; ``ready`` is complete and waits for
            ``embedding.switch``; ``kept`` was active before; ``unfinished`` was abandoned before it was complete.
        is_remote: Whether texts leave this machine to be turned into vectors.
        until: When they are dropped; ``None`` while they are active or being built.
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
    """Status of search by meaning.

    Args:
        serving: The model that answers searches; ``None`` before the first text.
        building: The model that replaces it once its vectors are complete.
        texts: The number of texts that should have a vector.
        is_paused: Whether the build waits for ``embedding.resume``.
        former: The model that ``embedding.rollback`` returns to.
        former_until: When the vectors of ``former`` are dropped.
        private_without: The number of private texts without a vector because they are not sent to a remote service;
            they are found by their words only.
        notes: Sentences about current problems.
        generations: All vectors, newest first.
        waits: Whether the vectors being built wait for ``embedding.switch`` when they are complete.
        token_vectors: Progress of late interaction; ``None`` where the settings name no such model.
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
    token_vectors: TokenVectorState | None = None
