"""Features of the learned recipe: named numbers for each candidate message or memory.

They come from the retrievers' scores, the texts, and the neighbours of a message. A memory has no neighbours, so its
window is the memory itself. Pure functions.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.core.clock import to_datetime
from app.core.text_rules.spellings import fold
from app.retrieval.bm25 import fts5_idf, length_norm, term_frequency
from app.retrieval.candidates.scored_chunks import MessagePlaces
from app.retrieval.query.date_proximity import proximity, proximity_to_spans
from app.retrieval.query.question import WORD, Question
from app.retrieval.ranking.candidate_pool import REACH, RankingInput
from app.retrieval.ranking.neighbour_rows import NeighbourRows
from app.retrieval.ranking.session_similarity import SessionSimilarity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Ints = NDArray[np.int64]

NAMES: Final = (
    "bm25", "bm25_before", "bm25_after", "bm25_text", "bm25_window", "bm25_passage", "bm25_session",
    "coverage", "coverage_before", "coverage_onward", "coverage_window", "coverage_session", "pairs",
    "cosine", "cosine_before", "cosine_after", "cosine_window", "cosine_session",
    "words_rank", "vector_rank",
    "speaker", "first_speaker", "other_speaker", "length", "question", "question_before", "answer", "user",
    "after_user",
    "first_person", "second_person", "number", "names",
    "time", "date", "date_near", "recency", "memory",
    "session_words", "session_user_words", "session_coverage", "session_length", "session_recency",
    "kin", "kin_recent",
    "question_length", "register", "message",
)  # fmt: skip
BLOCKS: Final = 4
"""Number of weights for each feature; see ``expand_interactions``."""

_OF_ALL: Final = [NAMES.index("question_length"), NAMES.index("register"), NAMES.index("message")]
_COVERAGE_WINDOW: Final = NAMES.index("coverage_window")
_LENGTH: Final = NAMES.index("question_length")
_REGISTER: Final = NAMES.index("register")
_MESSAGE: Final = NAMES.index("message")
_BY_LENGTH: Final = [
    NAMES.index(name)
    for name in (
        "bm25_text", "bm25_session", "cosine_session", "length", "user", "session_words", "session_user_words",
        "session_recency",
    )
]  # fmt: skip
# Session recency helps for a message that continues a topic, not for a question.
_RECENT: Final = NAMES.index("session_recency")
_SIMILARITY: Final = [NAMES.index("kin"), NAMES.index("kin_recent")]
_LEAST_WORDS: Final = math.log(4)
_MOST_WORDS: Final = math.log(24)
_B: Final = 0.5
_QUESTION_SENTENCES: Final = 2
"""Maximum number of sentences in a question; a text with more is a message."""
_RANK: Final = 10
_TOP: Final = 3
_LATEST: Final = 20
_LEAST_IDF: Final = 0.1
_NOT_NAMED: Final = 1 << 30
_SHORT: Final = math.log(100)  # characters
_LONG: Final = math.log(1_000)


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """Feature rows of the allowed candidates, with columns in the order of ``NAMES``.

    Args:
        gathered: What the features were made of.
        kept: Index of each row among the candidates.
        ids: Chunk id of each row, of a memory its first chunk.
        created: Time of each row, milliseconds UTC.
        values: Features of each row.
        weight: Weight of all search words, relative to a word in one text.
    """

    gathered: RankingInput
    kept: "Ints"
    ids: "NDArray[np.integer[Any]]"
    created: "NDArray[np.integer[Any]]"
    values: "Matrix"
    weight: float = 0.0

    @property
    def matched(self) -> "Matrix":
        """Return the weight of the search words in each row and around it."""
        return np.asarray(self.values[:, _COVERAGE_WINDOW] * self.weight)

    @property
    def places(self) -> MessagePlaces:
        """Return the messages and memories of the rows."""
        return self.gathered.candidates.at(self.kept)


def build_table(gathered: RankingInput) -> FeatureTable:
    """Return the unscaled features of the candidates."""
    neighbours = NeighbourRows(gathered)
    around = neighbours.around(gathered.candidates)
    kept = np.flatnonzero(np.append(neighbours.allowed, False)[around[:, REACH]])
    around = around[kept]
    ids = neighbours.ids[around[:, REACH]]
    created = neighbours.columns.created[ids]
    columns = _Columns(gathered, neighbours, kept, around)
    values = columns.values() if len(kept) else np.zeros((0, len(NAMES)))
    return FeatureTable(gathered, kept, ids, created, values, columns.weight())


def expand_interactions(share: "Matrix") -> "Matrix":
    """Return ranker inputs: scaled features and their products with register, length and message.

    The register is -1/2 among short chat messages and 1/2 among long messages of assistants and notes, where the same
    feature value means something else. The length is 0 for a short question and 1 for a long one. The message input is
    1 from three sentences on. Length and message multiply only some columns.
    """
    register = share[:, _REGISTER, None]
    length, message = ((share[:, column, None] + 0.5).clip(0.0, 1.0) for column in (_LENGTH, _MESSAGE))
    plain, long, message_part = share.copy(), np.zeros_like(share), np.zeros_like(share)
    plain[:, [*_OF_ALL, *_SIMILARITY, _RECENT]] = 0.0
    long[:, _BY_LENGTH] = share[:, _BY_LENGTH] * length
    message_part[:, [*_BY_LENGTH, *_SIMILARITY]] = share[:, [*_BY_LENGTH, *_SIMILARITY]] * message
    return np.hstack([plain, plain * register, long, message_part])


def is_message_query(share: "Matrix") -> bool:
    """Tell from scaled features whether the question is a message of several sentences."""
    return bool(len(share) and share[0, _MESSAGE] > 0)


def with_session_similarity(share: "Matrix", weights: "Matrix", similarity: SessionSimilarity) -> "Matrix":
    """Return scaled features with the session similarity columns filled in.

    Args:
        share: Scaled features in which these columns are zero.
        weights: Weights that select the best sessions, without similarity.
        similarity: Similarity of the sessions.
    """
    scaled = share.copy()
    scaled[:, _SIMILARITY] = _scaled(similarity.of(expand_interactions(share) @ weights, share[:, _RECENT]))
    return scaled


def min_max_scale(values: "Matrix") -> "Matrix":
    """Return ``values`` min-max scaled to [0, 1], except columns that are constant by question.

    A column of equal values becomes zero.
    """
    if not len(values):
        return np.zeros((0, len(NAMES)))
    share = _scaled(values)
    share[:, _OF_ALL] = np.clip(values[:, _OF_ALL], -1.0, 1.0)
    return share


def _scaled(values: "Matrix") -> "Matrix":
    low = values.min(axis=0)
    width = values.max(axis=0) - low
    return np.asarray((values - low) / np.where(width > 0, width, 1.0))


class _Columns:
    """Feature columns of one question."""

    def __init__(self, gathered: RankingInput, neighbours: NeighbourRows, kept: "Ints", around: "Ints") -> None:
        self.question, self.ranking_input, self.neighbours, self.kept = gathered.question, gathered, neighbours, kept
        self.found, self.places = gathered.found, gathered.candidates.at(kept)
        self.known, self.around = gathered.rows[kept], around
        self.rows, self.before, self.after = (self.around[:, REACH + step] for step in (0, -1, 1))
        self.created = neighbours.columns.created[neighbours.ids[self.rows]]
        # The same number for all rows of one session or memory, from 0.
        _, self.owner_of_line = np.unique(neighbours.places.owner, return_inverse=True)
        self.owner = self.owner_of_line[self.rows]
        self.owners = int(self.owner_of_line.max(initial=-1)) + 1
        total = max(gathered.total, 1)
        self.idf = np.array([max(fts5_idf(total, count), _LEAST_IDF) for count in gathered.counts], dtype=np.float64)

    def weight(self) -> float:
        """Return the weight of all search words, relative to a word in one text."""
        return float(self.idf.sum()) / max(fts5_idf(max(self.ranking_input.total, 1), 1), _LEAST_IDF)

    def values(self) -> "Matrix":
        """Return all columns, in the order of ``NAMES``."""
        columns = {**self._words(), **self._coverage(), **self._cosines(), **self._speech(), **self._style()}
        columns |= self._time()
        columns |= self._sessions(columns["bm25"], columns["memory"] > 0)
        columns |= self._constant_columns(columns["length"])
        return np.stack([columns[name] for name in NAMES], axis=1)

    def _words(self) -> dict[str, "Matrix"]:
        neighbours, scores = self.neighbours, self.found
        own, known = neighbours.bm25[self.rows], self.known
        passages = scores.passages[known]
        return {
            "bm25": own,
            "bm25_before": neighbours.bm25[self.before],
            "bm25_after": neighbours.bm25[self.after],
            "bm25_text": self._bm25(neighbours.hits[self.rows], neighbours.length[self.rows]),
            "bm25_window": self._bm25(
                neighbours.hits[self.around].sum(axis=1), neighbours.length[self.around].sum(axis=1)
            ),
            "bm25_passage": np.where(passages > 0, passages, own),
            "bm25_session": scores.owners(self.places.owner),
            "pairs": neighbours.pairs[self.rows],
            "words_rank": _reciprocal_rank(scores.words_rank[known]),
        }

    def _bm25(self, hits: "Matrix", length: "Matrix") -> "Matrix":
        norm = length_norm(length / max(float(length.mean()), 1.0), _B)
        return np.asarray(term_frequency(hits, norm[:, None]) @ self.idf)

    def _coverage(self) -> dict[str, "Matrix"]:
        there = self.neighbours.hits > 0
        share = self.idf / max(float(self.idf.sum()), 1e-9)
        by_owner = np.zeros((self.owners, there.shape[1]))
        rows, columns = np.nonzero(there[:-1])
        by_owner[self.owner_of_line[rows], columns] = 1.0
        return {
            "coverage": there[self.rows] @ share,
            "coverage_before": there[self.before] @ share,
            # Between two people, the same speaker continues two messages later.
            "coverage_onward": there[self.around[:, REACH + 2]] @ share,
            "coverage_window": there[self.around].any(axis=1) @ share,
            "coverage_session": (by_owner @ share)[self.owner],
        }

    def _cosines(self) -> dict[str, "Matrix"]:
        cosine, around = self.neighbours.cosine, self.around
        there = around != self.neighbours.none
        return {
            "cosine": cosine[self.rows],
            "cosine_before": cosine[self.before],
            "cosine_after": cosine[self.after],
            "cosine_window": (cosine[around] * there).sum(axis=1) / there.sum(axis=1),
            "cosine_session": self._top_cosines()[self.owner],
            "vector_rank": _reciprocal_rank(self.found.vector_rank[self.known]),
        }

    def _top_cosines(self) -> "Matrix":
        """Return the mean of the three best cosines of each owner."""
        order = np.lexsort((self.neighbours.cosine[:-1], self.owner_of_line))
        ends = np.cumsum(np.bincount(self.owner_of_line, minlength=self.owners))
        counts = np.minimum(np.diff(ends, prepend=0), _TOP)
        values = self.neighbours.cosine[order]
        total = np.zeros(self.owners)
        for nth in range(_TOP, 0, -1):
            total += np.where(counts >= nth, values[np.maximum(ends - nth, 0)], 0.0)
        return total / counts

    def _speech(self) -> dict[str, "Matrix"]:
        neighbours = self.neighbours
        authors, author = np.unique(neighbours.authors, return_inverse=True)
        places = np.array([self._named_at(neighbours.style_cache.authors[number]) for number in authors.tolist()])
        named = (places < _NOT_NAMED)[author]
        is_first = places == places.min() if np.count_nonzero(places < _NOT_NAMED) > 1 else np.zeros(len(places))
        with_named = np.zeros(self.owners, dtype=np.bool_)
        with_named[self.owner_of_line[named]] = True
        question_before = neighbours.asks[self.before]
        columns = {
            "speaker": named[self.rows],
            "first_speaker": is_first[author][self.rows],
            "other_speaker": with_named[self.owner] & ~named[self.rows],
            "length": np.log1p(neighbours.length[self.rows]),
            "question": neighbours.asks[self.rows],
            "question_before": question_before,
            "answer": question_before * neighbours.bm25[self.before],
            "user": neighbours.user[self.rows],
            "after_user": neighbours.user[self.before],
            "memory": neighbours.memory[self.rows],
        }
        return {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}

    def _named_at(self, author: str) -> int:
        """Return the position at which the question names an author."""
        words = self.question.words
        return min((words[part] for part in WORD.findall(fold(author)) if part in words), default=_NOT_NAMED)

    def _style(self) -> dict[str, "Matrix"]:
        neighbours, question = self.neighbours, self.question
        persons, nothing = neighbours.persons(self.rows), np.zeros(len(self.rows))
        return {
            "first_person": persons[:, 0],
            "second_person": persons[:, 1],
            "number": neighbours.numbers(self.rows) if question.about_number else nothing,
            "names": neighbours.names(self.rows) if question.about_name else nothing,
        }

    def _time(self) -> dict[str, "Matrix"]:
        says_when = np.zeros(len(self.rows))
        if self.question.about_time:
            says_when = self.neighbours.time_words(self.rows)
        dates = np.zeros(len(self.rows))
        if self.question.years or self.question.months:
            dates = np.array([_date_match(self.question, created) for created in self.created.tolist()])
        near = proximity(self.created, self.question.years, self.question.months, self.question.days)
        return {
            "time": says_when,
            "date": dates,
            "date_near": np.maximum(near, proximity_to_spans(self.created, self.question.moments)),
            "recency": self.created.astype(np.float64),
        }

    def _sessions(self, own: "Matrix", alone: "NDArray[np.bool_]") -> dict[str, "Matrix"]:
        statistics = self.ranking_input.sessions
        columns = {
            "session_words": statistics.words[self.kept],
            "session_user_words": statistics.user_words[self.kept],
            "session_coverage": statistics.coverage[self.kept],
        }
        if alone.any():
            # The window of a memory is the memory itself.
            share = own[alone] / max(float(own.max()), 1e-9)
            for column in columns.values():
                column[alone] = share * (float(column.max()) or 1.0)
        columns["session_length"] = np.log1p(statistics.length[self.kept])
        columns["session_recency"] = self._recent()[self.owner]
        return columns

    def _recent(self) -> "Matrix":
        """Return the recency of each session: 1 for the latest, decaying by rank."""
        last = np.zeros(self.owners, dtype=np.int64)
        np.maximum.at(last, self.owner, self.created)
        place = np.zeros(self.owners)
        with_candidates = np.unique(self.owner)
        order = with_candidates[np.argsort(-last[with_candidates], kind="stable")]
        place[order] = np.arange(len(order))
        return 1 / (1 + place / _LATEST)

    def _constant_columns(self, length: "Matrix") -> dict[str, "Matrix"]:
        words = math.log(max(len(self.question.search_words), 1))
        nothing = np.zeros(len(length))
        of_all = {
            "question_length": (words - _LEAST_WORDS) / (_MOST_WORDS - _LEAST_WORDS),
            "register": (float(length.mean()) - _SHORT) / (_LONG - _SHORT),
            "message": float(self.question.sentences > _QUESTION_SENTENCES),
        }
        columns = {name: np.full(len(length), min(max(value, 0.0), 1.0) - 0.5) for name, value in of_all.items()}
        return {**columns, "kin": nothing, "kin_recent": nothing}


def _reciprocal_rank(rank: "Ints") -> "Matrix":
    """Return a damped reciprocal rank, and 0 for what the retriever did not find."""
    return np.where(rank > 0, _RANK / (_RANK + rank), 0.0)


def _date_match(question: Question, created_ms: int) -> float:
    when = to_datetime(created_ms)
    date_parts = [(when.year, question.years), (when.month, question.months)]
    if question.months:
        date_parts.append((when.day, question.days))
    return float(all(value in values for value, values in date_parts if values))
