"""Search benchmark with questions made from the person's own vault, run locally."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from app.changes import Changed, ChangeSet
from app.core.access import Access
from app.core.clock import Clock, to_datetime
from app.core.ids import new_id
from app.core.text import collapse, storable
from app.errors import InputError, NotFoundError
from app.evaluation import metrics
from app.evaluation import repo as reads
from app.evaluation.model import SHOWN, BenchmarkRun, Judgement
from app.evaluation.question_set import QuestionSet, draw_questions
from app.jobs import Job
from app.retrieval.recipes import find_recipe
from app.retrieval.service import SearchService
from app.sentence import Sentence
from app.store.store import Store

_MAX_QUERY: Final = 1_000
_MOST_SHOWN: Final = 50
_ACCESS: Final = Access.everything("person", "evaluation.run")


@dataclass(slots=True)
class _Run:
    """Answers of one recipe so far."""

    recipe: str
    places: list[int | None] = field(default_factory=list)
    judged: list[int | None] = field(default_factory=list)
    laps: list[float] = field(default_factory=list)


class BenchmarkService:
    """Benchmark of search recipes.

    Args:
        store: The vault's database.
        search: The search to test.
        clock: Current time.
        model: Returns the name of the embedding model.
    """

    def __init__(self, store: Store, search: SearchService, clock: Clock, model: Callable[[], str]) -> None:
        self._store = store
        self._search = search
        self._clock = clock
        self._model = model

    async def run(self, recipe: str, model: str, count: int, seed: int, job: Job, actor: str) -> Changed[BenchmarkRun]:
        """Run a benchmark and store its result; see the operation ``trial.run``.

        Raises:
            InputError: The recipe or model is unknown, or nothing in the vault can be asked about.
        """
        if model not in ("", used := self._model()):
            raise InputError(
                Sentence(
                    "The vectors of this vault are made by {used}. Set 'embedding.model' to test another.", used=used
                ),
                field="model",
                allowed=used,
            )
        question_set = await self._question_set(count, seed)
        trial = self._finished(await self._ask_all(recipe, question_set, job), question_set)
        if trial.cancelled:
            return Changed(trial, ChangeSet(frozenset(), (), actor))
        trial = replace(trial, id=new_id("run"))
        await self._store.write(partial(reads.keep, trial=trial))
        return Changed(trial, ChangeSet(frozenset({"trials"}), (trial.id,), actor))

    async def listed(self, limit: int) -> list[BenchmarkRun]:
        """Return stored benchmark runs, the latest first."""
        return await self._store.read(partial(reads.kept, limit=limit))

    async def judge(self, query: str, target: str, *, good: bool | None, actor: str) -> Changed[Judgement | None]:
        """Store whether an item is right for a query; ``None`` removes the judgement.

        Raises:
            InputError: The query is empty or very long.
            NotFoundError: There is no such item.
        """
        questions = collapse(storable(query)[0])
        if not 0 < len(questions) <= _MAX_QUERY:
            raise InputError(Sentence("A judged query has 1 to {most} characters.", most=_MAX_QUERY), field="query")
        if good is None:
            await self._store.write(partial(reads.unjudge, query=questions, target=target))
            return Changed(None, ChangeSet(frozenset({"trials"}), (), actor))
        if not await self._store.read(partial(reads.exists, target=target)):
            raise NotFoundError(
                Sentence("There is no message or memory with the id {target}.", target=target), id=target
            )
        judgement = Judgement(questions, target, good, to_datetime(self._clock.now_ms()))
        await self._store.write(partial(reads.judge, judgement=judgement))
        return Changed(judgement, ChangeSet(frozenset({"trials"}), (), actor))

    async def judged(self, limit: int) -> list[Judgement]:
        """Return the judgements, the latest first."""
        return await self._store.read(partial(reads.judgements, limit=limit))

    async def _question_set(self, count: int, seed: int) -> QuestionSet:
        question_set = await draw_questions(self._store, count, seed)
        if not question_set.size:
            raise InputError("There is too little in the vault to ask about. Add conversations or notes first.")
        return question_set

    async def _ask_all(self, recipe: str, question_set: QuestionSet, job: Job) -> _Run:
        run = _Run(find_recipe(recipe).name)
        # The first search opens the embedder and is not measured.
        await self._search.search(_ACCESS, "warm", limit=1, recipe=run.recipe, is_internal=True)
        for number in range(question_set.size):
            if job.is_cancelled():
                break
            await self._ask(run, question_set, number)
            job.advance(number + 1, question_set.size)
        return run

    async def _ask(self, run: _Run, question_set: QuestionSet, number: int) -> None:
        begun = time.perf_counter()
        # Generated questions contain private text, so the search is internal.
        search = partial(self._search.search, recipe=run.recipe, is_internal=True)
        if number < len(question_set.made):
            question = question_set.made[number]
            result = await search(_ACCESS, question.query, limit=SHOWN + bool(question.excluded_id))
            run.places.append(metrics.answer_rank(question, [hit.id for hit in result.hits]))
        else:
            judged = question_set.judged[number - len(question_set.made)]
            result = await search(_ACCESS, judged.query, limit=SHOWN)
            ids = [hit.id for hit in result.hits]
            run.judged.append(ids.index(judged.id) + 1 if judged.id in ids else None)
        run.laps.append((time.perf_counter() - begun) * 1000)

    def _finished(self, run: _Run, question_set: QuestionSet) -> BenchmarkRun:
        questions = question_set.made[: len(run.places)]
        answers = list(zip(question_set.judged, run.judged, strict=False))
        right = [place for judged, place in answers if judged.good]
        wrong = [place for judged, place in answers if not judged.good]
        missed = [question.target for question, place in zip(questions, run.places, strict=True) if place is None]
        return BenchmarkRun(
            id="",
            at=to_datetime(self._clock.now_ms()),
            recipe=run.recipe,
            model=self._model(),
            seed=question_set.seed,
            chunks=question_set.chunks,
            score=metrics.score("all", run.places),
            parts=metrics.score_by_part(questions, run.places),
            judged=metrics.score("judged", right) if right else None,
            wrong=(sum(place is not None for place in wrong), len(wrong)),
            p50_ms=metrics.percentile(run.laps, 0.5),
            p95_ms=metrics.percentile(run.laps, 0.95),
            missed=tuple(missed[:_MOST_SHOWN]),
            cancelled=len(run.laps) < question_set.size,
        )
