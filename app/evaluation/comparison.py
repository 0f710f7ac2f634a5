"""Answers the same queries in two ways, to see what another model or another recipe changes before it is chosen."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import apsw

from app.core.text import collapse, storable
from app.errors import InputError, ModelUnavailableError
from app.evaluation import comparison_metrics as sides
from app.evaluation import metrics as figures
from app.evaluation.comparison_metrics import ComparedQuery, SideResult
from app.evaluation.comparison_model import QueryComparison, RankingComparison, SideTotal
from app.evaluation.question_set import QuestionSet, draw_questions
from app.index.generations import generation_repo
from app.index.generations.active import ActiveEmbedding, GenerationManager, hide_folder
from app.jobs import Job
from app.retrieval.model import Leg
from app.retrieval.ranking.recipes import find_recipe as recipe_named
from app.retrieval.service import NO_MEANING, SearchService
from app.store.store import Store

MAX_QUERIES: Final = 200
MAX_HITS: Final = 20
MAX_CHARACTERS: Final = 1_000
_KEPT_HERE: Final = (
    "Questions made from the vault were left out: private texts are not sent to {model}. Your own queries are."
)
_NOTHING: Final = "There is nothing to ask: name queries, or let questions be made from the vault."


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """How to compare.

    Args:
        queries: What the person wants answered.
        questions: How many to make from the vault at most; 0 for none.
        seed: Which of those.
        hits: How many hits are looked at.
        by_meaning: Whether meaning alone answers.
    """

    queries: Sequence[str] = ()
    questions: int = 50
    seed: int = 1
    hits: int = 10
    by_meaning: bool = False


@dataclass(slots=True)
class _Side:
    """One way to answer, and how long it took so far."""

    serving: ActiveEmbedding
    recipe: str
    missing: int
    laps: list[float] = field(default_factory=list)
    failed: int = 0


class ComparisonService:
    """Compares by hits.

    Args:
        store: The vault's database.
        search: What answers.
        generations: The vectors there are.
        vectors: False where vectors are switched off.
    """

    def __init__(
        self, store: Store, search: SearchService, generations: GenerationManager, *, vectors: bool = True
    ) -> None:
        self._store = store
        self._search = search
        self._generations = generations
        self._vectors = vectors

    async def models(self, other: int | None, recipe: str, terms: ComparisonOptions, job: Job) -> RankingComparison:
        """Compare the vectors that serve with those of another model; see the operation ``embedding.compare``.

        Raises:
            InputError: There is nothing to compare or to ask, or a number is out of bounds.
            NotFoundError: There are no such vectors.
            ModelUnavailableError: One of the models cannot be opened.
        """
        name = recipe_named(recipe).name
        now = await self._serving()
        number = await self._store.read(_one_to_compare) if other is None else other
        async with self._generations.open_for_comparison(number) as beside:
            pair = (await self._side(now, name), await self._side(beside, name))
            return await self._compared(pair, terms, job)

    async def recipes(self, recipe: str, other: str, terms: ComparisonOptions, job: Job) -> RankingComparison:
        """Compare two recipes over the vectors that serve; see the operation ``trial.side_by_side``.

        Raises:
            InputError: A recipe is unknown, both are the same, there is nothing to ask, or a number is out of bounds.
            ModelUnavailableError: The model that made the vectors cannot be opened.
        """
        names = [recipe_named(name).name for name in (recipe, other)]
        if names[0] == names[1]:
            raise InputError("Name two different recipes to compare.", field="other")
        serving = await self._serving()
        pair = (await self._side(serving, names[0]), await self._side(serving, names[1]))
        return await self._compared(pair, terms, job)

    async def _serving(self) -> ActiveEmbedding:
        if not self._vectors:
            raise InputError("Search by meaning is switched off. Set index.vectors to true and start Keepsake again.")
        try:
            return await self._generations.serving()
        except ModelUnavailableError as error:
            raise hide_folder(error) from None

    async def _side(self, serving: ActiveEmbedding, recipe: str) -> _Side:
        def missing(connection: apsw.Connection) -> int:
            wanted = generation_repo.wanted_count(connection)
            return max(0, wanted - generation_repo.count(connection, serving.generation))

        return _Side(serving, recipe, await self._store.read(missing))

    async def _compared(self, pair: tuple[_Side, _Side], terms: ComparisonOptions, job: Job) -> RankingComparison:
        asked, notes = await self._asked(pair, terms)
        legs: tuple[Leg, ...] | None = ("vector",) if terms.by_meaning else None
        for side in pair:
            # The first search loads what the others find loaded.
            await self._search.search("warm", limit=1, recipe=side.recipe, is_aside=True, over=side.serving)
        rows: list[QueryComparison] = []
        for number, one in enumerate(asked, 1):
            if job.is_cancelled():
                break
            # They take turns, so that none has the warmer caches.
            order = (0, 1) if number % 2 else (1, 0)
            found = {at: await self._ask(pair[at], one, terms.hits, legs) for at in order}
            rows.append(sides.compare_answers(one, found[0], found[1]))
            job.advance(number, len(asked))
        return _summed(pair, rows, notes, is_cut=len(rows) < len(asked))

    async def _asked(
        self, pair: Sequence[_Side], terms: ComparisonOptions
    ) -> tuple[list[ComparedQuery], tuple[str, ...]]:
        """Return what to ask, and sentences about what is not."""
        own = _checked(terms)
        paper = (
            await draw_questions(self._store, terms.questions, terms.seed)
            if terms.questions
            else QuestionSet((), (), 0, 0)
        )
        asked = [ComparedQuery(query, "asked") for query in own]
        asked += [ComparedQuery(said.query, "judged", said.id) for said in paper.judged if said.good]
        # What the vault says must not reach a service that private texts must not reach.
        barred = next((side for side in pair if self._generations.keeps_private(side.serving)), None)
        if barred is None:
            asked += [ComparedQuery(one.query, "made", one.target, one.near, one.besides) for one in paper.made]
        notes = () if barred is None or not paper.made else (_KEPT_HERE.format(model=barred.serving.source.model),)
        if not asked:
            raise InputError(" ".join((*notes, _NOTHING)), field="queries")
        return asked, notes

    async def _ask(self, side: _Side, asked: ComparedQuery, hits: int, legs: Sequence[Leg] | None) -> SideResult:
        begun = time.perf_counter()
        found = await self._search.search(
            asked.query,
            limit=hits + bool(asked.besides),
            recipe=side.recipe,
            legs=legs,
            is_aside=asked.origin == "made",
            over=side.serving,
        )
        ms = (time.perf_counter() - begun) * 1000
        side.laps.append(ms)
        note = next((one for one in found.notes if one.startswith(NO_MEANING)), "")
        side.failed += bool(note)
        return SideResult([hit for hit in found.hits if hit.id != asked.besides][:hits], ms, note)


def _checked(terms: ComparisonOptions) -> list[str]:
    """Return the queries without doubles and empty ones."""
    if not 1 <= terms.hits <= MAX_HITS:
        raise InputError(f"'hits' must be from 1 to {MAX_HITS}.", field="hits")
    own = list(dict.fromkeys(query for text in terms.queries if (query := collapse(storable(text)[0]))))
    if len(own) > MAX_QUERIES or any(len(query) > MAX_CHARACTERS for query in own):
        raise InputError(
            f"Name {MAX_QUERIES} queries at most, each of up to {MAX_CHARACTERS:,} characters.", field="queries"
        )
    return own


def _one_to_compare(connection: apsw.Connection) -> int:
    """Return the number of the vectors that are built, or of those that served last."""
    rows = generation_repo.rows(connection)
    building = next((row for row in rows if row.state == "building"), None)
    served = [row for row in rows if row.state == "retired" and row.retired_ms is not None]
    chosen = building or max(served, key=lambda row: row.retired_ms or 0, default=None)
    if chosen is None:
        raise InputError(
            "There are no other vectors to compare with. Prepare a model with 'embedding.change' and 'waits'."
        )
    return chosen.generation.id


def _summed(
    pair: tuple[_Side, _Side], rows: Sequence[QueryComparison], notes: tuple[str, ...], *, is_cut: bool
) -> RankingComparison:
    better, worse = sides.count_gains(rows)
    return RankingComparison(
        now=_total(pair[0], rows, 0),
        other=_total(pair[1], rows, 1),
        queries=len(rows),
        same=sum(row.is_same for row in rows),
        overlap=sides.mean_overlap(rows),
        better=better,
        worse=worse,
        rows=sides.select_rows(rows),
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
        p50_ms=figures.percentile(side.laps, 0.5),
        p95_ms=figures.percentile(side.laps, 0.95),
        made=sides.score(rows, at, "made"),
        judged=sides.score(rows, at, "judged"),
    )
