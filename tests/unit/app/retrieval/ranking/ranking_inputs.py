"""Ranking inputs made of given messages and scores, without a database."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.index.columns.chunk_columns import ChunkColumns, ChunkType
from app.index.columns.style_cache import StyleFeatureCache
from app.retrieval.candidates.scored_chunks import WHOLE, MessagePlace, MessagePlaces, ScoredChunks, empty_chunks
from app.retrieval.query.question import Question
from app.retrieval.ranking import candidate_pool
from app.retrieval.ranking.candidate_pool import CandidateTexts, RankingInput, merge_scores


class Scored(NamedTuple):
    """A chunk with its score."""

    chunk_id: int
    kind: str
    session: str
    memory: str
    first: int
    last: int
    created_ms: int
    score: float


class Line(NamedTuple):
    """A message, or a piece of a memory."""

    chunk_id: int
    kind: str
    owner: str
    seq: int
    created_ms: int
    role: str
    author: str
    text: str
    allowed: bool

    @property
    def place(self) -> MessagePlace:
        """Return the message or memory that this is a piece of."""
        return (self.owner, WHOLE if self.kind == "memory" else self.seq)


class SessionTotals(NamedTuple):
    """Statistics of one session."""

    words: float = 0.0
    user_words: float = 0.0
    coverage: float = 0.0
    length: float = 0.0


def columns_of(lines: Sequence[Line], found: Sequence[Scored]) -> ChunkColumns:
    """Return the columns of the chunks: one for each line and for each score."""
    rows = [(line.kind, line.role, line.owner, line.seq, 0, line.created_ms) for line in lines]
    for item in found:
        owner = item.memory or item.session
        rows.append((item.kind, "", owner, item.first, item.last - item.first, item.created_ms))
    sorts = [ChunkType("", "", ""), *dict.fromkeys(ChunkType(kind, role, "private") for kind, role, *_ in rows)]
    names, memories = [""], [""]
    numbers: dict[str, int] = {}
    for kind, _, owner, *_ in rows:
        if owner not in numbers:
            of_kind = memories if kind == "memory" else names
            numbers[owner] = -len(of_kind) if kind == "memory" else len(of_kind)
            of_kind.append(owner)
    sort = [0, *(sorts.index(ChunkType(kind, role, "private")) for kind, role, *_ in rows)]
    owner_of = [0, *(numbers[owner] for _, _, owner, *_ in rows)]
    columns = [np.array([0, *column], dtype=np.int64) for column in zip(*(row[3:] for row in rows), strict=True)]
    first, more, created = columns or [np.zeros(1, dtype=np.int64)] * 3
    words = np.zeros(len(names))
    return ChunkColumns(
        numbers,
        names,
        memories,
        np.array(owner_of, dtype=np.int32),
        np.array(sort, dtype=np.uint16),
        sorts,
        first,
        more,
        created,
        np.ones(len(sort), dtype=np.uint16),
        1.0,
        len(sort) - 1,
        words,
        words,
        np.ones(len(sort), dtype=np.bool_),
        len(sort) - 1,
    )


def scores(columns: ChunkColumns, found: Sequence[Scored]) -> ScoredChunks:
    """Return the scores of a retriever; of the chunks in ``columns`` these are the last."""
    ids = np.arange(len(columns.owner) - len(found), len(columns.owner))
    return ScoredChunks(columns, ids, np.array([item.score for item in found], dtype=np.float64))


def gathered(
    question: Question,
    lines: Sequence[Line],
    found: Sequence[Scored],
    candidates: Sequence[MessagePlace],
    total: int,
    counts: Sequence[int],
    said: Mapping[str, SessionTotals] | None = None,
) -> RankingInput:
    """Return the ranking input of candidates and the messages around them."""
    columns = columns_of(lines, found)
    of_each = [(said or {}).get(owner, SessionTotals()) for owner, _ in candidates]
    statistics = [np.array(column, dtype=np.float64) for column in zip(*of_each, strict=True)] or [np.zeros(0)] * 4
    texts = [line.text.lower() for line in lines]
    style_cache, ids = StyleFeatureCache(), np.arange(1, len(lines) + 1)
    style_cache.keep_authors(ids, [line.author for line in lines])
    allowed = np.array([line.allowed for line in lines], dtype=np.bool_)
    places = _places(columns, [line.place for line in lines])
    read = CandidateTexts(
        ids,
        places,
        allowed,
        texts,
        lambda wanted: [lines[chunk - 1].text for chunk in wanted],
        style_cache,
        style_cache.authors_of(ids),
    )
    legs = merge_scores(columns, scores(columns, found), empty_chunks(columns))
    wanted = _places(columns, candidates)
    return RankingInput(
        question,
        legs,
        empty_chunks(columns),
        wanted,
        legs.rows(wanted),
        read,
        total,
        counts,
        candidate_pool.SessionStatistics(*statistics),
    )


def _places(columns: ChunkColumns, places: Sequence[MessagePlace]) -> MessagePlaces:
    owners = np.array([columns.numbers[owner] for owner, _ in places], dtype=np.int64)
    return MessagePlaces(owners, np.array([seq for _, seq in places], dtype=np.int64))
