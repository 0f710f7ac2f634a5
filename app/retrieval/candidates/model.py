"""Values of candidates that a retriever finds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a leg found; ``score`` is BM25 or cosine, higher is better."""

    chunk_id: int
    target: str
    created_ms: int
    score: float
