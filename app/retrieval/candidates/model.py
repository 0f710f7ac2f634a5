"""Candidate value that retrievers return."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk found by a retriever, with its score: BM25 or cosine, higher is better."""

    chunk_id: int
    target: str
    created_ms: int
    score: float
