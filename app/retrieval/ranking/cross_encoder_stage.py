"""Cross-encoder stage: blends a model's scores of the first hits into their order.

Without a model, or if it fails, nothing changes.
"""

import asyncio
import statistics
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

import apsw

from app.embed.reranker import Reranker
from app.errors import KeepsakeError
from app.retrieval.model import Hit, Term
from app.retrieval.request import Request, SearchResult
from app.retrieval.results.snippets import snippet
from app.store.store import Store

MOST: Final = 50
"""Number of hits that are reranked."""
WEIGHT: Final = 0.7
"""Weight of the model's score beside the ranking's own, both as standard scores over the reranked hits.

The model alone finds less than the ranking it would replace: it sees no neighbours, no speakers and no dates.
"""
FEATURE: Final = "cross_encoder"
_DIGITS: Final = 4
_READ: Final = 1_000
"""Characters of a text that are read, about 256 tokens: more takes longer than it is worth."""
_READ_BEFORE: Final = 300
"""Characters of the message before that are read."""
_PIECES: Final = 100
_LEFT_OUT: Final = "The results could not be reranked: {reason}"

Answered = tuple[SearchResult, tuple[str, ...]]


class CrossEncoderStage:
    """Reranking of the first hits by a model that reads them together with the question.

    Args:
        store: The vault's database.
        reranker: The model; ``None`` for none.
    """

    def __init__(self, store: Store, reranker: Reranker | None) -> None:
        self._store = store
        self._reranker = reranker

    async def answer(self, request: Request, ask: Callable[[Request], Awaitable[Answered]]) -> Answered:
        """Return the results of ``ask``, the first in the order of ranking and model.

        Lexical searches, such as those while a person types, are not reordered.
        """
        question = request.query.words
        if self._reranker is None or "vector" not in request.wanted or not question or request.offset >= MOST:
            return await ask(request)
        given, notes = await ask(replace(request, offset=0, limit=max(MOST, request.last)))
        hits, said = given.found.hits, ""
        try:
            hits = await self._judged(self._reranker, question, hits, request.query.terms)
        except KeepsakeError as error:
            said = _LEFT_OUT.format(reason=error.message)
        found = replace(given.found, hits=tuple(hits[request.offset : request.last]))
        return replace(given, found=found), (*notes, said) if said else notes

    async def _judged(
        self, reranker: Reranker, question: str, hits: Sequence[Hit], terms: Sequence[Term]
    ) -> tuple[Hit, ...]:
        first = hits[:MOST]
        if not first:
            return ()
        texts = await self._store.read(lambda connection: [_text(connection, hit, terms) for hit in first])
        scores = await asyncio.to_thread(reranker.scores, question, texts)
        judged = [
            replace(hit, why=replace(hit.why, features={**hit.why.features, FEATURE: round(score, _DIGITS)}))
            for hit, score in zip(first, scores, strict=True)
        ]
        own, model = _standard_scores([hit.score for hit in first]), _standard_scores(scores)
        blended = [one + WEIGHT * other for one, other in zip(own, model, strict=True)]
        # Hits with equal scores keep their order.
        order = sorted(range(len(judged)), key=lambda row: -blended[row])
        return (*(judged[row] for row in order), *hits[MOST:])

    def close(self) -> None:
        """Close the model."""
        if self._reranker is not None:
            self._reranker.close()


def _standard_scores(values: Sequence[float]) -> list[float]:
    """Return ``values`` with mean 0 and standard deviation 1, zeros where they are all equal."""
    mean, deviation = statistics.fmean(values), statistics.pstdev(values)
    return [(value - mean) / deviation if deviation else 0.0 for value in values]


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


_MEMORY: Final = f"SELECT text FROM chunks WHERE memory_id = :id ORDER BY seq_start, id LIMIT {_PIECES}"
_MESSAGES: Final = (
    "SELECT c.seq_start, m.author, c.text FROM chunks c"
    " JOIN messages m ON m.session_id = c.session_id AND m.seq = c.seq_start"
    " WHERE c.session_id = :session AND c.kind = 'message' AND c.seq_start BETWEEN :seq - 1 AND :seq"
    " ORDER BY c.seq_start, c.id"
)
