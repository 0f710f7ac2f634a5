"""Linear ranker of the learned recipe: one weight for each feature, trained on known answers."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.core.paths import resources
from app.errors import ModelUnavailableError
from app.index.columns.chunk_columns import ChunkColumns
from app.retrieval.candidates.scored_chunks import WHOLE, MessagePlaces, ScoredChunks, concatenated
from app.retrieval.model import Leg, LegScore, RankedCandidate, Why
from app.retrieval.ranking.candidate_pool import RankingInput, RetrieverScores, with_owner_ids
from app.retrieval.ranking.features import (
    BLOCKS,
    NAMES,
    FeatureTable,
    expand_interactions,
    is_message_query,
    min_max_scale,
    with_session_similarity,
)
from app.retrieval.ranking.project_preference import PREFERENCE
from app.retrieval.ranking.session_similarity import session_similarity
from app.retrieval.results.relevance_cutoff import MatchSignals
from app.sentence import Sentence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Vectors = Callable[[NDArray[np.integer[Any]]], NDArray[np.float32]]

WEIGHTS: Final = "weights.json"
SETS: Final = ("with_vectors", "with_model", "words_only")
KEPT: Final = 400
"""Number of candidates of a search, over which facets are counted; more where a later page needs them."""
MENTION: Final = 4.0
"""Score added for a mention of a named entity, about that of a rare word. It was not learned."""
_TIME: Final = NAMES.index("date_near")
_OWN: Final = [NAMES.index("coverage")]
_COVERAGE_WINDOW: Final = NAMES.index("coverage_window")
_AROUND: Final = [NAMES.index(name) for name in ("coverage_window", "bm25_window", "bm25_passage")]
_LEADERS: Final = 10
"""Number of first candidates among which one must bear on the query."""
_DIGITS: Final = 9
_SHOWN_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class LinearRanker:
    """Weights of the linear ranker, in the order of its inputs.

    Args:
        with_vectors: For lexical search with vectors of a static embedding table.
        with_model: For lexical search with vectors of a contextual model.
        words_only: For lexical search alone.
    """

    with_vectors: "Matrix"
    with_model: "Matrix"
    words_only: "Matrix"

    def weights(self, legs: Iterable[Leg], *, is_contextual: bool) -> "Matrix":
        """Return the weights for the retrievers in ``legs``."""
        if "vector" not in legs:
            return self.words_only
        return self.with_model if is_contextual else self.with_vectors


@dataclass(frozen=True, slots=True)
class RankedChunks:
    """Ranked candidates, best first.

    Args:
        found: Scores of the retrievers.
        mentions: Mentions of entities that the query names.
        places: Messages and memories.
        rows: Row of each in ``found``.
        ids: Chunk id of each.
        scores: Score of each.
        parts: Contribution of each feature, a row for each ranked candidate.
        matched: Weight of the query's words in each ranked candidate and around it; see ``FeatureTable.matched``.
        share: Share of the weight of all words that this is.
        preferred: Whether each ranked candidate is of the project that is worked on.
    """

    found: RetrieverScores
    mentions: ScoredChunks
    places: MessagePlaces
    rows: "Ints"
    ids: "Ints"
    scores: "Matrix"
    parts: "Matrix"
    matched: "Matrix"
    share: "Matrix"
    preferred: "NDArray[np.bool_]"

    def best_first(self) -> "RankedChunks":
        """Return the ranking, which is in order."""
        return self

    def found_only(self) -> "RankedChunks":
        """Return what a retriever found, without what merely stands beside it."""
        by_legs = (self.found.words_rank[self.rows] > 0) | (self.found.vector_rank[self.rows] > 0)
        return self.at(np.flatnonzero(by_legs | _are_mentioned(self.mentions, self.places)))

    def at(self, rows: "Ints") -> "RankedChunks":
        """Return the candidates in ``rows``, which are ascending."""
        return replace(
            self,
            places=self.places.at(rows),
            rows=self.rows[rows],
            ids=self.ids[rows],
            scores=self.scores[rows],
            parts=self.parts[ranked := rows[rows < len(self.parts)]],
            matched=self.matched[ranked],
            share=self.share[ranked],
            preferred=self.preferred[ranked],
        )

    def signals(self) -> MatchSignals:
        """Return what matched in each candidate."""
        scores, known = self.found, self.rows
        shares = np.zeros((len(self.ids), len(NAMES)), dtype=np.bool_)
        shares[: len(self.parts)] = self.parts != 0
        has_words = (scores.words_rank[known] > 0) | shares[:, _OWN].any(axis=1)
        cosines = np.where(scores.vector_rank[known] > 0, scores.cosines[known], -1.0)
        is_neighbour = np.asarray(shares[:, _AROUND].any(axis=1))
        return MatchSignals(has_words | self._are_named(), is_neighbour, cosines, self.scores)

    def bears(self, matched: float, share: float, cosine: float) -> bool:
        """Tell whether one of the first candidates bears on the query.

        It names what the query names, is near in meaning, or the query's words in it and around it weigh enough.

        Args:
            matched: Least weight of the words; see ``FeatureTable.matched``.
            share: Least share of the weight of all words.
            cosine: Cosine from which it is near.
        """
        known = slice(0, _LEADERS)
        weighs = (self.matched[known] >= matched) & (self.share[known] >= share)
        is_near = self.found.cosines[self.rows[known]] >= cosine
        return bool(weighs.any() or is_near.any() or self._are_named()[known].any())

    def _are_named(self) -> "NDArray[np.bool_]":
        """Return a mask of the candidates with an entity or time of the query."""
        times = self.parts[:, _TIME]
        named = np.asarray(_are_mentioned(self.mentions, self.places))
        named[: len(times)] |= (times >= times.max(initial=0.0) / 2) & (times > 0)
        return named

    def shown(self, start: int, end: int) -> list[RankedCandidate]:
        """Return the candidates from number ``start`` up to ``end`` with their reasons."""
        places = self.places.at(slice(start, end))
        legs = list(_mention_scores(self.mentions, places))
        whys = zip(*self._legs(self.rows[start:end]), legs, strict=True)
        return [
            RankedCandidate(
                target, chunk, score, Why(tuple(leg for leg in why if leg), (), _with_entity(features, why[-1]))
            )
            for target, chunk, score, why, features in zip(
                _targets(self.found.columns, places),
                self.ids[start:end].tolist(),
                self.scores[start:end].tolist(),
                whys,
                self._features(start, end, len(places)),
                strict=True,
            )
        ]

    def _legs(self, known: "Ints") -> "Iterator[list[LegScore | None]]":
        """Yield each retriever's rank and score for the rows ``known``."""
        scores = self.found
        legs: tuple[tuple[Leg, Ints, Matrix], ...] = (
            ("words", scores.words_rank, scores.bm25),
            ("vector", scores.vector_rank, scores.cosines),
        )
        for leg, ranks, values in legs:
            both = zip(ranks[known].tolist(), values[known].tolist(), strict=True)
            yield [LegScore(leg, rank, value) if rank else None for rank, value in both]

    def _features(self, start: int, end: int, count: int) -> list[dict[str, float]]:
        """Return each feature's contribution to ``count`` candidates from ``start``, empty for unranked ones."""
        known = np.round(self.parts[start:end], _SHOWN_DIGITS).tolist()
        preferred = self.preferred[start:end].tolist()
        named = [
            dict(compress(zip(NAMES, parts, strict=True), parts)) | ({"project": PREFERENCE} if is_preferred else {})
            for parts, is_preferred in zip(known, preferred, strict=True)
        ]
        return named + [{} for _ in range(count - len(named))]


@lru_cache(maxsize=1)
def load_ranker(folder: Path | None = None) -> LinearRanker:
    """Load the weights from ``folder``, by default those that come with the program.

    Raises:
        ModelUnavailableError: The file is missing, damaged or made for other features.
    """
    path = (folder or resources() / "models" / "ranker") / WEIGHTS
    try:
        content = json.loads(path.read_bytes())
        return LinearRanker(*(_weights(content[name]) for name in SETS))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailableError(
            Sentence(
                "The search weights in {path} are missing or damaged; reinstall Keepsake or choose another"
                " search recipe.",
                path=path,
            ),
            path=str(path),
        ) from error


def _weights(given: Mapping[str, Sequence[float]]) -> "Matrix":
    if set(given) != set(NAMES):
        raise ValueError(sorted(set(given) ^ set(NAMES)))
    weights = np.array([given[name] for name in NAMES], dtype=np.float64)
    if weights.shape != (len(NAMES), BLOCKS) or not np.isfinite(weights).all():
        raise ValueError(given)
    return weights.T.ravel()


def rank(
    table: FeatureTable,
    weights: "Matrix",
    most: int = KEPT,
    vectors: "Vectors | None" = None,
    preferred: "Ints | None" = None,
) -> RankedChunks:
    """Return the candidates ranked by their features, then the other results, best first.

    Args:
        table: Features of the candidates.
        weights: Weights of the inputs; see ``LinearRanker``.
        most: Number to return where the retrievers found more than were ranked.
        vectors: Reads vectors of chunks, zeros for none; without it sessions are not compared.
        preferred: Numbers of the sessions and memories of the project that is worked on, if any.
    """
    places, retriever_scores, mentions = table.places, table.gathered.found, table.gathered.mentions
    share = min_max_scale(table.values)
    if vectors is not None and is_message_query(share):
        share = with_session_similarity(share, weights, session_similarity(places.owner, vectors(table.ids)))
    parts = (expand_interactions(share) * weights).reshape(-1, BLOCKS, len(NAMES)).sum(axis=1)
    scores = np.round(parts.sum(axis=1) + MENTION * _are_mentioned(mentions, places), _DIGITS)
    is_preferred = np.isin(places.owner, [] if preferred is None else preferred)
    scores = scores + PREFERENCE * is_preferred
    order = _best_first(retriever_scores.columns, places, table.created, scores)
    rows, unseen = table.gathered.rows[table.kept[order]], _unseen(table.gathered)[: max(most - len(order), 0)]
    chunks = retriever_scores.chunks[rows]
    lowest = float(scores.min()) if len(scores) else 0.0
    return RankedChunks(
        retriever_scores,
        mentions,
        concatenated([places.at(order), retriever_scores.places.at(unseen)]),
        np.concatenate([rows, unseen]),
        np.concatenate([np.where(chunks > 0, chunks, table.ids[order]), retriever_scores.chunks[unseen]]),
        np.concatenate([scores[order], np.full(len(unseen), lowest)]),
        parts[order],
        table.matched[order],
        table.values[order, _COVERAGE_WINDOW],
        is_preferred[order],
    )


def _are_mentioned(mentions: ScoredChunks, places: MessagePlaces) -> "NDArray[np.bool_]":
    """Return a mask of ``places`` that mention entities."""
    return np.isin(places.keys, mentions.places.keys)


def _mention_scores(mentions: ScoredChunks, places: MessagePlaces) -> "Iterator[LegScore | None]":
    """Yield rank and number of entities of each place, ``None`` without a mention."""
    ranks = {key: rank for rank, key in enumerate(mentions.places.keys.tolist())}
    for key in places.keys.tolist():
        rank = ranks.get(key)
        yield None if rank is None else LegScore("entity", rank + 1, float(mentions.values[rank]))


def _with_entity(features: dict[str, float], leg: LegScore | None) -> dict[str, float]:
    return features if leg is None or not features else {**features, "entity": MENTION}


def _unseen(gathered: RankingInput) -> "Ints":
    """Return the rows of results that are not candidates, lexical results first."""
    scores = gathered.found
    is_left = scores.chunks > 0
    is_left[gathered.rows] = False
    rows = np.flatnonzero(is_left)
    ranks, last = scores.words_rank[rows], len(scores.keys)
    return np.asarray(rows[np.lexsort((scores.vector_rank[rows], np.where(ranks > 0, ranks, last)))])


def _best_first(
    columns: ChunkColumns, places: MessagePlaces, created: "NDArray[np.integer[Any]]", scores: "Matrix"
) -> "Ints":
    """Return the rows in order: best score, then latest, then smallest id."""
    if len(np.unique(scores)) == len(scores):
        return np.argsort(-scores)
    return np.lexsort((np.array(_targets(columns, places)), -created, -scores))


def _targets(columns: ChunkColumns, places: MessagePlaces) -> list[str]:
    return [owner if seq == WHOLE else f"{owner}#{seq}" for owner, seq in with_owner_ids(columns, places)]
