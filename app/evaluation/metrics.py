"""Metrics of a search benchmark, from the ranks of known answers. Pure functions."""

from collections.abc import Sequence
from typing import Final

from app.evaluation.known_item_questions import KnownItemQuestion
from app.evaluation.model import SHOWN, Score

_DIGITS: Final = 4

Place = int | None


def answer_rank(questions: KnownItemQuestion, ids: Sequence[str]) -> Place:
    """Return the rank of a question's answer among the hits, from 1, else ``None``.

    Args:
        questions: The question.
        ids: The ids of the hits, best first.
    """
    right = {questions.target, *questions.neighbours}
    hits = [identity for identity in ids if identity != questions.excluded_id][:SHOWN]
    return next((at for at, identity in enumerate(hits, 1) if identity in right), None)


def score(name: str, places: Sequence[Place]) -> Score:
    """Return the score of questions whose answers have the ranks ``places``."""
    count = len(places)

    def share(most: int) -> float:
        return round(sum(place is not None and place <= most for place in places) / count, _DIGITS) if count else 0.0

    ranks = [place for place in places if place is not None]
    mrr = round(sum(1 / place for place in ranks) / count, _DIGITS) if count else 0.0
    return Score(name, count, share(1), share(5), share(10), mrr)


def score_by_part(questions: Sequence[KnownItemQuestion], places: Sequence[Place]) -> tuple[Score, ...]:
    """Return the scores by script, question shape and kind of item."""
    sorts: dict[str, list[Place]] = {}
    for question, place in zip(questions, places, strict=True):
        kind = "turns" if "#" in question.target else "memories"
        for name in (question.script, question.shape, kind):
            sorts.setdefault(name, []).append(place)
    return tuple(score(name, places) for name, places in sorted(sorts.items()))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that ``share`` of ``values`` do not exceed, 0 for no values."""
    ordered = sorted(values)
    return round(ordered[min(int(share * len(ordered)), len(ordered) - 1)], 2) if ordered else 0.0
