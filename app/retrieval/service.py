"""Search: parse, gather candidates by words and by vector side by side, fuse, and explain each hit."""

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import apsw

from app.core.clock import Clock
from app.core.text import storable
from app.errors import InputError, KeepsakeError
from app.index.sync import IndexSync
from app.memories.model import STORES
from app.retrieval.candidates import Candidate, Conditions, by_vector, by_words, conditions, newest, with_words
from app.retrieval.context_rows import F, Legs, deep_legs
from app.retrieval.fts import excluded_expression, match_expression
from app.retrieval.hits import Ranked, facets_of, hits_of, rows_of
from app.retrieval.model import Found, Leg, OperatorHelp, Query
from app.retrieval.pool import Scored
from app.retrieval.query import operators, parse
from app.retrieval.rank import in_order, rank, spread
from app.retrieval.recipes import DEFAULT
from app.retrieval.recipes import recipe as recipe_named
from app.store.store import Store
from app.trace.journal import Trace

if TYPE_CHECKING:
    from app.retrieval.learned import Ranking

DEPTH = 200
MAX_DEPTH = 4_096  # neighbours at most that sqlite-vec gives; whoever pages on finds nothing more
MAX_LIMIT = 1_000
_NO_VECTORS = "Search by meaning was left out: {reason}"
_FILLING = "{count} texts are not yet indexed for search by meaning."


class SearchService:
    """Finds turns and durable items.

    Args:
        store: The vault's database.
        sync: Knows the embedder and its vectors.
        trace: Told how long each stage took.
        clock: What "today" is.
        vectors: False where vectors are switched off.
    """

    def __init__(self, store: Store, sync: IndexSync, trace: Trace, clock: Clock, *, vectors: bool = True) -> None:
        self._store = store
        self._sync = sync
        self._trace = trace
        self._clock = clock
        self._vectors = vectors

    def parse(self, text: str) -> Query:
        """Return how ``text`` is understood."""
        return parse(storable(text)[0], self._clock.now_ms())

    @staticmethod
    def operators() -> list[OperatorHelp]:
        """Return the operators of the query language."""
        return list(operators())

    async def search(
        self,
        text: str,
        *,
        limit: int = 20,
        offset: int = 0,
        recipe: str = DEFAULT,
        legs: Sequence[Leg] | None = None,
        per_session: int | None = None,
        stores: Sequence[str] = STORES,
    ) -> Found:
        """Find what ``text`` asks for; see the operation ``memory.search``.

        Raises:
            InputError: The recipe is unknown, or a number is out of bounds.
        """
        if not (0 < limit <= MAX_LIMIT and offset >= 0 and (per_session is None or per_session > 0)):
            raise InputError(f"'limit' must be 1 to {MAX_LIMIT}, 'offset' 0 or more, 'per_session' 1 or more.")
        chosen = recipe_named(recipe)
        watch = Stopwatch()
        query = self.parse(text)
        watch.lap("parse")
        wanted = [leg for leg in chosen.legs if legs is None or leg in legs]
        where, last = conditions(query, stores), offset + limit
        ranking: Ranking | None = None
        found: Iterable[Leg]
        notes: tuple[str, ...]
        if all(term.excluded for term in query.terms):
            found, notes = (), ()
            ranked = in_order(await self._newest(query, where, _depth(last)))
        elif chosen.fusion == "learned" and "words" in wanted:
            deep, notes = await self._gather(query, where, wanted, deep_legs(last))
            found, ranking = deep, await self._learned(query, where, deep, last)
            ranked = ranking.ranked
        else:
            plain, notes = await self._gather(query, where, wanted, _plain_legs(_depth(last)))
            found, ranked = plain, rank(plain, chosen)
        watch.lap("candidates")
        ranked = spread(ranked, per_session)
        shown = ranked[offset:last]
        answer = await self._hydrate(ranked, ranking.explained(shown) if ranking else shown, query)
        watch.lap("hits")
        self._trace.event("search", recipe=recipe, candidates=len(ranked), ms=round(watch.total(), 2))
        return replace(
            answer, recipe=chosen.name, legs=tuple(found), notes=query.hints + notes, milliseconds=watch.laps
        )

    async def _gather(
        self, query: Query, where: Conditions, legs: Sequence[Leg], reads: Legs[F]
    ) -> tuple[dict[Leg, list[F]], tuple[str, ...]]:
        chosen: list[Leg] = [leg for leg in legs if leg == "words" or self._vectors]
        work = {"words": self._words, "vector": self._nearest}
        answers = await asyncio.gather(*(work[leg](query, where, reads) for leg in chosen), return_exceptions=True)
        found: dict[Leg, list[F]] = {}
        notes: list[str] = []
        for leg, answer in zip(chosen, answers, strict=True):
            if isinstance(answer, KeepsakeError) and leg == "vector":
                notes.append(_NO_VECTORS.format(reason=answer.message))
            elif isinstance(answer, BaseException):
                raise answer
            else:
                found[leg] = answer
        if "vector" in found and (pending := (await self._sync.state()).pending):
            notes.append(_FILLING.format(count=pending))
        return found, tuple(notes)

    async def _words(self, query: Query, where: Conditions, reads: Legs[F]) -> list[F]:
        match = match_expression(query, need_phrases=True)
        if match is None:
            return []
        return await self._store.read(partial(reads.words, match=match, where=where, depth=reads.words_depth))

    async def _nearest(self, query: Query, where: Conditions, reads: Legs[F]) -> list[F]:
        asked = " ".join(term.text for term in query.terms if not term.excluded)
        embedder = await self._sync.embedder()
        generation = await self._sync.generation()
        vector = (await asyncio.to_thread(embedder.embed_query, asked)).tobytes()
        return await self._store.read(
            partial(
                reads.vector,
                generation=generation,
                vector=vector,
                where=_demanded(query, where),
                depth=reads.vector_depth,
            )
        )

    async def _learned(
        self, query: Query, where: Conditions, legs: Mapping[Leg, Sequence[Scored]], last: int
    ) -> "Ranking":
        def work(connection: apsw.Connection) -> "Ranking":
            # Here, for numpy waits for the first search and does not hold up the loop.
            from app.retrieval.learned import load_ranker, rank_around  # noqa: PLC0415

            return rank_around(connection, query, _demanded(query, where), legs, load_ranker(), last)

        return await self._store.read(work)

    async def _newest(self, query: Query, where: Conditions, depth: int) -> list[Candidate]:
        narrowed = with_words(where, None, excluded_expression(query))
        return await self._store.read(partial(newest, where=narrowed, depth=depth))

    async def _hydrate(self, ranked: Sequence[Ranked], shown: Sequence[Ranked], query: Query) -> Found:
        def work(connection: apsw.Connection) -> Found:
            rows = rows_of(connection, [item.chunk_id for item in ranked])
            return Found(query, "", hits_of(connection, shown, rows, query), facets_of(rows), len(ranked))

        return await self._store.read(work)


def _depth(last: int) -> int:
    return min(max(DEPTH, last), MAX_DEPTH)


def _plain_legs(depth: int) -> Legs[Candidate]:
    return Legs(by_words, by_vector, depth, depth)


def _demanded(query: Query, where: Conditions) -> Conditions:
    """Return ``where`` with what the query's phrases and excluded words demand."""
    phrases = [term for term in query.terms if term.phrase and not term.excluded]
    return with_words(where, match_expression(phrases, "all"), excluded_expression(query))


class Stopwatch:
    """Milliseconds of each stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._begun = self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """End a stage."""
        now = time.perf_counter()
        self.laps[name] = (now - self._last) * 1000
        self._last = now

    def total(self) -> float:
        """Return milliseconds since the start."""
        return (self._last - self._begun) * 1000
