"""Metrics of a comparison by hits: overlap, moves and gains. Pure functions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.evaluation import metrics
from app.evaluation.benchmark_model import Score
from app.evaluation.comparison_model import Origin, QueryComparison, SideAnswer, SideHit
from app.evaluation.metrics import Place
from app.retrieval.model import Hit

MOST_MADE: Final = 50
"""Maximum number of generated questions shown with their hits."""
_DIGITS: Final = 4
_FAR: Final = 1_000
"""Rank used for an answer that is not among the hits."""


@dataclass(frozen=True, slots=True)
class ComparedQuery:
    """Query of a comparison.

    Args:
        query: The query.
        origin: Origin of the query.
        target: The known answer's id, empty where none is known.
        neighbours: Ids of neighbours, which count as right too.
        excluded_id: Message that contains the question itself; removed from the hits.
    """

    query: str
    origin: Origin
    target: str = ""
    neighbours: tuple[str, ...] = ()
    excluded_id: str = ""

    @property
    def right(self) -> frozenset[str]:
        """Return the ids of right answers."""
        return frozenset((self.target, *self.neighbours)) if self.target else frozenset()


@dataclass(frozen=True, slots=True)
class SideResult:
    """Result of one side: hits, milliseconds, and a note where vectors were left out."""

    hits: Sequence[Hit]
    ms: float
    note: str = ""


def compare_answers(query: ComparedQuery, now: SideResult, other: SideResult) -> QueryComparison:
    """Return both sides' answers to a query, and how they differ."""
    here, there = ({hit.id: at for at, hit in enumerate(side.hits, 1)} for side in (now, other))
    common = here.keys() & there.keys()
    return QueryComparison(
        query.query,
        query.origin,
        query.target,
        _answer(now, here, there, query.right),
        _answer(other, there, here, query.right),
        len(common),
        sum(here[one] != there[one] for one in common),
    )


def _answer(side: SideResult, here: Mapping[str, int], there: Mapping[str, int], right: Collection[str]) -> SideAnswer:
    hits = tuple(_hit(hit, at, there.get(hit.id), right) for at, hit in enumerate(side.hits, 1))
    place = min((at for one, at in here.items() if one in right), default=None)
    return SideAnswer(hits, place, round(side.ms, 2), side.note)


def _hit(hit: Hit, place: int, other: int | None, right: Collection[str]) -> SideHit:
    author = hit.author or hit.role
    return SideHit(hit.id, hit.kind, hit.title, hit.snippet, author, hit.created_at, place, other, hit.id in right)


def mean_overlap(rows: Sequence[QueryComparison]) -> float:
    """Return the mean share of common hits, 1 where there are no hits."""
    shares = [row.common / most if (most := max(len(row.now.hits), len(row.other.hits))) else 1.0 for row in rows]
    return round(sum(shares) / len(shares), _DIGITS) if shares else 1.0


def count_gains(rows: Sequence[QueryComparison]) -> tuple[int, int]:
    """Return how many known answers rank higher on the other side, and how many lower."""
    steps = [_far(row.now.place) - _far(row.other.place) for row in rows if row.target]
    return sum(step > 0 for step in steps), sum(step < 0 for step in steps)


def score(rows: Sequence[QueryComparison], side: int, origin: Origin) -> Score | None:
    """Return the score of a side on queries of an origin, ``None`` without such queries."""
    query = [row for row in rows if row.origin == origin and row.target]
    places = [(row.now, row.other)[side].place for row in query]
    return metrics.score(origin, places) if places else None


def select_rows(rows: Sequence[QueryComparison]) -> tuple[QueryComparison, ...]:
    """Return the person's own queries, then the generated questions that differ most."""
    own = [row for origin in ("asked", "judged") for row in rows if row.origin == origin]
    made = [row for row in rows if row.origin == "made" and not row.is_same]
    return (*own, *sorted(made, key=lambda row: (-_step(row), row.target))[:MOST_MADE])


def _step(row: QueryComparison) -> float:
    """Return the weight of a known answer's move, larger near the top."""
    return abs(1 / _far(row.now.place) - 1 / _far(row.other.place))


def _far(place: Place) -> int:
    return _FAR if place is None else place
