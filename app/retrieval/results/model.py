"""Ranked candidate: the value between ranking and hits."""

from dataclasses import dataclass

from app.retrieval.model import Why


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate with its chunk, score and reasons."""

    target: str
    chunk_id: int
    score: float
    why: Why
