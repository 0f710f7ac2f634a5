"""Tests the search with questions made from the person's own vault; nothing of it leaves the machine."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from app.changes import Changed, ChangeSet
from app.core.clock import Clock, to_datetime
from app.core.ids import new_id
from app.core.text import collapse, storable
from app.errors import InputError, NotFoundError
from app.evaluation import metrics as figures
from app.evaluation import repo as reads
from app.evaluation.benchmark_model import SHOWN, BenchmarkRun, Comparison, Judgement
from app.evaluation.question_set import QuestionSet, draw_questions
from app.jobs import Job
from app.retrieval.ranking.recipes import find_recipe as recipe_named
from app.retrieval.service import SearchService
from app.store.store import Store

MAX_RECIPES: Final = 10
_MAX_QUERY: Final = 1_000
_MOST_SHOWN: Final = 50


@dataclass(slots=True)
class _Run:
    """One recipe's answers so far."""

    recipe: str
    places: list[int | None] = field(default_factory=list)
    judged: list[int | None] = field(default_factory=list)
    laps: list[float] = field(default_factory=list)


class BenchmarkService:
    """Tests recipes.

    Args:
        store: The vault's database.
        search: What is tested.
        clock: When a test was.
        model: Names what makes the vectors.
    """

    def __init__(self, store: Store, search: SearchService, clock: Clock, model: Callable[[], str]) -> None:
        self._store = store
        self._search = search
        self._clock = clock
        self._model = model

    async def run(self, recipe: str, model: str, count: int, seed: int, job: Job, actor: str) -> Changed[BenchmarkRun]:
        """Ask questions made from the vault and keep the figures; see the operation ``trial.run``.

        Raises:
            InputError: The recipe or model is unknown, or nothing in the vault can be asked about.
        """
        if model not in ("", used := self._model()):
            raise InputError(
                f"The vectors of this vault are made by {used}. Set 'embedding.model' to test another.",
                field="model",
                allowed=used,
            )
        paper = await self._paper(count, seed)
        [done] = await self._answered([recipe], paper, job)
        trial = self._trial(done, paper)
        if trial.cancelled:
            return Changed(trial, ChangeSet(frozenset(), (), actor))
        trial = replace(trial, id=new_id("run"))
        await self._store.write(partial(reads.keep, trial=trial))
        return Changed(trial, ChangeSet(frozenset({"trials"}), (trial.id,), actor))

    async def compare(self, recipes: Sequence[str], count: int, seed: int, job: Job) -> Comparison:
        """Ask the same questions by several recipes; nothing is kept.

        Raises:
            InputError: A recipe is unknown, fewer than two are named, or nothing in the vault can be asked about.
        """
        distinct = list(dict.fromkeys(recipes))
        if not 2 <= len(distinct) <= MAX_RECIPES:  # noqa: PLR2004
            raise InputError(f"Name two to {MAX_RECIPES} recipes to compare.", field="recipes")
        paper = await self._paper(count, seed)
        runs = await self._answered(distinct, paper, job)
        asked = paper.made[: len(runs[0].places)]
        found = figures.differences(asked, {run.recipe: run.places for run in runs})
        trials = tuple(self._trial(run, paper) for run in runs)
        return Comparison(trials, len(found), tuple(found[:_MOST_SHOWN]))

    async def listed(self, limit: int) -> list[BenchmarkRun]:
        """Return past tests, the latest first."""
        return await self._store.read(partial(reads.kept, limit=limit))

    async def judge(self, query: str, target: str, *, good: bool | None, actor: str) -> Changed[Judgement | None]:
        """Keep whether an item is right for a query; ``None`` takes that back.

        Raises:
            InputError: The query is empty or very long.
            NotFoundError: There is no such item.
        """
        asked = collapse(storable(query)[0])
        if not 0 < len(asked) <= _MAX_QUERY:
            raise InputError(f"A judged query has 1 to {_MAX_QUERY:,} characters.", field="query")
        if good is None:
            await self._store.write(partial(reads.unjudge, query=asked, target=target))
            return Changed(None, ChangeSet(frozenset({"trials"}), (), actor))
        if not await self._store.read(partial(reads.exists, target=target)):
            raise NotFoundError(f"There is no turn or memory with the id {target}.", id=target)
        said = Judgement(asked, target, good, to_datetime(self._clock.now_ms()))
        await self._store.write(partial(reads.judge, said=said))
        return Changed(said, ChangeSet(frozenset({"trials"}), (), actor))

    async def judged(self, limit: int) -> list[Judgement]:
        """Return what was judged, the latest first."""
        return await self._store.read(partial(reads.judgements, limit=limit))

    async def _paper(self, count: int, seed: int) -> QuestionSet:
        paper = await draw_questions(self._store, count, seed)
        if not paper.size:
            raise InputError("There is too little in the vault to ask about. Add conversations or notes first.")
        return paper

    async def _answered(self, recipes: Sequence[str], paper: QuestionSet, job: Job) -> list[_Run]:
        """Return the answers; the recipes take turns, so that none has the warmer caches."""
        runs = [_Run(recipe_named(name).name) for name in recipes]
        # The first search opens the embedder, which says nothing about the others.
        await self._search.search("warm", limit=1, recipe=runs[0].recipe, is_aside=True)
        for number in range(paper.size):
            if job.is_cancelled():
                break
            for run in runs if number % 2 == 0 else reversed(runs):
                await self._ask(run, paper, number)
            job.advance(number + 1, paper.size)
        return runs

    async def _ask(self, run: _Run, paper: QuestionSet, number: int) -> None:
        begun = time.perf_counter()
        # Its words are the vault's own: no remote service gets to see them that may not.
        search = partial(self._search.search, recipe=run.recipe, is_aside=True)
        if number < len(paper.made):
            made = paper.made[number]
            found = await search(made.query, limit=SHOWN + bool(made.besides))
            run.places.append(figures.answer_rank(made, [hit.id for hit in found.hits]))
        else:
            judged = paper.judged[number - len(paper.made)]
            found = await search(judged.query, limit=SHOWN)
            ids = [hit.id for hit in found.hits]
            run.judged.append(ids.index(judged.id) + 1 if judged.id in ids else None)
        run.laps.append((time.perf_counter() - begun) * 1000)

    def _trial(self, run: _Run, paper: QuestionSet) -> BenchmarkRun:
        asked = paper.made[: len(run.places)]
        answers = list(zip(paper.judged, run.judged, strict=False))
        right = [place for judged, place in answers if judged.good]
        wrong = [place for judged, place in answers if not judged.good]
        missed = [question.target for question, place in zip(asked, run.places, strict=True) if place is None]
        return BenchmarkRun(
            id="",
            at=to_datetime(self._clock.now_ms()),
            recipe=run.recipe,
            model=self._model(),
            seed=paper.seed,
            chunks=paper.chunks,
            score=figures.score("all", run.places),
            parts=figures.score_by_part(asked, run.places),
            judged=figures.score("judged", right) if right else None,
            wrong=(sum(place is not None for place in wrong), len(wrong)),
            p50_ms=figures.percentile(run.laps, 0.5),
            p95_ms=figures.percentile(run.laps, 0.95),
            missed=tuple(missed[:_MOST_SHOWN]),
            cancelled=len(run.laps) < paper.size,
        )
