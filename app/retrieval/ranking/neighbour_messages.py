"""Neighbour messages of the candidates, read with all that their features need."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import apsw
import numpy as np

from app.core.text_rules.spellings import fold
from app.index.chunk_texts import read_texts
from app.index.columns.style_features import READ_CHARACTERS as BEGUN
from app.index.columns.text_cache import TextCache
from app.index.id_arrays import parse_ids
from app.retrieval.candidates.filter_check import existing_chunks, passes_all, passes_filter
from app.retrieval.candidates.filters import ChunkFilter
from app.retrieval.candidates.scored_chunks import (
    WHOLE,
    MessagePlaces,
    ScoredChunks,
    concatenated,
    places_of,
    unique_inverse,
)
from app.retrieval.query.question import Question
from app.retrieval.ranking.candidate_pool import REACH, CandidateTexts, RankingInput, RetrieverScores, SessionStatistics
from app.retrieval.snapshot import SearchSnapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]

READ_CHARACTERS: Final = 4_000
"""Maximum number of characters of a text that the features read."""


def read_neighbours(
    snapshot: SearchSnapshot,
    question: Question,
    scores: RetrieverScores,
    mentions: ScoredChunks,
    places: MessagePlaces,
    where: ChunkFilter,
    statistics: SessionStatistics | None = None,
) -> RankingInput:
    """Return the ranking input of the candidates at ``places``.

    Args:
        snapshot: The index.
        question: The analysed question.
        scores: Scores of the retrievers.
        mentions: Mentions of the entities that the query names.
        places: The candidates.
        where: Filter of the candidates.
        statistics: Statistics of the candidates' sessions; zeros by default.
    """
    connection, columns, index_cache = snapshot.connection, snapshot.columns, snapshot.index_cache
    whole = places.seq == WHOLE
    messages = _messages(snapshot, places.at(~whole))
    pieces = _pieces(connection, [columns.name(number) for number in places.owner[whole].tolist()])
    ids = np.concatenate([messages, pieces])
    allowed = np.ones(len(ids), dtype=np.bool_)
    if not passes_all(connection, where):
        allowed[: len(messages)] = passes_filter(snapshot, messages, where)
    texts = _Texts(connection, index_cache.texts)
    folded = texts.folded(ids.tolist())
    authors = _authors(snapshot, ids)
    read = CandidateTexts(
        ids, places_of(columns, ids), allowed, folded, texts.unfolded, index_cache.style_features, authors
    )
    total = snapshot.last_chunk
    counts = [index_cache.count(connection, search_word.expression, total) for search_word in question.search_words]
    statistics = statistics or SessionStatistics(*[np.zeros(len(places))] * 4)
    return RankingInput(question, scores, mentions, places, scores.rows(places), read, total, counts, statistics)


def _messages(snapshot: SearchSnapshot, places: MessagePlaces) -> "Ids":
    """Return the chunks of messages at and around ``places``, sorted by session."""
    every = concatenated([places.shifted(step) for step in range(-REACH, REACH + 1)])
    ids = snapshot.index_cache.messages.find(snapshot.columns, unique_inverse(every.keys)[0])
    return np.asarray(ids[existing_chunks(snapshot, ids)])


def _pieces(connection: apsw.Connection, memories: Sequence[str]) -> "Ids":
    sql = "SELECT group_concat(c.id, ' ') FROM chunks c WHERE c.memory_id IN (SELECT value FROM json_each(?))"
    listed = connection.execute(sql, (json.dumps(memories),)).get if memories else None
    return parse_ids(listed)


class _Texts:
    """Chunk texts from the cache, or from the database where they are missing.

    Args:
        connection: A read connection.
        kept: Cache of texts.
    """

    def __init__(self, connection: apsw.Connection, kept: TextCache) -> None:
        self._connection = connection
        self._kept = kept
        self._read: dict[int, str] = {}

    def folded(self, ids: Sequence[int]) -> list[str]:
        """Return texts in lower case without diacritics."""
        texts = self._kept.known(ids)
        if None not in texts:
            return cast("list[str]", texts)
        missing = [chunk for chunk, text in zip(ids, texts, strict=True) if text is None]
        self._load(missing)
        fresh = {chunk: text.lower() if text.isascii() else fold(text) for chunk, text in self._read.items()}
        self._kept.keep(fresh)
        return [fresh[chunk] if text is None else text for chunk, text in zip(ids, texts, strict=True)]

    def unfolded(self, ids: Sequence[int]) -> list[str]:
        """Return the beginnings of texts as written."""
        self._load([chunk for chunk in ids if chunk not in self._read])
        return [self._read[chunk][:BEGUN] for chunk in ids]

    def _load(self, ids: Sequence[int]) -> None:
        if ids:
            self._read.update(read_texts(self._connection, ids, READ_CHARACTERS))


def _authors(snapshot: SearchSnapshot, ids: "Ids") -> "Ids":
    """Return the author numbers of chunks, reading missing ones from the database."""
    styles = snapshot.index_cache.style_features
    authors = styles.authors_of(ids)
    missing = ids[authors < 0]
    if not len(missing):
        return authors
    messages = np.sort(missing[snapshot.columns.of_kind(missing, "message")])
    named = {row[0]: row[1] for row in snapshot.connection.execute(_AUTHORS, (json.dumps(messages.tolist()),))}
    styles.keep_authors(missing, [str(named.get(chunk, "")) for chunk in missing.tolist()])
    return styles.authors_of(ids)


_AUTHORS: Final = (
    "SELECT c.id, m.author FROM json_each(?) wanted CROSS JOIN chunks c ON c.id = wanted.value"
    " CROSS JOIN messages m ON m.session_id = c.session_id AND m.seq = c.seq_start WHERE m.author <> ''"
)
