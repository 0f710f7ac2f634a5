"""Late interaction scorer: compares the question's token vectors with those made at index time."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import apsw

from app.core.process.lazy_module import LazyModule
from app.index.token_vectors import token_repo
from app.index.token_vectors.token_repo import TokenGeneration
from app.index.token_vectors.token_vector_builder import TokenVectorBuilder
from app.retrieval.model import Hit, Query
from app.retrieval.ranking.reranking_stage import ModelScores
from app.sentence import Sentence
from app.store.store import Store

if TYPE_CHECKING:
    from app.index.token_vectors import token_codes
else:
    token_codes = LazyModule("app.index.token_vectors.token_codes")  # loads numpy

FEATURE: Final = "late_interaction"
_OPENING_S: Final = 5.0
"""Longest time that a search waits for the model to be opened."""


class LateInteractionScorer:
    """Scores of hits by the best match of each token of the question.

    Args:
        store: The vault's database.
        vectors: The token vectors and their model.
    """

    def __init__(self, store: Store, vectors: TokenVectorBuilder) -> None:
        self._store = store
        self._vectors = vectors

    async def score(self, query: Query, hits: Sequence[Hit]) -> ModelScores | None:
        """Return the scores of ``hits``; see ``HitScorer``."""
        model = self._vectors.model
        if model is None or not await self._vectors.is_used():
            return None
        generation = await self._vectors.generation_within(_OPENING_S)
        scores: list[float | None] = [None] * len(hits)
        waiting = len(hits)
        if generation is not None:
            question = await asyncio.to_thread(model.embed_query, query.words)
            codes = await self._store.read(partial(_codes_of, generation=generation, hits=hits))
            whole = {row: b"".join(filter(None, parts)) for row, parts in enumerate(codes)}
            known = {row: code for row, code in whole.items() if code}
            sums = await asyncio.to_thread(token_codes.max_similarities, question, [*known.values()])
            for row, score in zip(known, sums, strict=True):
                scores[row] = score
            waiting = sum(None in parts for parts in codes)
        return ModelScores(FEATURE, scores, (_incomplete(waiting, len(hits)),) if waiting else ())


def _codes_of(
    connection: apsw.Connection, generation: TokenGeneration, hits: Sequence[Hit]
) -> list[list[bytes | None]]:
    return [
        token_repo.codes_of_memory(connection, generation, hit.id)
        if hit.target == "memory"
        else token_repo.codes_of_message(connection, generation, hit.session_id or "", hit.seq or 0)
        for hit in hits
    ]


def _incomplete(waiting: int, hits: int) -> Sentence:
    return Sentence(
        "Late interaction has not read {waiting} of the first {hits} results yet; until then they count by words and"
        " meaning alone.",
        waiting=waiting,
        hits=hits,
    )
