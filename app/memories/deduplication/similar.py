"""Finds memories whose words are nearly those of a text.

The result is exact, and few memories are read for it.

Of two texts with a Jaccard similarity of at least t, one has all but ``n - ceil(t * n)`` of the other's n words. So
when the words are dealt into one group more than may be missing, some group is there in full: the word index is asked
for texts that have all words of a group, and what it gives is verified. Rare words head the groups, so that is little.
"""

import heapq
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import apsw

from app.core.stores import STORES
from app.core.text_rules.stopwords import stop_words
from app.memories import repo
from app.memories.deduplication.word_sets import expression, jaccard, word_set
from app.memories.model import Memory
from app.memories.said_time import SAID_BY

MAX_FOUND: Final = 20
LENGTHS: Final = 2  # texts of which one is more than so many times as long as the other are not compared
_COMMON: Final = 5_000  # texts from which on it does not matter how common a word is
_ALL: Final = 100 * _COMMON
_FEW: Final = math.log(_ALL / 5)
_MANY: Final = 30  # candidates from which on the words are counted anew
_MAX_MEASURED: Final = 64  # words whose frequency is looked up
_CHUNKS: Final = 3  # of one memory among the most relevant, taken generously
_MAX_TELLING: Final = 12
_MAX_KNOWN: Final = 50_000
_LONG_TEXT: Final = 240  # characters from which on a similar memory may have several chunks

_OF_MEMORY = "SELECT DISTINCT c.memory_id FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid"
_LIKE = "c.kind = 'memory' AND c.role = :kind AND c.store IN (SELECT value FROM json_each(:stores))"
# The words of a group may be spread over the chunks of a long memory: there any one of the rarest must do.
_LONG = "EXISTS (SELECT 1 FROM chunks d WHERE d.memory_id = c.memory_id AND d.seq_start > 0)"


@dataclass(frozen=True, slots=True)
class SimilarMemory:
    """A memory and how similar its words are, 0 to 1."""

    memory: Memory
    score: float


def text_of(memory: Memory) -> str:
    """Return the text by which memories are compared.

    It is title, content, single statements, and who said a fact: "I have two dogs" is another fact in another's mouth.
    """
    return "\n".join((memory.title, memory.content, *memory.facts, memory.said_by))


def _score(first: str, words: frozenset[str], second: str) -> float:
    """Return the Jaccard similarity of a text, of which ``words`` are the words, to another.

    It is 0 where one text is more than twice as long.
    """
    if max(len(first), len(second)) > LENGTHS * min(len(first), len(second)):
        return 0.0
    return jaccard(words, word_set(second))


def _texts(connection: apsw.Connection, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the memory ids that exist, each with its text for comparison."""
    for memory_id, title, content, facts, who in connection.execute(
        f"SELECT m.id, m.title, m.content, m.facts, {SAID_BY} FROM json_each(?) w CROSS JOIN memories m ON m.id ="
        f" w.value",
        (json.dumps(list(ids)),),
    ):
        yield str(memory_id), "\n".join((str(title), str(content), *json.loads(str(facts)), str(who or "")))


class SimilarFinder:
    """Finds similar memories by the words of a text.

    It remembers how common words are, which only decides in what order they are looked up.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def find(
        self,
        connection: apsw.Connection,
        text: str,
        threshold: float,
        *,
        kind: str,
        stores: Sequence[str],
        now_ms: int,
        limit: int = MAX_FOUND,
    ) -> list[SimilarMemory]:
        """Return the active memories whose Jaccard similarity to ``text`` is at least ``threshold``.

        Args:
            connection: Any connection.
            text: What is compared, as ``text_of`` gives it.
            threshold: Above 0, at most 1.
            kind: Only memories of this kind.
            stores: Only memories in these stores.
            now_ms: What has expired by now is left out, milliseconds UTC.
            limit: Memories at most.

        Returns:
            The most similar first; of equals the one mentioned more often, then the older.
        """
        words = word_set(text)
        if not words:
            return []
        ids = self._candidates(connection, text, words, threshold, {"kind": kind, "stores": json.dumps(list(stores))})
        if len(ids) > _MANY:  # the words are commoner by now than was remembered
            for word in words:
                self._counts.pop(word, None)
        # Most candidates are none: they are compared by their bare text before anything else of them is read.
        scores = {
            memory_id: score
            for memory_id, stored_text in _texts(connection, ids)
            if (score := _score(text, words, stored_text)) >= threshold
        }
        memories = [
            SimilarMemory(memory, scores[memory.id])
            for memory in repo.many(connection, list(scores), stores=STORES)
            if memory.deleted_at is None and not repo.is_expired(memory, now_ms)
        ]
        memories.sort(
            key=lambda neighbour: (
                -neighbour.score,
                -neighbour.memory.mention_count,
                neighbour.memory.created_at,
                neighbour.memory.id,
            )
        )
        return memories[:limit]

    def related(
        self, connection: apsw.Connection, text: str, *, kind: str, stores: Sequence[str], limit: int
    ) -> list[str]:
        """Return ids of active memories that share telling words with ``text``, the most relevant first."""
        words = word_set(text)
        telling = self._rarest_first(connection, (words - stop_words(words)) or words)[:_MAX_TELLING]
        if not telling:
            return []
        rows = connection.execute(
            "SELECT c.memory_id FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid"
            f" WHERE chunks_fts MATCH :match AND {_LIKE} ORDER BY bm25(chunks_fts), c.id LIMIT :limit",
            {
                "match": " OR ".join(map(expression, telling)),
                "kind": kind,
                "stores": json.dumps(list(stores)),
                "limit": _CHUNKS * limit,
            },
        )
        return list(dict.fromkeys(str(row[0]) for row in rows))[: max(limit, 0)]

    def _candidates(
        self,
        connection: apsw.Connection,
        text: str,
        words: frozenset[str],
        threshold: float,
        values: dict[str, str],
    ) -> list[str]:
        ordered = self._rarest_first(connection, words)
        # The margin keeps rounding from asking for more words than a text of exactly the threshold must have.
        group_count = len(ordered) - math.ceil(threshold * len(ordered) - 1e-9) + 1
        groups = self._dealt(ordered, group_count)
        match = " OR ".join(f"({' AND '.join(map(expression, group))})" for group in groups)
        rows = connection.execute(
            f"{_OF_MEMORY} WHERE chunks_fts MATCH :match AND {_LIKE}", {"match": match, **values}
        ).fetchall()
        if len(text) >= _LONG_TEXT:
            match = " OR ".join(map(expression, ordered[:group_count]))
            rows += connection.execute(
                f"{_OF_MEMORY} WHERE chunks_fts MATCH :match AND {_LIKE} AND {_LONG}", {"match": match, **values}
            ).fetchall()
        return list(dict.fromkeys(str(row[0]) for row in rows))

    def _dealt(self, ordered: Sequence[str], group_count: int) -> list[list[str]]:
        """Deal words into groups, each led by one of the rarest.

        Each next word joins the group that most texts would pass.

        Words that are left once few texts pass any group are not asked for.
        """
        groups = [[word] for word in ordered[:group_count]]
        passing = [(-self._weight(group[0]), number) for number, group in enumerate(groups)]
        heapq.heapify(passing)
        for word in ordered[group_count:]:
            weight, number = heapq.heappop(passing)
            if weight > _FEW:
                break
            groups[number].append(word)
            heapq.heappush(passing, (weight - self._weight(word), number))
        return groups

    def _weight(self, word: str) -> float:
        """Return the word's weight: the logarithm of its known share of texts."""
        return math.log((self._counts.get(word, _COMMON) + 1) / _ALL)

    def _rarest_first(self, connection: apsw.Connection, words: Iterable[str]) -> list[str]:
        """Return the words ordered by how many texts have them.

        Of very many words only the longest are looked up.
        """
        by_length = sorted(words, key=lambda word: (-len(word), word))
        if len(self._counts) > _MAX_KNOWN:
            self._counts.clear()
        for word in by_length[:_MAX_MEASURED]:
            if word not in self._counts:
                self._counts[word] = _frequency(connection, word)
        return sorted(by_length, key=lambda word: (self._counts.get(word, _COMMON), -len(word), word))


def _frequency(connection: apsw.Connection, word: str) -> int:
    counted = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH ? LIMIT {_COMMON})", (expression(word),)
    )
    return int(counted.get)
