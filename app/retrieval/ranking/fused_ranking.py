"""Ranking of the recipes without features: fusion of the retrievers' results, with reasons."""

import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.index.columns.chunk_columns import ChunkColumns
from app.retrieval.candidates.scored_chunks import ScoredChunks, within_session_limit
from app.retrieval.model import Leg, LegScore, Why
from app.retrieval.ranking.fusion import FusedCandidate, RetrieverScore
from app.retrieval.recipes import Recipe
from app.retrieval.results.model import RankedCandidate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]

_LEGS: dict[str, Leg] = {leg: leg for leg in typing.get_args(Leg)}


@dataclass(frozen=True, slots=True)
class FusedRanking:
    """Fused candidates, best first, each with its chunk; see ``Ranking``."""

    columns: ChunkColumns
    ids: "Ids"
    fused: Sequence[FusedCandidate[str]]

    def limited(self, per_session: int | None) -> "FusedRanking":
        """Return the ranking with at most ``per_session`` messages of one session; ``None`` keeps all."""
        rows = np.flatnonzero(within_session_limit(self.columns, self.ids, per_session))
        return replace(self, ids=self.ids[rows], fused=[self.fused[row] for row in rows.tolist()])

    def shown(self, start: int, end: int) -> list[RankedCandidate]:
        """Return the candidates from number ``start`` up to ``end`` with their reasons."""
        return [
            RankedCandidate(one.id, chunk, one.score, Why(tuple(_score_of(part) for part in one.parts)))
            for chunk, one in zip(self.ids[start:end].tolist(), self.fused[start:end], strict=True)
        ]


def fuse_candidates(columns: ChunkColumns, found: Mapping[Leg, ScoredChunks], recipe: Recipe) -> FusedRanking:
    """Return the candidates of all retrievers ranked by the recipe, best first.

    Args:
        columns: Columns of all chunks.
        found: Results by retriever.
        recipe: Weights of the retrievers.
    """
    chunks, newer, lists = dict[str, int](), dict[str, int](), dict[Leg, list[tuple[str, float]]]()
    # The lexical chunk of a target comes first, because snippets are cut around words.
    for leg in reversed([leg for leg in _LEGS.values() if leg in found]):
        targets, ids = found[leg].targets, found[leg].ids
        lists[leg] = list(zip(targets, found[leg].values.tolist(), strict=True))
        # The best chunk of a target stands first.
        chunks |= dict(zip(reversed(targets), reversed(ids.tolist()), strict=True))
        newer |= dict(zip(targets, columns.created[ids].tolist(), strict=True))
    fused = recipe.fuse(lists, newer)
    return FusedRanking(columns, np.array([chunks[one.id] for one in fused], dtype=np.int64), fused)


def _score_of(part: RetrieverScore) -> LegScore:
    return LegScore(_LEGS[part.leg], part.rank, part.score, part.weight)
