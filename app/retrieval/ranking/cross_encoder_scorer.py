"""Cross-encoder scorer: reads each hit together with the question."""

import asyncio
from collections.abc import Sequence
from typing import Final

import apsw

from app.embed.reranker import Reranker
from app.retrieval.model import Hit, Query, Term
from app.retrieval.ranking.reranking_stage import ModelScores
from app.retrieval.results.snippets import snippet
from app.store.store import Store

FEATURE: Final = "cross_encoder"
_READ: Final = 1_000
"""Characters of a text that are read, about 256 tokens: more takes longer than it is worth."""
_READ_BEFORE: Final = 300
"""Characters of the message before that are read."""
_PIECES: Final = 100


class CrossEncoderScorer:
    """Scores of the hits' texts by a cross-encoder.

    Args:
        store: The vault's database.
        reranker: The model.
    """

    def __init__(self, store: Store, reranker: Reranker) -> None:
        self._store = store
        self._reranker = reranker

    async def score(self, query: Query, hits: Sequence[Hit]) -> ModelScores | None:
        """Return the scores of ``hits``; see ``HitScorer``."""
        texts = await self._store.read(lambda connection: [_text(connection, hit, query.terms) for hit in hits])
        return ModelScores(FEATURE, await asyncio.to_thread(self._reranker.scores, query.words, texts))


def _text(connection: apsw.Connection, hit: Hit, terms: Sequence[Term]) -> str:
    """Return the text of a hit for the model, shortened to its matching part.

    A message comes with its speaker and after the message that it may answer: alone it says little.
    """
    if hit.target == "memory":
        rows = connection.execute(_MEMORY, {"id": hit.id}).fetchall()
        return _shortened("\n".join(str(text) for (text,) in rows), terms) or hit.snippet
    before, own = list[str](), list[str]()
    for seq, author, text in connection.execute(_MESSAGES, {"session": hit.session_id, "seq": hit.seq}).fetchall():
        spoken = f"{author}: " if author else ""
        if seq == hit.seq:
            own.append(spoken + _shortened(str(text), terms))
        else:
            before.append(spoken + str(text)[:_READ_BEFORE])
    return "\n".join([*before, *(own or [hit.snippet])])


def _shortened(text: str, terms: Sequence[Term]) -> str:
    return text if len(text) <= _READ else snippet(text, terms, _READ)[0]


_MEMORY: Final = f"SELECT text FROM chunk_texts WHERE memory_id = :id ORDER BY seq_start, id LIMIT {_PIECES}"
_MESSAGES: Final = (
    "SELECT c.seq_start, m.author, c.text FROM chunk_texts c"
    " JOIN messages m ON m.session_id = c.session_id AND m.seq = c.seq_start"
    " WHERE c.session_id = :session AND c.kind = 'message' AND c.seq_start BETWEEN :seq - 1 AND :seq"
    " ORDER BY c.seq_start, c.id"
)
