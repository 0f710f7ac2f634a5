"""Values of a comparison by hits: the same queries answered by two sides."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.evaluation.benchmark_model import Score

Origin = Literal["asked", "judged", "made"]
"""Origin of a query: typed now, judged earlier, or made from the vault."""


@dataclass(frozen=True, slots=True)
class SideHit:
    """Hit of one side.

    Args:
        id: ``<session id>#<seq>`` for a message, the memory's id otherwise.
        kind: ``message`` or the memory's kind.
        title: The session's or memory's title.
        snippet: Part of the text.
        author: Who said it, or in which role.
        created_at: When.
        place: Where it stands, from 1.
        other: Where the other side has it; ``None`` where it is not among the hits looked at.
        is_right: Whether it is the known answer.
    """

    id: str
    kind: str
    title: str
    snippet: str
    author: str
    created_at: datetime
    place: int
    other: int | None = None
    is_right: bool = False


@dataclass(frozen=True, slots=True)
class SideAnswer:
    """Answer of one side to a query.

    Args:
        hits: Best first.
        place: Where the known answer stands; ``None`` where none is known or it is not among the hits.
        ms: Milliseconds the search took.
        note: Why meaning was left out; empty where it was not.
    """

    hits: tuple[SideHit, ...]
    place: int | None
    ms: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class QueryComparison:
    """Both sides' answers to one query.

    Args:
        query: What was searched.
        origin: Origin of the query.
        target: The known answer's id; empty where none is known.
        now: The side that answers searches at present.
        other: The other side.
        common: How many hits both have.
        moved: How many of those stand elsewhere.
    """

    query: str
    origin: Origin
    target: str
    now: SideAnswer
    other: SideAnswer
    common: int
    moved: int

    @property
    def is_same(self) -> bool:
        """Tell whether both sides return the same hits in the same order."""
        return not self.moved and self.common == len(self.now.hits) == len(self.other.hits)


@dataclass(frozen=True, slots=True)
class SideTotal:
    """Totals of one side over all queries.

    Args:
        model: Embedding model.
        generation: Their number.
        dimensions: Their length.
        recipe: Name of the recipe.
        missing: Texts that have no vector there, such as those that came since.
        without_meaning: Queries that were answered by words alone because meaning failed.
        p50_ms, p95_ms: Milliseconds of a search: the median, and what 95 of 100 stay below. Vectors are compared one
            by one on both sides, without the quick look-up that only those in use have.
        made: Over questions made from the vault; ``None`` where none was asked.
        judged: Over what the person judged right; ``None`` where nothing was.
    """

    model: str
    generation: int
    dimensions: int
    recipe: str
    missing: int
    without_meaning: int
    p50_ms: float
    p95_ms: float
    made: Score | None = None
    judged: Score | None = None


@dataclass(frozen=True, slots=True)
class RankingComparison:
    """Comparison of two sides over all queries.

    Args:
        now: The side that answers searches at present.
        other: The other side.
        queries: How many were asked.
        same: How many of them both answer alike, hit for hit.
        overlap: Mean share of hits that both have.
        better: Known answers that stand higher on the other side.
        worse: Known answers that stand lower there.
        rows: What the person asked and judged, in that order, then the questions made from the vault that differ most.
        notes: Sentences about what was left out.
        cancelled: It was stopped; the figures are of what was asked until then.
    """

    now: SideTotal
    other: SideTotal
    queries: int
    same: int
    overlap: float
    better: int
    worse: int
    rows: tuple[QueryComparison, ...]
    notes: tuple[str, ...] = ()
    cancelled: bool = False
