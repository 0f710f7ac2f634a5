"""Comparison of two embedding models: how many questions with a known answer each finds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import apsw

from app.core.access import Access
from app.errors import InputError, ModelUnavailableError
from app.evaluation.known_item_questions import KnownItemQuestion
from app.evaluation.model import SHOWN, ModelComparison, ModelResult
from app.evaluation.question_set import draw_questions
from app.index.generations import generation_repo
from app.index.generations.active import ActiveEmbedding, GenerationManager, hide_folder
from app.index.repo import chunk_count
from app.jobs import Job
from app.retrieval.recipes import find_recipe
from app.retrieval.service import NO_MEANING, SearchService
from app.sentence import Sentence, joined
from app.store.store import Store

_SEED: Final = 1
_KEPT_HERE: Final = "Questions made from the vault were left out: private texts are not sent to {model}."
_NOTHING: Final = "There is too little to ask about. Add conversations or notes, or judge search results first."
_ACCESS: Final = Access.everything("person", "evaluation.compare")


@dataclass(slots=True)
class _Side:
    """One model of a comparison with its results so far."""

    embedding: ActiveEmbedding
    missing: int
    places: list[int | None] = field(default_factory=list)
    failed: int = 0

    def result(self) -> ModelResult:
        hits = sum(place is not None for place in self.places)
        generation = self.embedding.generation.id
        return ModelResult(self.embedding.source.model, generation, hits, self.missing, self.failed)


class ComparisonService:
    """Comparison of the active embedding model with another one.

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

    async def models(self, other: int | None, recipe: str, count: int, job: Job) -> ModelComparison:
        """Compare the active model with another one; see the operation ``embedding.compare``.

        Raises:
            InputError: There is nothing to compare or to ask, or a number is out of bounds.
            NotFoundError: There are no such vectors.
            ModelUnavailableError: One of the models cannot be opened.
        """
        recipe = find_recipe(recipe).name
        now = await self._serving()
        generation = await self._store.read(_one_to_compare) if other is None else other
        async with self._generations.open_for_comparison(generation) as embedding:
            sides = (await self._side(now), await self._side(embedding))
            questions, notes = await self._questions(sides, count)
            for number, question in enumerate(questions, 1):
                if job.is_cancelled():
                    break
                for side in sides:
                    await self._ask(side, question, recipe)
                job.advance(number, len(questions))
        size = len(sides[0].places)
        return ModelComparison(sides[0].result(), sides[1].result(), size, notes, cancelled=size < len(questions))

    async def _serving(self) -> ActiveEmbedding:
        if not self._vectors:
            raise InputError("Search by meaning is switched off. Set index.vectors to true and start Keepsake again.")
        try:
            return await self._generations.serving()
        except ModelUnavailableError as error:
            raise hide_folder(error) from None

    async def _side(self, embedding: ActiveEmbedding) -> _Side:
        def missing(connection: apsw.Connection) -> int:
            wanted = chunk_count(connection)
            return max(0, wanted - generation_repo.count(connection, embedding.generation))

        return _Side(embedding, await self._store.read(missing))

    async def _questions(self, sides: Sequence[_Side], count: int) -> tuple[list[KnownItemQuestion], tuple[str, ...]]:
        """Return the questions to ask, and notes about those left out."""
        question_set = await draw_questions(self._store, count, _SEED)
        questions = [
            KnownItemQuestion(judgement.query, judgement.id, "", "judged")
            for judgement in question_set.judged
            if judgement.good
        ]
        # Generated questions contain private text, which some services must not receive.
        barred = next((side for side in sides if self._generations.keeps_private(side.embedding)), None)
        notes: tuple[Sentence, ...] = ()
        if barred is None:
            questions += question_set.made
        elif question_set.made:
            notes = (Sentence(_KEPT_HERE, model=barred.embedding.source.model),)
        if not questions:
            raise InputError(joined((*notes, Sentence(_NOTHING))))
        return questions, notes

    async def _ask(self, side: _Side, question: KnownItemQuestion, recipe: str) -> None:
        result = await self._search.search(
            _ACCESS,
            question.query,
            limit=SHOWN + bool(question.excluded_id),
            recipe=recipe,
            is_internal=question.shape != "judged",
            active_embedding=side.embedding,
        )
        side.failed += any(note.startswith(NO_MEANING) for note in result.notes)
        side.places.append(answer_rank(question, [hit.id for hit in result.hits]))


def answer_rank(question: KnownItemQuestion, ids: Sequence[str]) -> int | None:
    """Return the rank of a question's answer among the hits, from 1, else ``None``.

    Args:
        question: The question.
        ids: The ids of the hits, best first.
    """
    right = {question.target, *question.neighbours}
    hits = [identity for identity in ids if identity != question.excluded_id][:SHOWN]
    return next((at for at, identity in enumerate(hits, 1) if identity in right), None)


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
