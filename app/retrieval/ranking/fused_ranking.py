"""Fusion of several retrievers' candidates into one ranked list with reasons."""

import typing
from collections import Counter
from collections.abc import Mapping, Sequence

from app.retrieval.candidates.model import Candidate
from app.retrieval.model import Leg, LegScore, Why
from app.retrieval.ranking.fusion import RetrieverScore
from app.retrieval.recipes import Recipe
from app.retrieval.results.model import RankedCandidate

_LEGS: dict[str, Leg] = {leg: leg for leg in typing.get_args(Leg)}


def fuse_candidates(found: Mapping[Leg, Sequence[Candidate]], recipe: Recipe) -> list[RankedCandidate]:
    """Return the candidates of all retrievers ranked by the recipe, best first.

    Args:
        found: Candidates by leg.
        recipe: Weights of the retrievers.
    """
    newer = {item.target: item.created_ms for items in found.values() for item in items}
    lists = {leg: [(item.target, item.score) for item in items] for leg, items in found.items()}
    # The lexical chunk of a target comes first, because snippets are cut around words.
    chunks = {item.target: item.chunk_id for leg in reversed(_LEGS.values()) for item in found.get(leg, ())}
    return [
        RankedCandidate(fused.id, chunks[fused.id], fused.score, Why(tuple(_score_of(part) for part in fused.parts)))
        for fused in recipe.fuse(lists, newer)
    ]


def limit_per_session(ranked: Sequence[RankedCandidate], per_session: int | None) -> list[RankedCandidate]:
    """Return ``ranked`` with at most ``per_session`` messages of one session; ``None`` keeps all."""
    if per_session is None:
        return list(ranked)
    seen: Counter[str] = Counter()
    kept = []
    for item in ranked:
        session, message, _ = item.target.rpartition("#")
        seen[session] += 1
        if not message or seen[session] <= per_session:
            kept.append(item)
    return kept


def _score_of(part: RetrieverScore) -> LegScore:
    return LegScore(_LEGS[part.leg], part.rank, part.score, part.weight)
