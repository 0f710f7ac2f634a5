"""Session features: how well whole sessions match a question, and which are the latest."""

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.retrieval.bm25 import length_norm, positive_idf, term_frequency
from app.retrieval.candidates.date_retriever import messages_of_named_times
from app.retrieval.candidates.filter_check import is_answered_by_columns, passes_filter
from app.retrieval.candidates.filters import ChunkFilter
from app.retrieval.candidates.lexical import TermMatches, find_matches
from app.retrieval.candidates.retrievers import Retrieved
from app.retrieval.candidates.scored_chunks import MessagePlaces, places_of
from app.retrieval.model import Query
from app.retrieval.query.match_expression import atoms
from app.retrieval.query.question import Question
from app.retrieval.ranking.candidate_pool import (
    SessionStatistics,
    deduplicate,
)
from app.retrieval.snapshot import SearchSnapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]
    Floats = NDArray[np.float64]

LATEST: Final = 64
"""Number of latest sessions that are ranked by recency."""
_LOOKED_AT: Final = 4 * LATEST
_LET_IN: Final = 12


def add_sessions(
    retrieved: Retrieved, question: Question, places: MessagePlaces
) -> tuple[MessagePlaces, SessionStatistics]:
    """Return candidates with messages of the latest and best sessions, and session statistics.

    Args:
        retrieved: Results of the retrievers.
        question: The analysed question; messages of the times that it names are added too.
        places: The candidates so far.
    """
    given, matches = retrieved.given, retrieved.of("words").matches
    snapshot, query, where = given.snapshot, given.request.query, given.where_with_words
    # Messages have no tags, types or files.
    newest = {} if query.tags or query.types or query.files else _newest(snapshot, query, where)
    conversations = SessionScores(snapshot, matches or find_matches(snapshot, atoms(query)))
    places = add_session_openings(places, newest, conversations, where)
    if (question.moments or question.months) and not (query.tags or query.types or query.files):
        places = deduplicate([places, messages_of_named_times(snapshot, question, where)])
    return places, conversations.said(places.owner)


class SessionScores:
    """Scores of all sessions for one question.

    Args:
        snapshot: The index.
        matches: Posting lists of the question's words.
    """

    def __init__(self, snapshot: SearchSnapshot, matches: TermMatches) -> None:
        self.snapshot, self.columns = snapshot, snapshot.columns
        columns = snapshot.columns
        frequencies = [posting.session_frequency(columns) for posting in matches.postings]
        has_spoken = [frequency.user_messages > 0 for frequency in frequencies]
        self.words = _bm25([(frequency.owner, frequency.messages) for frequency in frequencies], columns.words)
        by_users = [
            (frequency.owner[rows], frequency.user_messages[rows])
            for frequency, rows in zip(frequencies, has_spoken, strict=True)
        ]
        self.user_words = _bm25(by_users, columns.user_words)
        self._worth, self._message_index = matches.worth, snapshot.index_cache.messages

    def said(self, owner: "Ids") -> SessionStatistics:
        """Return the statistics of the sessions ``owner``, zeros for memories."""
        number, is_one = np.maximum(owner, 0), owner > 0
        coverage = np.zeros(len(self.words))
        _, whose, worth = self._matching(np.unique(number[is_one]))
        np.maximum.at(coverage, whose, worth)
        of_all = (self.words, self.user_words, coverage, self.columns.words)
        return SessionStatistics(*(np.where(is_one, values[number], 0.0).astype(np.float64) for values in of_all))

    def openings(self, numbers: Sequence[int], where: ChunkFilter) -> MessagePlaces:
        """Return the first allowed message of each of the sessions ``numbers``."""
        ids = self._message_index.of(self.columns, np.array(numbers, dtype=np.int64))
        ids = ids[passes_filter(self.snapshot, ids, where)]
        # A message that was edited has a later chunk than those that follow it.
        ids = ids[np.argsort(self.columns.first[ids], kind="stable")]
        _, first = np.unique(self.columns.owner[ids], return_index=True)
        return places_of(self.columns, ids[first])

    def best_messages(self, but: "Ids") -> list[int]:
        """Return the best message chunk of each of the best sessions, except those in ``but``."""
        wanted = self._best(but)
        ids, owner, worth = self._matching(np.array(wanted, dtype=np.int64))
        chosen = (np.flatnonzero(owner == session) for session in wanted)
        return [int(ids[rows[np.argmax(worth[rows])]]) for rows in chosen if len(rows)]

    def _matching(self, numbers: "Ids") -> "tuple[Ids, Ids, Floats]":
        """Return matching message chunks of sessions, with their owners and scores."""
        ids = self._message_index.of(self.columns, numbers.astype(np.int64))
        ids = ids[ids < len(self._worth)]  # chunks may have been added since the posting lists were read
        worth = self._worth[ids]
        ids, worth = ids[worth > 0], worth[worth > 0]
        return ids, self.columns.owner[ids], worth.astype(np.float64)

    def _best(self, but: "Ids") -> list[int]:
        numbers = np.flatnonzero(self.words > 0)
        numbers = numbers[~np.isin(numbers, but)]
        score = self.words[numbers]
        if len(numbers) > _LET_IN:
            kept = score >= np.partition(score, len(score) - _LET_IN)[-_LET_IN]
            numbers, score = numbers[kept], score[kept]
        best: list[int] = numbers[np.argsort(-score, kind="stable")][:_LET_IN].tolist()
        return best


def _bm25(counts: "Iterable[tuple[Ids, Ids]]", length: "Floats") -> "Floats":
    """Return the BM25 of sessions by their number.

    Args:
        counts: Sessions with each word, and how often.
        length: Number of words of each session.
    """
    there = max(int(np.count_nonzero(length[1:])), 1)
    norm = length_norm(length / max(float(length[1:].sum()) / there, 1.0))
    score = np.zeros(len(length))
    for owner, times in counts:
        score[owner] += positive_idf(there, len(owner)) * term_frequency(times.astype(np.float64), norm[owner])
    return score


def _newest(snapshot: SearchSnapshot, query: Query, where: ChunkFilter) -> dict[str, int]:
    """Return the latest sessions within the named times, then the latest of all."""
    until = query.until
    counts: dict[str, int] = {}
    for begin, end in query.moments:
        counts |= latest_sessions(snapshot, where, end if until is None else min(end, until), since=begin)
    return counts | latest_sessions(snapshot, where, until)


def latest_sessions(
    snapshot: SearchSnapshot, where: ChunkFilter, until: int | None, since: int | None = None
) -> dict[str, int]:
    """Return the latest sessions with an allowed message, each with its rank from 1.

    Args:
        snapshot: The index.
        where: Filter of the messages.
        until: Exclude sessions that began at or after this time.
        since: Exclude sessions that ended before this time.
    """
    connection, columns = snapshot.connection, snapshot.columns
    if where.is_by_type and not any(
        chunk_type.kind == "message" and where.suits(chunk_type) for chunk_type in columns.types
    ):
        return {}
    there = connection.execute(
        "SELECT id FROM sessions WHERE forgotten_at IS NULL AND (?1 IS NULL OR created_at < ?1)"
        f" AND (?2 IS NULL OR updated_at >= ?2) ORDER BY updated_at DESC, rowid DESC LIMIT {_LOOKED_AT}",
        (until, since),
    )
    names = (str(row[0]) for row in there)
    if where.is_restrictive and where.mask is not None and np.count_nonzero(where.mask) < len(where.mask) // 2:
        # The database would read every message of a session without an allowed one.
        able = np.zeros(len(columns.words), dtype=np.bool_)
        able[columns.conversations(np.flatnonzero(where.mask[: len(columns.owner)]))] = True
        names = (name for name in names if able[columns.numbers.get(name, 0)])
    if not where.is_restrictive:  # no session that is hidden is among them
        known = ((name, columns.numbers.get(name, 0)) for name in names)
        with_messages = (name for name, number in known if number and columns.words[number] > 0)
        latest = list(islice(with_messages, LATEST))
        return {name: place for place, name in enumerate(latest, 1)}
    if is_answered_by_columns(connection, where):
        return _placed(names, lambda some: _with_messages(snapshot, some, where))
    sql = (
        "SELECT s.value FROM json_each(?) s WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.session_id = s.value"
        f" AND c.kind = 'message' AND {where.point_sql})"
    )
    return _placed(names, lambda some: {row[0] for row in connection.execute(sql, (json.dumps(some), *where.values))})


def _placed(names: Iterator[str], allowed_of: "Callable[[Sequence[str]], Container[object]]") -> dict[str, int]:
    """Return the first ``LATEST`` allowed names, each with its rank from 1."""
    texts: list[str] = []
    while len(texts) < LATEST and (some := list(islice(names, LATEST))):
        allowed = allowed_of(some)
        texts += [name for name in some if name in allowed]
    return {name: place for place, name in enumerate(texts[:LATEST], 1)}


def _with_messages(snapshot: SearchSnapshot, names: Sequence[str], where: ChunkFilter) -> set[object]:
    """Return the sessions with an allowed message, decided from the cached columns."""
    columns = snapshot.columns
    numbers = np.array([columns.numbers.get(name, 0) for name in names], dtype=np.int64)
    ids = snapshot.index_cache.messages.of(columns, numbers[numbers > 0])
    ids = ids[passes_filter(snapshot, ids, where)]
    return {columns.name(number) for number in np.unique(columns.owner[ids]).tolist()}


def add_session_openings(
    places: MessagePlaces, newest: Mapping[str, int], conversations: SessionScores, where: ChunkFilter
) -> MessagePlaces:
    """Return ``places`` with a message from each of the latest and best sessions.

    Where nothing was found, nothing is let in.
    """
    if not len(places):
        return places
    there = np.unique(places.owner)
    snapshot, columns = conversations.snapshot, conversations.columns
    known, numbers = set(there.tolist()), columns.numbers
    unseen = [session for session in newest if numbers.get(session) not in known][:_LET_IN]
    if is_answered_by_columns(snapshot.connection, where):
        opened = conversations.openings([numbers[session] for session in unseen], where)
    else:
        openings = [(numbers[session], seq) for session, seq in _openings(snapshot, unseen, where)]
        pairs = np.array(openings, dtype=np.int64).reshape(-1, 2)
        opened = MessagePlaces(pairs[:, 0], pairs[:, 1])
    chunks = np.array(conversations.best_messages(there), dtype=np.int64)
    chunks = np.sort(chunks[passes_filter(snapshot, chunks, where)])
    return deduplicate([places, opened, places_of(columns, chunks)])


def _openings(snapshot: SearchSnapshot, sessions: Sequence[str], where: ChunkFilter) -> Iterator[tuple[str, int]]:
    """Yield the first allowed message of each session."""
    if sessions:
        yield from snapshot.connection.execute(
            "SELECT c.session_id, min(c.seq_start) FROM chunks c WHERE c.session_id IN (SELECT value FROM json_each(?))"
            f" AND c.kind = 'message' AND {where.point_sql} GROUP BY c.session_id",
            (json.dumps(sessions), *where.values),
        )
