"""Candidate pool of the learned recipe: messages and memories to rank, with their neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.index.columns.chunk_columns import ChunkColumns
from app.index.columns.style_cache import Read as ReadAsSaid
from app.index.columns.style_cache import StyleFeatureCache
from app.retrieval.candidates.scored_chunks import (
    WHOLE,
    MessagePlace,
    MessagePlaces,
    ScoredChunks,
    concatenated,
    unique_inverse,
)
from app.retrieval.query.question import Question
from app.retrieval.recipes import CANDIDATE_LIMIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

NEIGHBOUR_SOURCES: Final = 24
REACH: Final = 2
"""Number of messages before and after a message in its window."""

# Weights for choosing the candidates; only the ranking of these is learned.
_BM25: Final = 1.0
_NEIGHBOUR: Final = 0.3
_PASSAGE: Final = 1.0
_OWNER: Final = 0.5
_COSINE: Final = 1.5
_NEIGHBOUR_COSINE: Final = 0.5


@dataclass(frozen=True, slots=True)
class RetrieverScores:
    """Scores of the retrievers by place: their results and the neighbours of the best.

    The last row of every column stands for missing places.

    Args:
        columns: Columns of all chunks.
        places: The places in the order of ``keys``.
        keys: Keys of the places, ascending.
        chunks: Chunk of each place, a lexical result before a vector result; 0 for none.
        bm25: BM25 of the place's best chunk, 0 without a match.
        passages: BM25 of the best passage around a message, 0 for none.
        cosines: Cosine of the place's best chunk, the lowest of all where it was not found.
        words_rank, vector_rank: Rank from 1 by these scores, 0 where not found.
        owner: Numbers of the sessions and memories, ascending.
        of_owner: Score of each owner: the sum of its chunks' scores, the n-th best divided by n.
    """

    columns: ChunkColumns
    places: MessagePlaces
    keys: "Ints"
    chunks: "Ints"
    bm25: "Floats"
    passages: "Floats"
    cosines: "Floats"
    words_rank: "Ints"
    vector_rank: "Ints"
    owner: "Ints"
    of_owner: "Floats"

    def rows(self, places: MessagePlaces) -> "Ints":
        """Return the rows of ``places``, the last row for missing ones."""
        return rows_of(self.keys, places.keys)

    def owners(self, owner: "Ints") -> "Floats":
        """Return the scores of sessions and memories, 0 for those not found."""
        return self.of_owner[rows_of(self.owner, owner)]


def rows_of(known: "Ints", wanted: "Ints") -> "Ints":
    """Return the rows of ``wanted`` in the ascending ``known``, the row count for missing values."""
    if not len(known):
        return np.zeros(wanted.shape, dtype=np.int64)
    at = known.searchsorted(wanted)
    at[known.take(at, mode="clip") != wanted] = len(known)
    return at


@dataclass(frozen=True, slots=True)
class SessionStatistics:
    """Statistics of each candidate's whole session for a question.

    Args:
        words: BM25 of the session as one text; a message counts once for each word.
        user_words: BM25 of the user's messages alone.
        coverage: Highest share of the question's words in one of its messages.
        length: Number of words.
    """

    words: "Floats"
    user_words: "Floats"
    coverage: "Floats"
    length: "Floats"


@dataclass(frozen=True, slots=True)
class CandidateTexts:
    """Texts of candidates and their neighbours, as the features read them.

    Args:
        ids: Chunk ids.
        places: Message or memory of each chunk.
        allowed: Chunks that pass the filter; the others are only context.
        texts: Folded texts: lower case without diacritics.
        unfolded: Returns the beginnings of texts by chunk id, as written.
        style_cache: Style features and author names.
        authors: Author of each chunk as an index into the names.
    """

    ids: "Ids"
    places: MessagePlaces
    allowed: "Flags"
    texts: Sequence[str]
    unfolded: ReadAsSaid
    style_cache: StyleFeatureCache
    authors: "Ids"


@dataclass(frozen=True, slots=True)
class RankingInput:
    """Input of the ranking: candidates with scores, texts and statistics.

    Args:
        question: The analysed question.
        found: Scores of the retrievers.
        mentions: Mentions of the entities that the query names, with the number of entities.
        candidates: Places to rank.
        rows: Row of each candidate in ``found``.
        texts: Texts of the candidates and their neighbours.
        total: Number of chunks.
        counts: Document frequency of each search word.
        sessions: Statistics of the candidates' sessions.
    """

    question: Question
    found: RetrieverScores
    mentions: ScoredChunks
    candidates: MessagePlaces
    rows: "Ints"
    texts: CandidateTexts
    total: int
    counts: Sequence[int]
    sessions: SessionStatistics


def merge_scores(columns: ChunkColumns, words: ScoredChunks, nearest: ScoredChunks) -> RetrieverScores:
    """Return the retrievers' scores merged by place.

    Args:
        columns: Columns of all chunks.
        words: Lexical results with passages, best first.
        nearest: Vector results, best first.
    """
    spans, places = words.spans, words.places
    single, spanning = words.at(~spans), words.at(spans)
    messages, of_messages = _messages_of(spanning)
    legs = [places.at(~spans), nearest.places]
    every = concatenated([*legs, messages, *_neighbours(legs)])
    keys, rows = unique_inverse(every.keys)
    first = np.empty(len(keys), dtype=np.int64)
    first[rows[::-1]] = np.arange(len(rows))[::-1]
    of_words, of_vector = rows[: len(single)], rows[len(single) : len(single) + len(nearest)]
    of_passages = rows[len(single) + len(nearest) :][: len(of_messages)]
    size = len(keys) + 1
    chunks = np.zeros(size, dtype=np.int64)
    for leg, scored in ((of_vector, nearest), (of_words, single)):
        chunks[leg[::-1]] = scored.ids[::-1]
    cosines = _best(np.full(size, np.inf), of_vector, nearest.values)
    cosines[np.isinf(cosines)] = cosines.min() if len(nearest) else 0.0
    return RetrieverScores(
        columns,
        every.at(first),
        keys,
        chunks,
        _best(np.zeros(size), of_words, single.values),
        _best(np.zeros(size), of_passages, of_messages),
        cosines,
        _ranks(size, of_words),
        _ranks(size, of_vector),
        *_owners(places.owner, words.values),
    )


def _best(column: "Floats", rows: "Ints", values: "Floats") -> "Floats":
    """Return ``column`` with the best value of each row filled in."""
    column[rows[::-1]] = values[::-1]
    return column


def _ranks(size: int, rows: "Ints") -> "Ints":
    """Return the rank (from 1) of each row in ``rows``, 0 for the others."""
    first, places = np.full(size, len(rows)), np.arange(len(rows))
    first[rows[::-1]] = places[::-1]
    new = rows[first[rows] == places]
    ranks = np.zeros(size, dtype=np.int64)
    ranks[new] = np.arange(1, len(new) + 1)
    return ranks


def _messages_of(spanning: ScoredChunks) -> tuple[MessagePlaces, "Floats"]:
    """Return the messages of passages with the passages' scores, best first."""
    places, messages = spanning.places, spanning.columns.more[spanning.ids].astype(np.int64) + 1
    ends = messages.cumsum()
    steps = np.arange(int(messages.sum())) - np.repeat(ends - messages, messages)
    every = MessagePlaces(np.repeat(places.owner, messages), np.repeat(places.seq, messages) + steps)
    return every, np.repeat(spanning.values, messages)


def _neighbours(legs: Sequence[MessagePlaces]) -> list[MessagePlaces]:
    """Return the neighbours of the first messages of each retriever."""
    parts: list[MessagePlaces] = []
    for leg in legs:
        pairs = dict.fromkeys(zip(leg.owner.tolist(), leg.seq.tolist(), strict=True))
        messages = [pair for pair in list(pairs)[:NEIGHBOUR_SOURCES] if pair[1] != WHOLE]
        first = MessagePlaces(*np.array(messages, dtype=np.int64).reshape(-1, 2).T)
        parts += [first.shifted(step) for step in _STEPS]
    return parts


def _owners(owner: "Ints", values: "Floats") -> tuple["Ints", "Floats"]:
    """Return the distinct owners, ascending, and their summed scores."""
    if not len(owner):
        return owner, np.zeros(1)
    order = owner.argsort(kind="stable")
    ordered = owner[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    nth = np.arange(1, len(owner) + 1) - np.repeat(starts, np.diff(starts, append=len(owner)))
    return ordered[starts], np.append(np.add.reduceat(values[order] / nth, starts), 0.0)


def candidate_pool(scores: RetrieverScores, most: int = CANDIDATE_LIMIT) -> MessagePlaces:
    """Return the most promising messages and memories, each once.

    Neighbours of good results are included though no retriever found them.
    """
    promise, places = _promise(scores), scores.places
    if len(places) <= most:
        return places
    kept = np.flatnonzero(promise >= np.partition(promise, len(promise) - most)[-most])
    if len(kept) > most:
        some = places.at(kept)
        kept = np.sort(kept[np.lexsort((some.seq, order_by_id(scores.columns, some.owner), -promise[kept]))[:most]])
    return places.at(kept)


def deduplicate(parts: Sequence[MessagePlaces]) -> MessagePlaces:
    """Return the places of all ``parts``, each once, in their order."""
    every = concatenated(parts)
    _, first = np.unique(every.keys, return_index=True)
    return every.at(np.sort(first))


def order_by_id(columns: ChunkColumns, owner: "Ints") -> "Ints":
    """Return the sort position of each owner by its id."""
    known, rows = np.unique(owner, return_inverse=True)
    names = [columns.name(number) for number in known.tolist()]
    place = np.empty(len(names), dtype=np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return np.asarray(place[rows])


def _promise(scores: RetrieverScores) -> "Floats":
    own, passages, owners = (
        _share_of_best(scores.bm25),
        _share_of_best(scores.passages),
        _share_of_best(scores.owners(scores.places.owner)),
    )
    floor = float(scores.cosines[-1])
    nearest = ((scores.cosines - floor) / (float(scores.cosines.max()) - floor or 1.0))[:-1]
    own, passages = own[:-1], np.where(passages[:-1] > 0, passages[:-1], own[:-1])
    follows = scores.keys[1:] == scores.keys[:-1] + 1
    score = _BM25 * own + _OWNER * owners + _COSINE * nearest
    # The window of a memory is the memory itself.
    alone = score + (_PASSAGE + 2 * _NEIGHBOUR) * own + 2 * _NEIGHBOUR_COSINE * nearest
    around = _NEIGHBOUR * own + _NEIGHBOUR_COSINE * nearest
    score = score + _PASSAGE * passages
    score[:-1] += around[1:] * follows
    score[1:] += around[:-1] * follows
    return np.asarray(np.where(scores.places.seq == WHOLE, alone, score))


def _share_of_best(values: "Floats") -> "Floats":
    return np.asarray(values / (float(values.max(initial=0.0)) or 1.0))


_STEPS: Final = tuple(step for step in range(-REACH, REACH + 1) if step)


def with_owner_ids(columns: ChunkColumns, places: MessagePlaces) -> list[MessagePlace]:
    """Return ``places`` with owner ids instead of numbers."""
    names = {number: columns.name(number) for number in set(places.owner.tolist())}
    return [(names[owner], seq) for owner, seq in zip(places.owner.tolist(), places.seq.tolist(), strict=True)]
