"""The learned recipe: a weight for each feature, trained on questions with known answers; one list, best first."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

from app.core.paths import resources
from app.errors import ModelUnavailableError
from app.index.heads import Heads
from app.index.postings import Postings, last_chunk
from app.retrieval.asked import Asked, asked
from app.retrieval.candidates import Conditions
from app.retrieval.conversations import gathered
from app.retrieval.deep import nothing
from app.retrieval.features import BLOCKS, NAMES, Table, is_message, shares, table, weighed, with_kin
from app.retrieval.hits import Ranked
from app.retrieval.kin import kinship
from app.retrieval.model import Leg, LegScore, Query, Why
from app.retrieval.pool import WHOLE, Gathered, Marks, Places, Scores, named, nth_of_each, once, standing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Vectors = Callable[[NDArray[np.integer[Any]]], NDArray[np.float32]]

WEIGHTS: Final = "weights.json"
SETS: Final = ("with_vectors", "with_model", "words_only")
KEPT: Final = 400
"""How many candidates a search has, of which the facets are counted, unless a later page needs more."""
_DIGITS: Final = 9
_SHOWN_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Ranker:
    """The weights in the order of the inputs.

    Args:
        with_vectors: For questions asked of words and of the vectors of a table.
        with_model: For questions asked of words and of the vectors of a model that reads whole sentences.
        words_only: For questions asked of words alone.
    """

    with_vectors: "Matrix"
    with_model: "Matrix"
    words_only: "Matrix"

    def weights(self, legs: Iterable[Leg], *, is_model: bool) -> "Matrix":
        """Return those for what ``legs`` found."""
        if "vector" not in legs:
            return self.words_only
        return self.with_model if is_model else self.with_vectors


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates in order, best first.

    Args:
        heads: Knows whose they are.
        places: Which turns and memories.
        ids: Of the chunk that stands for each.
        scores: Their scores.
        parts: What each feature added, a row for each of the first of them.
        legs: What each leg found.
    """

    heads: Heads
    places: Places
    ids: "Ints"
    scores: "Matrix"
    parts: "Matrix"
    legs: Mapping[Leg, Scores]

    def spread(self, per_session: int | None) -> "Ints":
        """Return the rows of all, or with at most ``per_session`` turns of one conversation."""
        if per_session is None:
            return np.arange(len(self.places))
        return np.flatnonzero((self.places.seq == WHOLE) | (nth_of_each(self.places.owner) <= per_session))

    def shown(self, rows: "Ints") -> list[Ranked]:
        """Return the candidates in ``rows``, each with its reasons."""
        if not len(rows):
            return []
        found = [(leg, Placing(items)) for leg, items in sorted(self.legs.items(), reverse=True)]
        places = self.places.at(rows)
        whys = zip(*(one.of(leg, places) for leg, one in found), strict=True)
        targets = _targets(self.heads, places)
        return [
            Ranked(target, chunk, score, Why(tuple(part for part in why if part), (), features))
            for target, chunk, score, why, features in zip(
                targets, self.ids[rows].tolist(), self.scores[rows].tolist(), whys, self._features(rows), strict=True
            )
        ]

    def _features(self, rows: "Ints") -> list[dict[str, float]]:
        """Return what each feature added to the candidates in ``rows``; nothing for those not looked at closely."""
        known = np.round(self.parts[rows[rows < len(self.parts)]], _SHOWN_DIGITS).tolist()
        made = [{name: part for name, part in zip(NAMES, parts, strict=True) if part} for parts in known]
        return made + [{} for _ in range(len(rows) - len(made))]


class Placing:
    """Where places stand in a leg: best first, of equals the first by name.

    Args:
        items: What the leg found.
    """

    def __init__(self, items: Scores) -> None:
        whole = items.at(~items.spans)
        self._heads, self._marks = items.heads, Marks(whole.places, whole.values)
        self._sorted = np.sort(-self._marks.values)

    def of(self, leg: Leg, places: Places) -> list[LegScore | None]:
        """Return the rank and score of ``places``, ``None`` for those that the leg did not find."""
        values = self._marks.of(places, np.nan)
        first, end = (np.searchsorted(self._sorted, -values, side) for side in ("left", "right"))
        ranks = first + 1
        for row in np.flatnonzero(end - first > 1).tolist():
            ranks[row] += self._before(places.at(np.array([row])), values[row])
        return [
            None if np.isnan(value) else LegScore(leg, rank, value)
            for rank, value in zip(ranks.tolist(), values.tolist(), strict=True)
        ]

    def _before(self, place: Places, value: float) -> int:
        """Return how many places of the same score come before one."""
        (mine,) = named(self._heads, place)
        equals = named(self._heads, self._marks.places.at(self._marks.values == value))
        return sum(other < mine for other in equals)


@lru_cache(maxsize=1)
def load_ranker(folder: Path | None = None) -> Ranker:
    """Return the weights in ``folder``, those that come with the program when not given.

    Raises:
        ModelUnavailableError: The file is missing, damaged or made for other features.
    """
    path = (folder or resources() / "models" / "ranker") / WEIGHTS
    try:
        content = json.loads(path.read_bytes())
        return Ranker(*(_weights(content[name]) for name in SETS))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailableError(
            f"The search weights in {path} are missing or damaged; reinstall Keepsake or choose another search recipe.",
            path=str(path),
        ) from error


def _weights(given: Mapping[str, Sequence[float]]) -> "Matrix":
    if set(given) != set(NAMES):
        raise ValueError(sorted(set(given) ^ set(NAMES)))
    weights = np.array([given[name] for name in NAMES], dtype=np.float64)
    if weights.shape != (len(NAMES), BLOCKS) or not np.isfinite(weights).all():
        raise ValueError(given)
    return weights.T.ravel()


def rank_around(
    connection: apsw.Connection,
    query: Query,
    where: Conditions,
    legs: Mapping[Leg, Scores],
    weights: "Matrix",
    last: int,
    postings: Postings,
    vectors: "Vectors | None" = None,
) -> Ranking:
    """Choose candidates among what the legs found and what stands near it, read around them and rank them."""
    question = asked(query)
    heads = postings.heads(connection, last_chunk(connection))
    words = legs.get("words", nothing())
    found = standing(heads, words, legs.get("vector", nothing()))
    read = gathered(connection, query, question, found, where, postings, words.matches)
    return rank(question, read, legs, weights, max(last, KEPT), vectors)


def rank(
    question: Asked,
    read: Gathered,
    legs: Mapping[Leg, Scores],
    weights: "Matrix",
    most: int = KEPT,
    vectors: "Vectors | None" = None,
) -> Ranking:
    """Return the candidates by their features, then what else the legs found, best first.

    Args:
        question: What is asked.
        read: The candidates and what was read around them.
        legs: What each leg found, best first.
        weights: What the inputs are multiplied with; see ``Ranker``.
        most: How many to return, if the legs found more than were looked at closely.
        vectors: Gives those of chunks, of zeros where there is none; conversations are not compared without.
    """
    made = table(question, read)
    share = shares(made.values)
    if vectors is not None and is_message(share):
        share = with_kin(share, weights, kinship(made.places.owner, vectors(made.ids)))
    parts = (weighed(share) * weights).reshape(-1, BLOCKS, len(NAMES)).sum(axis=1)
    scores = np.round(parts.sum(axis=1), _DIGITS)
    order = _best_first(made, scores, read.lines.heads)
    places, found = made.places.at(order), _chunks(legs)
    # What was not looked at closely follows as it was found.
    unseen = np.flatnonzero(~np.isin(found.places.keys, read.candidates.keys))[: max(most - len(places), 0)]
    lowest = float(scores.min()) if len(scores) else 0.0
    return Ranking(
        read.lines.heads,
        once([places, found.places.at(unseen)]),
        np.concatenate([found.of(places, made.ids[order]), found.values[unseen]]).astype(np.int64),
        np.concatenate([scores[order], np.full(len(unseen), lowest)]),
        parts[order],
        legs,
    )


def _best_first(made: Table, scores: "Matrix", heads: Heads) -> "Ints":
    """Return the rows in order: the best, of equals the latest, and of these the first by name."""
    if len(np.unique(scores)) == len(scores):
        return np.argsort(-scores)
    return np.lexsort((np.array(_targets(heads, made.places)), -made.created, -scores))


def _targets(heads: Heads, places: Places) -> list[str]:
    return [owner if seq == WHOLE else f"{owner}#{seq}" for owner, seq in named(heads, places)]


def _chunks(legs: Mapping[Leg, Scores]) -> Marks:
    """Return the chunk that stands for a place: where its words were found, for the snippet is cut around them."""
    names: tuple[Leg, ...] = ("words", "vector")
    single = [items.at(~items.spans) for name in names if (items := legs.get(name)) is not None]
    ids = np.concatenate([np.zeros(0, dtype=np.int64), *(items.ids for items in single)])
    places = [items.places for items in single]
    owner = np.concatenate([ids[:0], *(one.owner for one in places)])
    return Marks(Places(owner, np.concatenate([ids[:0], *(one.seq for one in places)])), ids.astype(np.float64))
