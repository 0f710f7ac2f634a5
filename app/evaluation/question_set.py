"""Question set of a benchmark: questions made from the vault, and judgements."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from app.errors import InputError
from app.evaluation import repo as reads
from app.evaluation.known_item_questions import KnownItemQuestion, questions
from app.evaluation.model import Judgement
from app.sentence import Sentence
from app.store.store import Store

MAX_QUESTIONS: Final = 5_000
_MAX_JUDGED: Final = 1_000


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions and judgements of a benchmark.

    Args:
        made: Questions made from the vault.
        judged: Judgements of the person.
        chunks: Number of chunks in the vault.
        seed: Seed that selects the questions.
    """

    made: Sequence[KnownItemQuestion]
    judged: Sequence[Judgement]
    chunks: int
    seed: int

    @property
    def size(self) -> int:
        """Return the number of queries."""
        return len(self.made) + len(self.judged)


async def draw_questions(store: Store, count: int, seed: int) -> QuestionSet:
    """Return questions about the vault, with the judgements.

    Args:
        store: The vault's database.
        count: Maximum number of questions to make.
        seed: Seed that selects the questions.

    Raises:
        InputError: The number of questions is out of bounds.
    """
    if not 1 <= count <= MAX_QUESTIONS:
        raise InputError(Sentence("'questions' must be from 1 to {most}.", most=MAX_QUESTIONS), field="questions")
    items, chunks = await store.read(partial(reads.sample, most=count, seed=seed))
    judged = await store.read(partial(reads.judgements, limit=_MAX_JUDGED))
    return QuestionSet(questions(items, count, seed), judged, chunks, seed)
