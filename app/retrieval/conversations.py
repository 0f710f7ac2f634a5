"""What conversations as a whole say to a question, and which are the latest."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

from app.index.postings import Postings, last_chunk
from app.retrieval.asked import Asked
from app.retrieval.candidates import Conditions
from app.retrieval.context_rows import read_around
from app.retrieval.fts import Atom, atoms
from app.retrieval.model import Query
from app.retrieval.pool import Gathered, Place, Said, Standing, pool

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]
    Floats = NDArray[np.float64]

LATEST: Final = 64
"""So many of the latest conversations are told apart."""
_LOOKED_AT: Final = 4 * LATEST
_LET_IN: Final = 12
_K1: Final = 1.2
_B: Final = 0.75


def gathered(
    connection: apsw.Connection,
    query: Query,
    question: Asked,
    found: Standing,
    where: Conditions,
    postings: Postings,
) -> Gathered:
    """Return the candidates among what the legs found and what stands near it, with all that their features need.

    Args:
        connection: A reader.
        query: What is searched.
        question: The same as texts are compared with it.
        found: The scores of what the legs found.
        where: What a turn must satisfy to be an answer.
        postings: Knows which chunks have a word.
    """
    newest = latest(connection, where, query.until)
    conversations = Conversations(connection, postings, atoms(query))
    places = let_in(connection, pool(found), newest, conversations, where)
    read = read_around(connection, found, places, question, where, postings)
    return replace(read, said=conversations.said({owner for owner, _ in places}))


class Conversations:
    """The conversations of a vault, weighed for one question."""

    def __init__(self, connection: apsw.Connection, postings: Postings, atoms: Sequence[Atom]) -> None:
        last = last_chunk(connection)
        lengths = postings.lengths(connection, last)
        self._owned = owned = postings.owners.upto(connection, last, lengths)
        size = len(owned.words)
        lists = [ids[ids <= last] for ids in (postings.ids(connection, atom.expression, last) for atom in atoms)]
        self.words = _bm25([np.bincount(owned.owner[ids], minlength=size) for ids in lists], owned.words)
        said = [np.bincount(owned.owner[ids], owned.user[ids], size) for ids in lists]
        self.user_words = _bm25(said, owned.user_words)
        self._worth = np.zeros(last + 1, dtype=np.float32)
        for ids in lists:
            there = max(lengths.chunks - len(ids), 0)
            self._worth[ids] += np.log((there + 0.5) / (len(ids) + 0.5) + 1)
        self._ids = np.flatnonzero(self._worth)
        self.coverage = np.zeros(size, dtype=np.float32)
        np.maximum.at(self.coverage, owned.owner[self._ids], self._worth[self._ids])

    def said(self, owners: Collection[str]) -> dict[str, Said]:
        """Return what those of ``owners`` that are conversations say."""
        numbers = {owner: self._owned.numbers.get(owner, 0) for owner in owners}
        return {owner: self._said(number) for owner, number in numbers.items() if number}

    def _said(self, number: int) -> Said:
        one = (self.words[number], self.user_words[number], self.coverage[number], self._owned.words[number])
        return Said(*map(float, one))

    def best_turns(self, but: Collection[str]) -> list[int]:
        """Return the chunk of the best turn of each of the best conversations, leaving out those in ``but``."""
        names = {number: name for name, number in self._owned.numbers.items()}
        best = np.argsort(-self.words, kind="stable")[: len(but) + _LET_IN]
        wanted = [int(one) for one in best if self.words[one] > 0 and one and names[int(one)] not in but][:_LET_IN]
        owner = self._owned.owner[self._ids]
        found = ((self._ids[owner == one]) for one in wanted)
        return [int(ids[np.argmax(self._worth[ids])]) for ids in found if len(ids)]


def _bm25(counts: "Sequence[NDArray[Any]]", length: "Floats") -> "Floats":
    there = max(int(np.count_nonzero(length[1:])), 1)
    norm = _K1 * (1 - _B + _B * length / max(float(length[1:].sum()) / there, 1.0))
    score = np.zeros(len(length))
    for times in counts:
        have = int(np.count_nonzero(times[1:]))
        idf = np.log1p((max(there - have, 0) + 0.5) / (have + 0.5))
        score += idf * times * (_K1 + 1) / (times + norm)
    score[0] = 0.0
    return score


def latest(connection: apsw.Connection, where: Conditions, until: int | None) -> dict[str, int]:
    """Return the latest conversations that have a turn which ``where`` allows, each with its place from 1.

    Args:
        connection: A reader.
        where: What a turn must satisfy.
        until: Conversations begun then or later are none.
    """
    rows = connection.execute(
        "SELECT s.id FROM (SELECT id, updated_at, rowid AS number FROM sessions WHERE forgotten_at IS NULL"
        " AND (?1 IS NULL OR created_at < ?1) ORDER BY updated_at DESC, rowid DESC"
        f" LIMIT {_LOOKED_AT}) s WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.session_id = s.id"
        f" AND c.kind = 'message' AND {where.check}) ORDER BY s.updated_at DESC, s.number DESC LIMIT {LATEST}",
        (until, *where.values),
    )
    return {str(row[0]): place for place, row in enumerate(rows, 1)}


def let_in(
    connection: apsw.Connection,
    places: Sequence[Place],
    newest: Mapping[str, int],
    conversations: Conversations,
    where: Conditions,
) -> list[Place]:
    """Return ``places`` and a turn of each conversation that is among the latest or the best but not among them.

    Where nothing was found, nothing is let in.
    """
    if not places:
        return []
    there = {owner for owner, _ in places}
    unseen = [session for session in newest if session not in there][:_LET_IN]
    chunks = conversations.best_turns(there)
    more = [*_openings(connection, unseen, where), *_places(connection, chunks, where)]
    return list(dict.fromkeys([*places, *more]))


def _openings(connection: apsw.Connection, sessions: Sequence[str], where: Conditions) -> Iterator[Place]:
    """Yield the first turn of each of ``sessions`` that ``where`` allows."""
    if sessions:
        yield from connection.execute(
            "SELECT c.session_id, min(c.seq_start) FROM chunks c WHERE c.session_id IN (SELECT value FROM json_each(?))"
            f" AND c.kind = 'message' AND {where.check} GROUP BY c.session_id",
            (json.dumps(sessions), *where.values),
        )


def _places(connection: apsw.Connection, chunks: Sequence[int], where: Conditions) -> Iterator[Place]:
    if chunks:
        yield from connection.execute(
            "SELECT c.session_id, c.seq_start FROM chunks c WHERE c.id IN (SELECT value FROM json_each(?))"
            f" AND {where.check}",
            (json.dumps(chunks), *where.values),
        )
