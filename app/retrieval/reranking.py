"""Lets a cross-encoder put the first results in order; without one, or when it fails, they stay as they are."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import apsw

from app.embed.reranker import Reranker
from app.errors import KeepsakeError
from app.retrieval.hits import Ranked
from app.retrieval.model import Leg, Query
from app.store.store import Store

MOST: Final = 50
"""How many results are read again."""
FEATURE: Final = "cross_encoder"
_DIGITS: Final = 4
_LEFT_OUT: Final = "The results were not read again to put them in order: {reason}"


@dataclass(frozen=True, slots=True)
class Reordered:
    """Results in order, what was said of each by target, and sentences for the person."""

    ranked: Sequence[Ranked]
    scores: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def explained(self, shown: Sequence[Ranked]) -> list[Ranked]:
        """Return ``shown`` with what was said of each."""
        return [
            replace(item, why=replace(item.why, features={**item.why.features, FEATURE: self.scores[item.target]}))
            if item.target in self.scores
            else item
            for item in shown
        ]


class Reranking:
    """Reads the first results again.

    Args:
        store: The vault's database.
        reranker: The judge; ``None`` for none.
    """

    def __init__(self, store: Store, reranker: Reranker | None) -> None:
        self._store = store
        self._reranker = reranker

    async def order(self, query: Query, legs: Sequence[Leg], offset: int, ranked: Sequence[Ranked]) -> Reordered:
        """Return ``ranked`` with its first ones in the order of the judge.

        Searches by words alone, such as those made while somebody types, stay as they are.
        """
        question = " ".join(term.text for term in query.terms if not term.excluded)
        first = ranked[:MOST]
        if self._reranker is None or "vector" not in legs or not question or offset >= MOST or len(first) < 2:  # noqa: PLR2004
            return Reordered(ranked)
        try:
            texts = await self._store.read(lambda connection: _texts(connection, first))
            scores = await asyncio.to_thread(self._reranker.scores, question, [texts[one.chunk_id] for one in first])
        except KeepsakeError as error:
            return Reordered(ranked, notes=(_LEFT_OUT.format(reason=error.message),))
        by_target = {one.target: round(score, _DIGITS) for one, score in zip(first, scores, strict=True)}
        # What it judges alike keeps its order.
        ordered = sorted(first, key=lambda one: -by_target[one.target])
        return Reordered([*ordered, *ranked[MOST:]], by_target)

    def close(self) -> None:
        """Let the judge go."""
        if self._reranker is not None:
            self._reranker.close()


def _texts(connection: apsw.Connection, ranked: Sequence[Ranked]) -> dict[int, str]:
    """Return the text of each result's chunk, empty for one that is gone by now."""
    ids = [one.chunk_id for one in ranked]
    marks = ", ".join("?" * len(ids))
    found = connection.execute(f"SELECT id, text FROM chunks WHERE id IN ({marks})", tuple(ids))
    return dict.fromkeys(ids, "") | {int(str(row[0])): str(row[1]) for row in found}
