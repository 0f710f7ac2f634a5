"""Questions about facts: by name, by category, by metadata, and which may contradict a sentence."""

import json
from collections.abc import Sequence

import apsw

from app.core.access import Access
from app.core.clock import Clock
from app.core.text import storable
from app.core.text_rules.stopwords import stop_words
from app.errors import KeepsakeError, NotFoundError
from app.memories import repo
from app.memories.deduplication.contradiction import may_contradict, sentences
from app.memories.deduplication.reconciler import CandidateFinder
from app.memories.deduplication.similar import SimilarFinder
from app.memories.deduplication.word_sets import word_set
from app.memories.model import Belief, Clash, FactConfidence, Memory
from app.memories.queries import beliefs
from app.memories.validation import clean_name
from app.store.store import Store

_FACTS = "m.kind = 'fact' AND m.valid_until IS NULL AND (m.expires_at IS NULL OR m.expires_at > :now)"
_LEAST_SHARED = 1 / 3  # of the words of the shorter sentence
_MOST_SENTENCES = 30
_IDS = f"SELECT m.id FROM memories m WHERE {_FACTS}"


class FactQueries:
    """Questions about active facts; ``access`` says what the caller may see.

    Args:
        store: The vault's database.
        finder: Finds facts that share words.
        clock: Source of the time.
        candidates: Finds facts on the same matter; where ``None`` or failing, the word index does.
    """

    def __init__(
        self, store: Store, finder: SimilarFinder, clock: Clock, candidates: CandidateFinder | None = None
    ) -> None:
        self._store = store
        self._finder = finder
        self._clock = clock
        self._search = candidates

    async def get(self, access: Access, category: str, key: str) -> Memory:
        """Return the active fact of a category and key.

        It is the last changed one where several stores have one.

        Raises:
            NotFoundError: There is none.
        """
        named = {"category": clean_name("category", category), "key": clean_name("key", key)}
        where = "AND m.key <> '' AND m.category = :category AND m.key = :key ORDER BY m.updated_at DESC, m.rowid DESC"
        memories = await self._found(where, named, access.stores, limit=1)
        if not memories:
            raise NotFoundError("There is no fact of that category and key. 'fact.list' shows those there are.")
        return memories[0]

    async def confidence(self, access: Access, fact_id: str, threshold: float) -> FactConfidence:
        """Return the confidence of a fact and when it fades without use, below ``threshold``.

        Raises:
            NotFoundError: There is no fact of that id.
        """
        now_ms = self._clock.now_ms()
        return await self._store.read(
            lambda conn: beliefs.confidence(conn, fact_id, now_ms, threshold, stores=access.stores)
        )

    async def beliefs(self, access: Access, fact_id: str) -> list[Belief]:
        """Return what was held true before and after a fact, the first first.

        Raises:
            NotFoundError: There is no fact of that id.
        """
        return await self._store.read(lambda conn: beliefs.timeline(conn, fact_id, stores=access.stores))

    async def listed(self, access: Access, category: str = "", *, limit: int = 50, offset: int = 0) -> list[Memory]:
        """Return facts, of one category where named, by key and then the last changed first."""
        if not category:
            where = "ORDER BY m.updated_at DESC, m.rowid DESC"
            return await self._found(where, {}, access.stores, limit=limit, offset=offset)
        where = "AND m.category = :category ORDER BY m.key, m.updated_at DESC, m.rowid DESC"
        named = {"category": clean_name("category", category)}
        return await self._found(where, named, access.stores, limit=limit, offset=offset)

    async def by_metadata(self, access: Access, key: str, value: str, *, limit: int = 50) -> list[Memory]:
        """Return facts whose attribute ``key`` is ``value``, the last changed first.

        The attribute may be a text, a number or a truth value.
        """
        clean = storable(value)[0]
        # The text search leaves few whose attributes must be taken apart; it sees a text as JSON writes it.
        where = (
            "AND instr(m.attributes, :written) > 0 AND EXISTS (SELECT 1 FROM json_each(m.attributes) a"
            " WHERE a.key = :key AND (a.type IN ('text', 'integer', 'real') AND CAST(a.value AS TEXT) = :value"
            " OR a.type IN ('true', 'false') AND a.type = :value))"
            " ORDER BY m.updated_at DESC, m.rowid DESC"
        )
        named = {
            "key": storable(key)[0],
            "value": clean,
            "written": json.dumps(clean, ensure_ascii=False)[1:-1],
        }
        return await self._found(where, named, access.stores, limit=limit)

    async def conflicts(
        self, access: Access, content: str, *, limit: int = 10, without: Sequence[str] = ()
    ) -> list[Memory]:
        """Return facts on the matter of ``content`` that may contradict it, the nearest first.

        Those that say the same and those of ``without`` are left out.
        """
        text = storable(content)[0]
        ids: list[str] | None = None
        if self._search is not None:
            try:
                ids = await self._search.find(access, text, kind="fact", limit=limit + len(without) + 1)
            except KeepsakeError:
                ids = None  # the word index must do; the person sees the failure where they search

        def work(connection: apsw.Connection) -> list[Memory]:
            conflict_ids = ids
            if conflict_ids is None:
                most = limit + len(without) + 1
                conflict_ids = self._finder.related(connection, text, kind="fact", stores=access.stores, limit=most)
            now_ms = self._clock.now_ms()
            same = repo.text_key(text)
            return [
                fact
                for fact in repo.many(
                    connection, [identity for identity in conflict_ids if identity not in without], stores=access.stores
                )
                if fact.kind == "fact"
                and fact.deleted_at is None
                and not repo.is_expired(fact, now_ms)
                and repo.text_key(fact.content) != same
                and (ids is not None or _is_on_the_matter(text, fact.content))
            ][: max(limit, 0)]

        return await self._store.read(work)

    async def clashes(self, access: Access, content: str, *, limit: int = 3, without: str) -> list[Clash]:
        """Return sentences of a text with facts that may contradict them.

        Args:
            content: The text.
            limit: How many at most.
            access: What the caller may see.
            without: The id of what the text is from.
        """
        clashes: list[Clash] = []
        seen: set[str] = set()
        for sentence in sentences(content, _MOST_SENTENCES):
            for fact in await self.conflicts(access, sentence, limit=limit + 2, without=(without, *seen)):
                if may_contradict(sentence, fact.content):
                    seen.add(fact.id)
                    clashes.append(Clash(sentence, fact))
            if len(clashes) >= limit:
                break
        return clashes[:limit]

    async def _found(
        self, where: str, named: dict[str, str], stores: Sequence[str], *, limit: int, offset: int = 0
    ) -> list[Memory]:
        def work(connection: apsw.Connection) -> list[Memory]:
            condition, _, order = where.partition("ORDER BY ")
            rows = connection.execute(
                f"{_IDS} {condition} AND {repo.store_condition(stores)} ORDER BY {order} LIMIT :limit OFFSET :offset",
                {"now": self._clock.now_ms(), "limit": max(limit, 0), "offset": max(offset, 0), **named},
            )
            return repo.many(connection, [str(row[0]) for row in rows], stores=stores)

        return await self._store.read(work)


def _is_on_the_matter(text: str, other: str) -> bool:
    """Return whether two sentences share enough words apart from stop words."""
    first, second = (words - stop_words(words) or words for words in (word_set(text), word_set(other)))
    return len(first & second) >= _LEAST_SHARED * min(len(first), len(second))
