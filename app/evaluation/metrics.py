"""Metrics of a search benchmark, from the ranks of known answers. Pure functions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from app.evaluation.benchmark_model import SHOWN, Difference, Score
from app.evaluation.known_item_questions import KnownItemQuestion

_DIGITS: Final = 4
_FAR: Final = 11
"""Rank used for an answer that is not among the hits."""

Place = int | None


def answer_rank(questions: KnownItemQuestion, found: Sequence[str]) -> Place:
    """Return the rank of a question's answer among the hits, from 1, else ``None``.

    Args:
        questions: The question.
        found: The ids of the hits, best first.
    """
    right = {questions.target, *questions.neighbours}
    hits = [one for one in found if one != questions.excluded_id][:SHOWN]
    return next((at for at, one in enumerate(hits, 1) if one in right), None)


def score(name: str, places: Sequence[Place]) -> Score:
    """Return the score of questions whose answers have the ranks ``places``."""
    count = len(places)

    def share(most: int) -> float:
        return round(sum(place is not None and place <= most for place in places) / count, _DIGITS) if count else 0.0

    found = [place for place in places if place is not None]
    mrr = round(sum(1 / place for place in found) / count, _DIGITS) if count else 0.0
    return Score(name, count, share(1), share(5), share(10), mrr)


def score_by_part(questions: Sequence[KnownItemQuestion], places: Sequence[Place]) -> tuple[Score, ...]:
    """Return the scores by script, question shape and kind of item."""
    sorts: dict[str, list[Place]] = {}
    for question, place in zip(questions, places, strict=True):
        kind = "turns" if "#" in question.target else "memories"
        for name in (question.script, question.shape, kind):
            sorts.setdefault(name, []).append(place)
    return tuple(score(name, found) for name, found in sorted(sorts.items()))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that ``share`` of ``values`` do not exceed, 0 for no values."""
    ordered = sorted(values)
    return round(ordered[min(int(share * len(ordered)), len(ordered) - 1)], 2) if ordered else 0.0


def differences(questions: Sequence[KnownItemQuestion], places: Mapping[str, Sequence[Place]]) -> list[Difference]:
    """Return the questions that recipes answer differently, the most different first.

    Args:
        questions: The questions.
        places: Where each recipe has their answers.
    """
    rows = [
        Difference(question.query, question.target, {name: found[number] for name, found in places.items()})
        for number, question in enumerate(questions)
    ]
    differing = [row for row in rows if len(set(row.places.values())) > 1]
    return sorted(differing, key=lambda row: (-_span(row.places.values()), row.id))


def _span(places: Iterable[Place]) -> float:
    shares = [1 / (_FAR if place is None else place) for place in places]
    return max(shares) - min(shares)
