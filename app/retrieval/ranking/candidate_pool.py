"""Which turns and memories the learned recipe looks at: finds, what passages stand for, and neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.index.columns.chunk_columns import ChunkColumns
from app.index.columns.style_cache import Read as ReadAsSaid
from app.index.columns.style_cache import StyleFeatureCache
from app.retrieval.candidates.depths import CANDIDATE_LIMIT
from app.retrieval.candidates.scored_chunks import (
    WHOLE,
    MessagePlace,
    MessagePlaces,
    ScoredChunks,
    concatenated,
    unique_inverse,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

NEIGHBOUR_SOURCES: Final = 24
REACH: Final = 2
"""How many turns before and after a turn make its window."""
"""In place of a turn's number: all of a memory."""

# How much each number counts in choosing whom to look at closely; only the ranking of these is learned.
_BM25: Final = 1.0
_BESIDE: Final = 0.3
_PASSAGE: Final = 1.0
_OWNER: Final = 0.5
_COSINE: Final = 1.5
_COSINE_BESIDE: Final = 0.5

"""A turn (session, seq) or a memory (its id, ``WHOLE``)."""


@dataclass(frozen=True, slots=True)
class RetrieverScores:
    """What the legs found, by place: a row for each that they found or that stands beside a good find.

    Every column ends with a number for "not there".

    Args:
        columns: Knows whose the chunks are.
        places: Which they are, in the order of ``keys``.
        keys: Their numbers, ascending.
        chunks: The chunk that stands for each, where its words were found before where it is near; 0 for none.
        bm25: Of the best chunk of a turn or memory, 0 where no words were found.
        passages: Of the best passage a turn is in, 0 where it is in none.
        cosines: Of the best chunk of a turn or memory, that of the farthest where it is not near.
        words_rank, vector_rank: From 1 up by these scores, 0 where the leg did not find it.
        owner: Numbers of sessions and memories, ascending.
        of_owner: The scores of their chunks, the n-th best counting 1/n.
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
        """Return the rows of ``places``, the last for those not there."""
        return rows_of(self.keys, places.keys)

    def owners(self, owner: "Ints") -> "Floats":
        """Return the scores of sessions and memories, 0 for those of which nothing was found."""
        return self.of_owner[rows_of(self.owner, owner)]


def rows_of(known: "Ints", wanted: "Ints") -> "Ints":
    """Return the rows of ``wanted`` in ``known``, which ascends and has each once; for others the number of rows."""
    if not len(known):
        return np.zeros(wanted.shape, dtype=np.int64)
    at = known.searchsorted(wanted)
    at[known.take(at, mode="clip") != wanted] = len(known)
    return at


@dataclass(frozen=True, slots=True)
class SessionStatistics:
    """What conversations as a whole say to a question, for each of the candidates that of its own.

    Args:
        words: BM25 of it as one text, a turn counting once for each word.
        user_words: The same of what the person said.
        coverage: The most of the question that one of its turns says.
        length: How many words it has.
    """

    words: "Floats"
    user_words: "Floats"
    coverage: "Floats"
    length: "Floats"


@dataclass(frozen=True, slots=True)
class CandidateTexts:
    """Turns and pieces of memories as the features read them.

    Args:
        columns: What else is known of their chunks.
        ids: Of the chunks.
        places: Which turn or memory each is a piece of.
        allowed: Which satisfy what the query demands; others only lend their words to their neighbours.
        texts: What they say, in lower case without diacritics.
        as_said: Returns their beginnings by chunk id as they were said.
        style_features: How they speak, and the names of those who said them.
        authors: Whose words they are, by the place in these names.
    """

    columns: ChunkColumns
    ids: "Ids"
    places: MessagePlaces
    allowed: "Flags"
    texts: Sequence[str]
    as_said: ReadAsSaid
    style_features: StyleFeatureCache
    authors: "Ids"


@dataclass(frozen=True, slots=True)
class RankingInput:
    """Everything known of a question's candidates before it is made numbers.

    Args:
        found: The scores of what the legs found.
        candidates: The places to rank.
        lines: What was read of them and around them.
        total: How many chunks there are.
        counts: How many of them have each thing sought.
        said: What the conversations of the candidates say.
    """

    found: RetrieverScores
    candidates: MessagePlaces
    lines: CandidateTexts
    total: int
    counts: Sequence[int]
    said: SessionStatistics


def merge_scores(columns: ChunkColumns, words: ScoredChunks, near: ScoredChunks) -> RetrieverScores:
    """Return the scores by place.

    Args:
        columns: Knows whose the chunks are.
        words: What the words leg matched, passages of several turns too, best first.
        near: What is nearest by vector, best first.
    """
    spans, places = words.spans, words.places
    said, several = words.at(~spans), words.at(spans)
    turns, of_turns = _turns_of(several)
    legs = [places.at(~spans), near.places]
    every = concatenated([*legs, turns, *_beside(legs)])
    keys, rows = unique_inverse(every.keys)
    first = np.empty(len(keys), dtype=np.int64)
    first[rows[::-1]] = np.arange(len(rows))[::-1]
    of_words, of_vector = rows[: len(said)], rows[len(said) : len(said) + len(near)]
    of_passages = rows[len(said) + len(near) :][: len(of_turns)]
    size = len(keys) + 1
    chunks = np.zeros(size, dtype=np.int64)
    for leg, found in ((of_vector, near), (of_words, said)):
        chunks[leg[::-1]] = found.ids[::-1]
    cosines = _best(np.full(size, np.inf), of_vector, near.values)
    cosines[np.isinf(cosines)] = cosines.min() if len(near) else 0.0
    return RetrieverScores(
        columns,
        every.at(first),
        keys,
        chunks,
        _best(np.zeros(size), of_words, said.values),
        _best(np.zeros(size), of_passages, of_turns),
        cosines,
        _ranks(size, of_words),
        _ranks(size, of_vector),
        *_owners(places.owner, words.values),
    )


def _best(column: "Floats", rows: "Ints", values: "Floats") -> "Floats":
    """Return ``column`` with the values in their rows; of several in one row the first, which is the best."""
    column[rows[::-1]] = values[::-1]
    return column


def _ranks(size: int, rows: "Ints") -> "Ints":
    """Return from 1 up which of the distinct ``rows`` each is, 0 for those that are not among them."""
    first, places = np.full(size, len(rows)), np.arange(len(rows))
    first[rows[::-1]] = places[::-1]
    new = rows[first[rows] == places]
    ranks = np.zeros(size, dtype=np.int64)
    ranks[new] = np.arange(1, len(new) + 1)
    return ranks


def _turns_of(several: ScoredChunks) -> tuple[MessagePlaces, "Floats"]:
    """Return the turns of passages with what these scored, those of the best passage first."""
    places, turns = several.places, several.columns.more[several.ids].astype(np.int64) + 1
    ends = turns.cumsum()
    steps = np.arange(int(turns.sum())) - np.repeat(ends - turns, turns)
    every = MessagePlaces(np.repeat(places.owner, turns), np.repeat(places.seq, turns) + steps)
    return every, np.repeat(several.values, turns)


def _beside(legs: Sequence[MessagePlaces]) -> list[MessagePlaces]:
    """Return the turns around the first that each of ``legs`` found."""
    found: list[MessagePlaces] = []
    for leg in legs:
        pairs = dict.fromkeys(zip(leg.owner.tolist(), leg.seq.tolist(), strict=True))
        turns = [pair for pair in list(pairs)[:NEIGHBOUR_SOURCES] if pair[1] != WHOLE]
        first = MessagePlaces(*np.array(turns, dtype=np.int64).reshape(-1, 2).T)
        found += [first.beside(step) for step in _STEPS]
    return found


def _owners(owner: "Ints", values: "Floats") -> tuple["Ints", "Floats"]:
    """Return the distinct owners, ascending, and what the scores of each make together."""
    if not len(owner):
        return owner, np.zeros(1)
    order = owner.argsort(kind="stable")
    ordered = owner[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    nth = np.arange(1, len(owner) + 1) - np.repeat(starts, np.diff(starts, append=len(owner)))
    return ordered[starts], np.append(np.add.reduceat(values[order] / nth, starts), 0.0)


def candidate_pool(found: RetrieverScores, most: int = CANDIDATE_LIMIT) -> MessagePlaces:
    """Return the most promising turns and memories, each once, those that no leg found but stand beside finds too."""
    promise, places = _promise(found), found.places
    if len(places) <= most:
        return places
    kept = np.flatnonzero(promise >= np.partition(promise, len(promise) - most)[-most])
    if len(kept) > most:
        some = places.at(kept)
        kept = np.sort(kept[np.lexsort((some.seq, order_by_id(found.columns, some.owner), -promise[kept]))[:most]])
    return places.at(kept)


def deduplicate(parts: Sequence[MessagePlaces]) -> MessagePlaces:
    """Return all of ``parts``, each place once, in their order."""
    every = concatenated(parts)
    _, first = np.unique(every.keys, return_index=True)
    return every.at(np.sort(first))


def order_by_id(columns: ChunkColumns, owner: "Ints") -> "Ints":
    """Return the places of owners in the order of their ids."""
    known, rows = np.unique(owner, return_inverse=True)
    names = [columns.name(number) for number in known.tolist()]
    place = np.empty(len(names), dtype=np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return np.asarray(place[rows])


def _promise(found: RetrieverScores) -> "Floats":
    own, passages, owners = _shares(found.bm25), _shares(found.passages), _shares(found.owners(found.places.owner))
    floor = float(found.cosines[-1])
    near = ((found.cosines - floor) / (float(found.cosines.max()) - floor or 1.0))[:-1]
    own, passages = own[:-1], np.where(passages[:-1] > 0, passages[:-1], own[:-1])
    follows = found.keys[1:] == found.keys[:-1] + 1
    score = _BM25 * own + _OWNER * owners + _COSINE * near
    # What stands around a memory is itself.
    alone = score + (_PASSAGE + 2 * _BESIDE) * own + 2 * _COSINE_BESIDE * near
    around = _BESIDE * own + _COSINE_BESIDE * near
    score = score + _PASSAGE * passages
    score[:-1] += around[1:] * follows
    score[1:] += around[:-1] * follows
    return np.asarray(np.where(found.places.seq == WHOLE, alone, score))


def _shares(values: "Floats") -> "Floats":
    return np.asarray(values / (float(values.max(initial=0.0)) or 1.0))


_STEPS: Final = tuple(step for step in range(-REACH, REACH + 1) if step)


def with_owner_ids(columns: ChunkColumns, places: MessagePlaces) -> list[MessagePlace]:
    """Return ``places`` with the ids of their owners."""
    names = {number: columns.name(number) for number in set(places.owner.tolist())}
    return [(names[owner], seq) for owner, seq in zip(places.owner.tolist(), places.seq.tolist(), strict=True)]
