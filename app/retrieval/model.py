"""Values of a search: parsed query, hit with its reasons, and result."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

Target = Literal["message", "memory"]
Leg = Literal["words", "vector", "recent", "salient", "mentions", "entity"]
Part = Literal["words", "neighbour", "meaning"]
"""Part of an answer: texts with words or names of the query, messages beside them, or texts that are only near."""
UNINDEXED_STATES: Final = ("archived", "superseded")
"""Values of ``is:`` whose memories the index does not hold."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase of a query.

    Args:
        text: The word or phrase as typed, without operators or quotes.
        phrase: Its words must be adjacent.
        prefix: Matches any word that begins with it.
        excluded: Texts with it are excluded.
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
        kinds: From ``kind:``; ``message`` and its synonym ``episode`` mean messages.
        tags, stores, sessions, agents, entities, roles, projects, types, files, states: From the operators of those
            names (``is:pinned``, ``is:archived``, ``is:superseded``, ``is:pending`` fill ``states``).
        excluded: Operators written with a leading ``-``: pairs of operator and value.
        since: At or after, milliseconds UTC.
        until: Before, milliseconds UTC.
        moments: Time spans that its words name, such as "last week", relative to now or ``until``; messages from
            them are preferred.
        matches_nothing: No item can match, such as with an unknown kind; ``hints`` say why.
        hints: Sentences about parts that were not understood.
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
    projects: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    excluded: tuple[tuple[str, str], ...] = ()
    since: int | None = None
    until: int | None = None
    moments: tuple[tuple[int, int], ...] = ()
    hints: tuple[str, ...] = ()
    matches_nothing: bool = False

    @property
    def words(self) -> str:
        """Return the words and phrases that are not excluded, as one text."""
        return " ".join(term.text for term in self.terms if not term.excluded)

    @property
    def has_words(self) -> bool:
        """Return whether any word or phrase is not excluded."""
        return not all(term.excluded for term in self.terms)

    @property
    def asks_unindexed(self) -> bool:
        """Return whether the query asks for memories that the index does not hold."""
        return any(state in UNINDEXED_STATES for state in self.states)


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
        terms: Query words in the text, spelled as there.
        features: Named numbers that the ranker used.
    """

    legs: tuple[LegScore, ...] = ()
    terms: tuple[str, ...] = ()
    features: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate with its chunk, score, reasons and part of the answer."""

    target: str
    chunk_id: int
    score: float
    why: Why
    part: Part = "words"


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
        part: ``words`` with a word or name of the query or from a time it names, or where it has no words;
            ``neighbour`` among messages that have them; ``meaning`` where it is only near in meaning.
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
    part: Part = "words"


@dataclass(frozen=True, slots=True)
class FacetCount:
    """Number of candidates with a facet value: kind, agent, role, tag or store."""

    name: str
    value: str
    count: int


@dataclass(frozen=True, slots=True)
class MonthCount:
    """Number of texts from a month, such as ``2026-03``, that match a search."""

    month: str
    count: int


@dataclass(frozen=True, slots=True)
class Found:
    """Result of a search.

    Args:
        query: The parsed query.
        recipe: The recipe used.
        hits: Best first.
        facets: Counts over all candidates, not only the hits shown.
        candidates: Number of all results, of which the hits are a page.
        legs: Retrievers that ran; ``notes`` explain why one did not.
        notes: Sentences for the person, such as query hints or that the index is still being filled.
        milliseconds: Time spent in each stage.
        relaxed: Phrases without matches whose words were searched instead; also in ``notes``.
        near: How many results are only near in meaning; at most ten where words were searched too.
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
    near: int = 0
