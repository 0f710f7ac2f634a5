"""Question set of a comparison: questions made from the vault, and judgements."""

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
    """Questions and judgements to ask about.

    Args:
        made: Questions made from the vault.
        judged: Judgements of the person.
    """

    made: Sequence[KnownItemQuestion]
    judged: Sequence[Judgement]


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
    items = await store.read(partial(reads.sample, most=count, seed=seed))
    judged = await store.read(partial(reads.judgements, limit=_MAX_JUDGED))
    return QuestionSet(questions(items, count, seed), judged)
