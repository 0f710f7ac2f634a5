"""Search: parse, gather candidates by words and by vector side by side, fuse, and explain each hit."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

import apsw

from app.core.clock import Clock, to_ms
from app.core.text import storable
from app.errors import InputError, KeepsakeError, ModelUnavailableError
from app.index.sync import IndexSync
from app.memories.model import STORES
from app.retrieval.archived import STATE as ARCHIVED
from app.retrieval.archived import search_archived
from app.retrieval.candidates import (
    Candidate,
    Conditions,
    by_many_words,
    by_vector,
    by_words,
    conditions,
    newest,
    with_words,
)
from app.retrieval.context_rows import F, Legs, deep_legs
from app.retrieval.fts import atoms, excluded_expression, match_expression
from app.retrieval.hits import Ranked, facets_of, hits_of, rows_of
from app.retrieval.model import Found, Leg, OperatorHelp, Query, Term
from app.retrieval.past import Moment, search_past
from app.retrieval.pool import Scored
from app.retrieval.query import operators, parse
from app.retrieval.rank import in_order, rank, spread
from app.retrieval.recipes import DEFAULT, Recipe
from app.retrieval.recipes import recipe as recipe_named
from app.retrieval.relax import has_phrases, relaxed, relaxed_now
from app.retrieval.relax import notes as of_missing
from app.retrieval.standing_out import look_beyond
from app.retrieval.turns import Turns, in_turn
from app.store.store import Store
from app.trace.journal import Trace

if TYPE_CHECKING:
    from app.index.postings import Postings
    from app.retrieval.learned import Ranking

DEPTH = 200
MAX_DEPTH = 4_096  # neighbours at most that sqlite-vec gives; whoever pages on finds nothing more
MAX_LIMIT = 1_000
FALLBACK = "balanced"  # where the weights of "learned" are missing
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
        tune: Gives a recipe the weights that the settings say.
    """

    def __init__(
        self,
        store: Store,
        sync: IndexSync,
        trace: Trace,
        clock: Clock,
        *,
        vectors: bool = True,
        tune: Callable[[Recipe], Recipe] | None = None,
    ) -> None:
        self._store = store
        self._sync = sync
        self._trace = trace
        self._clock = clock
        self._vectors = vectors
        self._kept: Postings | None = None
        self.turns = Turns()
        self._tune = tune or (lambda recipe: recipe)
        self._has_ranker = False

    def parse(self, text: str) -> Query:
        """Return how ``text`` is understood."""
        return parse(storable(text)[0], self._clock.now_ms())

    @staticmethod
    def operators() -> list[OperatorHelp]:
        """Return the operators of the query language."""
        return list(operators())

    @in_turn
    async def search(
        self,
        text: str | Query,
        *,
        limit: int = 20,
        offset: int = 0,
        recipe: str = DEFAULT,
        legs: Sequence[Leg] | None = None,
        per_session: int | None = None,
        stores: Sequence[str] = STORES,
        as_of: datetime | None = None,
    ) -> Found:
        """Find what ``text`` asks for, or asked for at ``as_of``; see the operation ``memory.search``.

        Raises:
            InputError: The recipe is unknown, or a number is out of bounds.
        """
        if not (0 < limit <= MAX_LIMIT and offset >= 0 and (per_session is None or per_session > 0)):
            raise InputError(f"'limit' must be 1 to {MAX_LIMIT}, 'offset' 0 or more, 'per_session' 1 or more.")
        chosen, spared = await self._usable(self._tune(recipe_named(recipe)))
        watch = Stopwatch()
        query = self.parse(text) if isinstance(text, str) else text
        watch.lap("parse")
        if as_of is not None:
            moment = Moment(to_ms(as_of), stores, limit, offset, per_session)
            return await self._store.read(partial(_search_past, query=query, moment=moment))
        if ARCHIVED in query.states:
            return await self._store.read(
                partial(search_archived, query=query, limit=limit, offset=offset, stores=stores)
            )
        missing: tuple[str, ...] = ()
        if has_phrases(query):
            query, missing = await self._store.read(partial(relaxed_now, query=query, stores=stores))
        wanted = [leg for leg in chosen.legs if legs is None or leg in legs]
        where, last = conditions(query, stores), offset + limit
        ranking: Ranking | None = None
        found: Mapping[Leg, Sequence[object]]
        notes: tuple[str, ...]
        if all(term.excluded for term in query.terms):
            found, notes = {}, ()
            ranked = in_order(await self._newest(query, where, _depth(last, chosen.depth)))
        elif chosen.fusion == "learned" and "words" in wanted:
            deep, notes = await self._gather(query, where, wanted, deep_legs(last))
            found, ranking = deep, await self._learned(query, where, deep, last)
            ranked = ranking.ranked
        else:
            plain, notes = await self._gather(query, where, wanted, _plain_legs(_depth(last, chosen.depth)))
            plain = await self._store.read(partial(look_beyond, found=plain, recipe=chosen, where=where, wanted=wanted))
            found, ranked = plain, rank(plain, chosen)
        watch.lap("candidates")
        ranked = spread(ranked, per_session)
        shown = ranked[offset:last]
        answer = await self._hydrate(ranked, ranking.explained(shown) if ranking else shown, query)
        watch.lap("hits")
        self._tell(chosen, query, found, (len(ranked), len(shown)), watch)
        said = (*query.hints, *of_missing(missing), *spared, *notes)
        return replace(
            answer, recipe=chosen.name, legs=tuple(found), notes=said, milliseconds=watch.laps, relaxed=missing
        )

    def _tell(
        self,
        chosen: Recipe,
        query: Query,
        found: Mapping[Leg, Sequence[object]],
        counts: tuple[int, int],
        watch: "Stopwatch",
    ) -> None:
        """Keep how a search went in the trace: counts (ranked and shown) and times."""
        self._trace.event(
            "search",
            recipe=chosen.name,
            terms=len(query.terms),
            **{f"{leg}_candidates": len(found[leg]) for leg in found},
            ranked=counts[0],
            shown=counts[1],
            **{f"{stage}_ms": round(ms, 2) for stage, ms in watch.laps.items()},
            ms=round(watch.total(), 2),
        )

    async def _usable(self, chosen: Recipe) -> tuple[Recipe, tuple[str, ...]]:
        """Return ``chosen``, or what stands in for it where its weights are missing, with the reason."""
        if chosen.fusion != "learned" or self._has_ranker:
            return chosen, ()
        try:
            await asyncio.to_thread(_load_ranker)
        except ModelUnavailableError as error:
            self._trace.event("search.fallback", recipe=FALLBACK, error=error.code)
            return self._tune(recipe_named(FALLBACK)), (error.message,)
        self._has_ranker = True
        return chosen, ()

    async def _gather(
        self, query: Query, where: Conditions, legs: Sequence[Leg], reads: Legs[F]
    ) -> tuple[dict[Leg, list[F]], tuple[str, ...]]:
        work = {"words": self._words, "vector": self._nearest}
        chosen: list[Leg] = [leg for leg in legs if leg == "words" or (leg in work and self._vectors)]
        answers = await asyncio.gather(*(work[leg](query, where, reads) for leg in chosen), return_exceptions=True)
        found: dict[Leg, list[F]] = {}
        notes: list[str] = []
        for leg, answer in zip(chosen, answers, strict=True):
            if isinstance(answer, KeepsakeError) and leg == "vector":
                notes.append(_NO_VECTORS.format(reason=answer.message))
                self._trace.event("search.fallback", leg="vector", error=answer.code)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                found[leg] = answer
        # How much waits is said to whoever may know of all of it.
        if "vector" in found and where.sees_all and (pending := await self._sync.pending()):
            notes.append(_FILLING.format(count=pending))
        return found, tuple(notes)

    async def _words(self, query: Query, where: Conditions, reads: Legs[F]) -> list[F]:
        match = match_expression(query, need_phrases=True)
        if match is None:
            return []
        if any(term.phrase and not term.excluded for term in query.terms):
            # A phrase leaves little to score.
            return await self._store.read(partial(reads.words, match=match, where=where, depth=reads.words_depth))
        return await self._store.read(
            partial(
                reads.many,
                postings=self._postings(),
                atoms=atoms(query),
                unwanted=excluded_expression(query),
                where=where,
                depth=reads.words_depth,
            )
        )

    def _postings(self) -> "Postings":
        from app.index.postings import Postings  # noqa: PLC0415  (numpy waits for the first search)

        self._kept = self._kept or Postings()
        return self._kept

    async def _nearest(self, query: Query, where: Conditions, reads: Legs[F]) -> list[F]:
        asked = " ".join(term.text for term in query.terms if not term.excluded)
        serving = await self._sync.serving()
        vector = (await asyncio.to_thread(serving.embedder.embed_query, asked)).tobytes()
        return await self._store.read(
            partial(
                reads.vector,
                generation=serving.generation,
                vector=vector,
                where=_demanded(query, where),
                depth=reads.vector_depth,
                near=self._sync.near(),
            )
        )

    async def _learned(
        self, query: Query, where: Conditions, legs: Mapping[Leg, Sequence[Scored]], last: int
    ) -> "Ranking":
        def work(connection: apsw.Connection) -> "Ranking":
            # Here, for numpy waits for the first search and does not hold up the loop.
            from app.retrieval.learned import load_ranker, rank_around  # noqa: PLC0415

            demanded = _demanded(query, where)
            return rank_around(connection, query, demanded, legs, load_ranker(), last, self._postings())

        return await self._store.read(work)

    async def _newest(self, query: Query, where: Conditions, depth: int) -> list[Candidate]:
        narrowed = with_words(where, None, excluded_expression(query))
        return await self._store.read(partial(newest, where=narrowed, depth=depth))

    async def _hydrate(self, ranked: Sequence[Ranked], shown: Sequence[Ranked], query: Query) -> Found:
        def work(connection: apsw.Connection) -> Found:
            rows = rows_of(connection, [item.chunk_id for item in ranked])
            return Found(query, "", hits_of(connection, shown, rows, query), facets_of(rows), len(ranked))

        return await self._store.read(work)


def _search_past(connection: apsw.Connection, query: Query, moment: Moment) -> Found:
    """Search the past; a phrase that stood nowhere then is searched by its words, as it was then."""

    def stood(term: Term) -> bool:
        alone = replace(moment, limit=1, offset=0)
        return bool(search_past(connection, Query(term.text, (term,)), alone).candidates)

    missing: tuple[str, ...] = ()
    if has_phrases(query):
        query, missing = relaxed(query, stood)
    found = search_past(connection, query, moment)
    return replace(found, notes=(*found.notes, *of_missing(missing)), relaxed=missing)


def _load_ranker() -> None:
    from app.retrieval.learned import load_ranker  # noqa: PLC0415

    load_ranker()


def _depth(last: int, depth: int) -> int:
    return min(max(depth, last), MAX_DEPTH)


def _plain_legs(depth: int) -> Legs[Candidate]:
    return Legs(by_words, by_many_words, by_vector, depth, depth)


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
