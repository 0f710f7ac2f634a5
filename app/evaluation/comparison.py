"""Comparison of two models or recipes by the hits of the same queries."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import apsw

from app.core.access import Access
from app.core.text import collapse, storable
from app.errors import InputError, ModelUnavailableError
from app.evaluation import comparison_metrics, metrics
from app.evaluation.comparison_metrics import ComparedQuery, SideResult
from app.evaluation.comparison_model import QueryComparison, RankingComparison, SideTotal
from app.evaluation.question_set import QuestionSet, draw_questions
from app.index.generations import generation_repo
from app.index.generations.active import ActiveEmbedding, GenerationManager, hide_folder
from app.index.repo import chunk_count
from app.jobs import Job
from app.retrieval.model import Leg
from app.retrieval.recipes import find_recipe
from app.retrieval.service import NO_MEANING, SearchService
from app.store.store import Store

MAX_QUERIES: Final = 200
MAX_HITS: Final = 20
MAX_CHARACTERS: Final = 1_000
_KEPT_HERE: Final = (
    "Questions made from the vault were left out: private texts are not sent to {model}. Your own queries are."
)
_ACCESS: Final = Access.everything("person", "evaluation.compare")
_NOTHING: Final = "There is nothing to ask: name queries, or have questions made from the vault."


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """Options of a comparison.

    Args:
        queries: The person's own queries.
        questions: Number of questions to make from the vault at most.
        seed: Seed that selects the questions.
        hits: Number of hits to compare.
        by_meaning: Whether to use vector search alone.
    """

    queries: Sequence[str] = ()
    questions: int = 50
    seed: int = 1
    hits: int = 10
    by_meaning: bool = False


@dataclass(slots=True)
class _Side:
    """One side of a comparison with its latencies so far."""

    serving: ActiveEmbedding
    recipe: str
    missing: int
    laps: list[float] = field(default_factory=list)
    failed: int = 0


class ComparisonService:
    """Comparisons of models and recipes by hits.

    Args:
        store: The vault's database.
        search: The search to run.
        generations: All generations of vectors.
        vectors: False where vectors are switched off.
    """

    def __init__(
        self, store: Store, search: SearchService, generations: GenerationManager, *, vectors: bool = True
    ) -> None:
        self._store = store
        self._search = search
        self._generations = generations
        self._vectors = vectors

    async def models(self, other: int | None, recipe: str, options: ComparisonOptions, job: Job) -> RankingComparison:
        """Compare the active vectors with those of another model; see ``embedding.compare``.

        Raises:
            InputError: There is nothing to compare or to ask, or a number is out of bounds.
            NotFoundError: There are no such vectors.
            ModelUnavailableError: One of the models cannot be opened.
        """
        name = find_recipe(recipe).name
        now = await self._serving()
        number = await self._store.read(_one_to_compare) if other is None else other
        async with self._generations.open_for_comparison(number) as other_embedding:
            pair = (await self._side(now, name), await self._side(other_embedding, name))
            return await self._compare(pair, options, job)

    async def recipes(self, recipe: str, other: str, options: ComparisonOptions, job: Job) -> RankingComparison:
        """Compare two recipes on the active vectors; see the operation ``trial.side_by_side``.

        Raises:
            InputError: A recipe is unknown, both are the same, there is nothing to ask, or a number is out of bounds.
            ModelUnavailableError: The model that made the vectors cannot be opened.
        """
        names = [find_recipe(name).name for name in (recipe, other)]
        if names[0] == names[1]:
            raise InputError("Name two different recipes to compare.", field="other")
        serving = await self._serving()
        pair = (await self._side(serving, names[0]), await self._side(serving, names[1]))
        return await self._compare(pair, options, job)

    async def _serving(self) -> ActiveEmbedding:
        if not self._vectors:
            raise InputError("Search by meaning is switched off. Set index.vectors to true and start Keepsake again.")
        try:
            return await self._generations.serving()
        except ModelUnavailableError as error:
            raise hide_folder(error) from None

    async def _side(self, serving: ActiveEmbedding, recipe: str) -> _Side:
        def missing(connection: apsw.Connection) -> int:
            wanted = chunk_count(connection)
            return max(0, wanted - generation_repo.count(connection, serving.generation))

        return _Side(serving, recipe, await self._store.read(missing))

    async def _compare(self, pair: tuple[_Side, _Side], options: ComparisonOptions, job: Job) -> RankingComparison:
        queries, notes = await self._queries(pair, options)
        legs: tuple[Leg, ...] | None = ("vector",) if options.by_meaning else None
        for side in pair:
            # The first search loads the models and caches.
            await self._search.search(
                _ACCESS,
                "warm",
                limit=1,
                recipe=side.recipe,
                is_internal=True,
                active_embedding=side.serving,
            )
        rows: list[QueryComparison] = []
        for number, one in enumerate(queries, 1):
            if job.is_cancelled():
                break
            # The sides alternate, so that caches favour none.
            order = (0, 1) if number % 2 else (1, 0)
            found = {at: await self._ask(pair[at], one, options.hits, legs) for at in order}
            rows.append(comparison_metrics.compare_answers(one, found[0], found[1]))
            job.advance(number, len(queries))
        return _totals(pair, rows, notes, is_cut=len(rows) < len(queries))

    async def _queries(
        self, pair: Sequence[_Side], options: ComparisonOptions
    ) -> tuple[list[ComparedQuery], tuple[str, ...]]:
        """Return the queries to run, and notes about those left out."""
        own = _checked_queries(options)
        question_set = (
            await draw_questions(self._store, options.questions, options.seed)
            if options.questions
            else QuestionSet((), (), 0, 0)
        )
        queries = [ComparedQuery(query, "asked") for query in own]
        queries += [ComparedQuery(said.query, "judged", said.id) for said in question_set.judged if said.good]
        # Generated questions contain private text, which some services must not receive.
        barred = next((side for side in pair if self._generations.keeps_private(side.serving)), None)
        if barred is None:
            queries += [
                ComparedQuery(one.query, "made", one.target, one.neighbours, one.excluded_id)
                for one in question_set.made
            ]
        notes = (
            () if barred is None or not question_set.made else (_KEPT_HERE.format(model=barred.serving.source.model),)
        )
        if not queries:
            raise InputError(" ".join((*notes, _NOTHING)), field="queries")
        return queries, notes

    async def _ask(self, side: _Side, queries: ComparedQuery, hits: int, legs: Sequence[Leg] | None) -> SideResult:
        begun = time.perf_counter()
        found = await self._search.search(
            _ACCESS,
            queries.query,
            limit=hits + bool(queries.excluded_id),
            recipe=side.recipe,
            legs=legs,
            is_internal=queries.origin == "made",
            active_embedding=side.serving,
        )
        ms = (time.perf_counter() - begun) * 1000
        side.laps.append(ms)
        note = next((one for one in found.notes if one.startswith(NO_MEANING)), "")
        side.failed += bool(note)
        return SideResult([hit for hit in found.hits if hit.id != queries.excluded_id][:hits], ms, note)


def _checked_queries(options: ComparisonOptions) -> list[str]:
    """Return the given queries without duplicates and empty ones."""
    if not 1 <= options.hits <= MAX_HITS:
        raise InputError(f"'hits' must be from 1 to {MAX_HITS}.", field="hits")
    own = list(dict.fromkeys(query for text in options.queries if (query := collapse(storable(text)[0]))))
    if len(own) > MAX_QUERIES or any(len(query) > MAX_CHARACTERS for query in own):
        raise InputError(
            f"Name {MAX_QUERIES} queries at most, each of up to {MAX_CHARACTERS:,} characters.", field="queries"
        )
    return own


def _one_to_compare(connection: apsw.Connection) -> int:
    """Return the generation being built, or the one that was active last."""
    rows = generation_repo.rows(connection)
    building = next((row for row in rows if row.state == "building"), None)
    served = [row for row in rows if row.state == "retired" and row.retired_ms is not None]
    chosen = building or max(served, key=lambda row: row.retired_ms or 0, default=None)
    if chosen is None:
        raise InputError(
            "There are no other vectors to compare with. Prepare a model with 'embedding.change' and 'waits'."
        )
    return chosen.generation.id


def _totals(
    pair: tuple[_Side, _Side], rows: Sequence[QueryComparison], notes: tuple[str, ...], *, is_cut: bool
) -> RankingComparison:
    better, worse = comparison_metrics.count_gains(rows)
    return RankingComparison(
        now=_total(pair[0], rows, 0),
        other=_total(pair[1], rows, 1),
        queries=len(rows),
        same=sum(row.is_same for row in rows),
        overlap=comparison_metrics.mean_overlap(rows),
        better=better,
        worse=worse,
        rows=comparison_metrics.select_rows(rows),
        notes=notes,
        cancelled=is_cut,
    )


def _total(side: _Side, rows: Sequence[QueryComparison], at: int) -> SideTotal:
    return SideTotal(
        model=side.serving.source.model,
        generation=side.serving.generation.id,
        dimensions=side.serving.generation.dimensions,
        recipe=side.recipe,
        missing=side.missing,
        without_meaning=side.failed,
        p50_ms=metrics.percentile(side.laps, 0.5),
        p95_ms=metrics.percentile(side.laps, 0.95),
        made=comparison_metrics.score(rows, at, "made"),
        judged=comparison_metrics.score(rows, at, "judged"),
    )
