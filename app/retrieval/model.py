"""Values of a search: parsed query, hit with its reasons, and result."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Target = Literal["message", "memory"]
Leg = Literal["words", "vector", "recent", "salient", "mentions", "entity"]


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase of a query.

    Args:
        text: The word or phrase as typed, without operators or quotes.
        phrase: Its words must stand side by side.
        prefix: Any word that begins with it.
        excluded: Nothing that has it.
    """

    text: str
    phrase: bool = False
    prefix: bool = False
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed search.

    Args:
        text: What the person typed.
        terms: Words and phrases, in order.
        kinds: From ``kind:``; ``message`` and its synonym ``episode`` mean turns of conversations.
        tags, stores, sessions, agents, entities, roles, types, states: From the operators of those names
            (``is:pinned``, ``is:archived``, ``is:superseded``, ``is:pending`` fill ``states``).
        excluded: Operators written with a leading ``-``: pairs of operator and value.
        since: At or after, milliseconds UTC.
        until: Before, milliseconds UTC.
        moments: Spans that its words name, such as "last week", seen from now or from ``until``; what was said then is
            preferred.
        matches_nothing: No item can satisfy it, such as ``kind:`` with a kind that there is not; ``hints`` say why.
        hints: Sentences about what was not understood.
    """

    text: str
    terms: tuple[Term, ...] = ()
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    excluded: tuple[tuple[str, str], ...] = ()
    since: int | None = None
    until: int | None = None
    moments: tuple[tuple[int, int], ...] = ()
    hints: tuple[str, ...] = ()
    matches_nothing: bool = False


@dataclass(frozen=True, slots=True)
class OperatorHelp:
    """Help on an operator of the query language: name, effect and example values."""

    name: str
    help: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of code points in a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LegScore:
    """Rank (from 1) and raw score of a hit by one retriever; higher is better.

    The score is BM25 (words), cosine (vector), milliseconds UTC (recent), importance (salient), how often it was said
    (mentions) or how many of the entities named it mentions (entity).
    """

    leg: Leg
    rank: int
    score: float
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Why:
    """Reasons for a hit.

    Args:
        legs: Each leg that found it.
        terms: The asked words that the text contains, as they stand in it.
        features: Further named numbers the recipe used.
    """

    legs: tuple[LegScore, ...] = ()
    terms: tuple[str, ...] = ()
    features: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """A message or memory that a search found.

    Args:
        id: ``<session id>#<seq>`` for a message, the memory's id otherwise.
        title: The session's title, or its first words where it has none; the memory's title.
        snippet: Part of the text around the best match.
        highlights: Ranges in ``snippet`` to mark.
        kind: ``message`` or the memory's kind.
        score: The recipe's score, comparable within one answer only.
    """

    id: str
    target: Target
    kind: str
    title: str
    snippet: str
    highlights: tuple[Span, ...]
    score: float
    why: Why
    created_at: datetime
    session_id: str | None = None
    seq: int | None = None
    role: str = ""
    author: str = ""
    agent: str = ""
    store: str = "private"
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FacetCount:
    """Number of candidates with a facet value: kind, agent, role, tag or store."""

    name: str
    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Found:
    """Result of a search.

    Args:
        query: As understood.
        recipe: The recipe used.
        hits: Best first.
        facets: Counts over all candidates, not only the hits shown.
        candidates: How many candidates were gathered.
        legs: Which legs ran; a leg that could not is missing here and explained in ``notes``.
        notes: Sentences for the person: hints of the query, a leg that was left out, an index still filling.
        milliseconds: Time spent in each stage.
        relaxed: Phrases that stand nowhere, of which the words were searched instead; ``notes`` say so too.
    """

    query: Query
    recipe: str
    hits: tuple[Hit, ...]
    facets: tuple[FacetCount, ...] = ()
    candidates: int = 0
    legs: tuple[Leg, ...] = ()
    notes: tuple[str, ...] = ()
    milliseconds: dict[str, float] = field(default_factory=dict)
    relaxed: tuple[str, ...] = ()
