"""Values between ranking and hits."""

from dataclasses import dataclass

from app.retrieval.model import Why


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate in its place: the chunk that stands for it, its score and why."""

    target: str
    chunk_id: int
    score: float
    why: Why
