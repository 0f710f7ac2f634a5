"""The learned recipe: a weight for each feature, trained on questions with known answers; one list, best first."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import apsw
import numpy as np

from app.core.paths import resources
from app.errors import ModelUnavailableError
from app.index.postings import Postings
from app.retrieval.asked import Asked, asked
from app.retrieval.candidates import Conditions
from app.retrieval.conversations import gathered
from app.retrieval.features import NAMES, inputs, table
from app.retrieval.hits import Ranked
from app.retrieval.model import Leg, LegScore, Query, Why
from app.retrieval.pool import WHOLE, Gathered, Place, Scored, standing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

WEIGHTS: Final = "weights.json"
KEPT: Final = 400
"""How many candidates a search has, of which the facets are counted, unless a later page needs more."""
_DIGITS: Final = 9


@dataclass(frozen=True, slots=True)
class Ranker:
    """The weights in the order of the inputs: for questions asked of words and vectors, and of words alone."""

    with_vectors: "Matrix"
    words_only: "Matrix"


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates in order.

    Args:
        ranked: Best first, without what their features added.
        parts: What each feature added, a row for each of the first of ``ranked``, by target.
    """

    ranked: list[Ranked]
    parts: Mapping[str, "Matrix"]

    def explained(self, shown: Sequence[Ranked]) -> list[Ranked]:
        """Return ``shown`` with what each feature added to the score."""
        return [replace(item, why=replace(item.why, features=self._features(item.target))) for item in shown]

    def _features(self, target: str) -> dict[str, float]:
        parts = self.parts.get(target)
        if parts is None:
            return {}
        return {name: round(float(part), 4) for name, part in zip(NAMES, parts, strict=True) if part}


@lru_cache(maxsize=1)
def load_ranker(folder: Path | None = None) -> Ranker:
    """Return the weights in ``folder``, those that come with the program when not given.

    Raises:
        ModelUnavailableError: The file is missing, damaged or made for other features.
    """
    path = (folder or resources() / "models" / "ranker") / WEIGHTS
    try:
        content = json.loads(path.read_bytes())
        return Ranker(*(_weights(content[name]) for name in ("with_vectors", "words_only")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailableError(
            f"The search weights in {path} are missing or damaged; reinstall Keepsake or choose another search recipe.",
            path=str(path),
        ) from error


def _weights(given: Mapping[str, Sequence[float]]) -> "Matrix":
    if set(given) != set(NAMES):
        raise ValueError(sorted(set(given) ^ set(NAMES)))
    weights = np.array([given[name] for name in NAMES], dtype=np.float64)
    if weights.shape != (len(NAMES), 2) or not np.isfinite(weights).all():
        raise ValueError(given)
    return weights.T.ravel()


def rank_around(
    connection: apsw.Connection,
    query: Query,
    where: Conditions,
    legs: Mapping[Leg, Sequence[Scored]],
    ranker: Ranker,
    last: int,
    postings: "Postings | None" = None,
) -> Ranking:
    """Choose candidates among what the legs found and what stands near it, read around them and rank them."""
    question = asked(query.terms)
    found = standing(legs.get("words", ()), legs.get("vector", ()))
    read = gathered(connection, query, question, found, where, postings or Postings())
    return rank(question, read, legs, ranker, max(last, KEPT))


def rank(
    question: Asked,
    read: Gathered,
    legs: Mapping[Leg, Sequence[Scored]],
    ranker: Ranker,
    most: int = KEPT,
) -> Ranking:
    """Return the candidates by their features, then what else the legs found, best first.

    Args:
        question: What is asked.
        read: The candidates and what was read around them.
        legs: What each leg found, best first; where ``vector`` is missing, words alone decide.
        ranker: The weights.
        most: How many to return, if the legs found more than were looked at closely.
    """
    made = table(question, read)
    weights = ranker.with_vectors if "vector" in legs else ranker.words_only
    parts = (inputs(made.values) * weights).reshape(-1, 2, len(NAMES)).sum(axis=1)
    scores = np.round(parts.sum(axis=1), _DIGITS)
    targets = [_target(head.place) for head in made.heads]
    order = sorted(range(len(targets)), key=lambda row: (-scores[row], -made.heads[row].created_ms, targets[row]))
    chunks = _chunks(legs)
    whys = _whys(legs)
    ranked = [
        Ranked(
            targets[row],
            chunks.get(made.heads[row].place, made.heads[row].chunk_id),
            float(scores[row]),
            Why(whys.get(made.heads[row].place, ())),
        )
        for row in order
    ]
    lowest = min(scores, default=0.0)
    looked_at = set(read.candidates)
    # What was not looked at closely follows as it was found.
    rest = islice((place for place in chunks if place not in looked_at), max(most - len(ranked), 0))
    ranked += [Ranked(_target(place), chunks[place], float(lowest), Why(whys[place])) for place in rest]
    return Ranking(ranked, dict(zip(targets, parts, strict=True)))


def _target(place: Place) -> str:
    owner, seq = place
    return owner if seq == WHOLE else f"{owner}#{seq}"


def _chunks(legs: Mapping[Leg, Sequence[Scored]]) -> dict[Place, int]:
    """Return the chunk that stands for a place: where its words were found, for the snippet is cut around them."""
    chunks: dict[Place, int] = {}
    for items in (legs.get("words", ()), legs.get("vector", ())):
        for item in items:
            if not item.spans:
                chunks.setdefault(item.place, item.chunk_id)
    return chunks


def _whys(legs: Mapping[Leg, Sequence[Scored]]) -> dict[Place, tuple[LegScore, ...]]:
    whys: dict[Place, tuple[LegScore, ...]] = {}
    for leg, items in sorted(legs.items(), reverse=True):
        best = {item.place: item.score for item in reversed(items) if not item.spans}
        ordered = sorted(best.items(), key=lambda entry: (-entry[1], entry[0]))
        for number, (place, score) in enumerate(ordered, 1):
            whys[place] = (*whys.get(place, ()), LegScore(leg, number, score))
    return whys
