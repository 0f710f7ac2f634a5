"""Queries about memories, each run on a reader.

``access`` says what the caller may see.
"""

from collections.abc import Sequence
from datetime import date, datetime

import apsw

from app.core.access import Access
from app.core.clock import to_ms
from app.core.facets import Facet, Facets
from app.errors import NotFoundError
from app.memories import repo
from app.memories.model import (
    Anniversary,
    CalendarDay,
    KeptText,
    Link,
    Links,
    Memory,
    MemoryFilter,
    MemoryOrder,
    MemoryRow,
    NamedThing,
)
from app.memories.note_links import links
from app.memories.queries import calendar_days, kept_versions, memory_lists, memory_snapshots, statistics, timeline
from app.memories.queries.anniversaries import anniversaries as find_anniversaries
from app.memories.queries.statistics import MemoryStats, StatisticsPeriod
from app.memories.queries.timeline import Timeline, TimelineFilter
from app.memories.queries.token_budget import FetchedMemories, fetch_within_budget
from app.memories.tags import tag_repo
from app.sentence import Sentence
from app.store.store import Store


class MemoryQueries:
    """Questions about memories.

    Args:
        store: The vault's database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def get(self, access: Access, memory_id: str, *, as_of: datetime | None = None) -> Memory:
        """Return one memory, as it stood at ``as_of`` where given.

        A deleted one has its time of deletion in ``deleted_at``.

        Raises:
            NotFoundError: There is no memory of that id that the caller may see, or was none then.
        """
        memory = await self._store.read(lambda conn: _one(conn, memory_id, as_of, access.stores))
        if memory is None:
            raise NotFoundError(
                Sentence("There is no memory with the id {memory_id}.", memory_id=memory_id), id=memory_id
            )
        return memory

    async def kept_texts(self, access: Access, memory_id: str) -> tuple[KeptText, ...]:
        """Return texts written to a memory on another machine at the same time.

        Raises:
            NotFoundError: There is no memory of that id that the caller may see.
        """
        return await self._store.read(lambda conn: kept_versions.kept_texts(conn, memory_id, access.stores))

    async def fetch(
        self, access: Access, ids: Sequence[str], *, max_tokens: int | None = None, as_of: datetime | None = None
    ) -> FetchedMemories:
        """Return the memories of ``ids``, in that order, as far as ``max_tokens`` reach.

        The result also says which were left out.
        """
        return await self._store.read(lambda conn: fetch_within_budget(conn, ids, max_tokens, as_of, access.stores))

    async def timeline(
        self, access: Access, around: str | datetime, before: int, after: int, chosen: TimelineFilter
    ) -> Timeline:
        """Return what lies around an item or a moment, in the order of time.

        Raises:
            NotFoundError: There is no such item that the caller may see.
        """
        return await self._store.read(lambda conn: timeline.around(conn, around, before, after, chosen, access.stores))

    async def growth(self, access: Access, wanted: StatisticsPeriod) -> MemoryStats:
        """Return counts of memories by kind, store and source, and their growth.

        Sessions and messages are counted too where the caller sees every store.
        """
        return await self._store.read(lambda conn: statistics.stats(conn, wanted, access.stores))

    async def listed(
        self,
        access: Access,
        chosen: MemoryFilter,
        order: MemoryOrder = "recent",
        *,
        limit: int = 50,
        offset: int = 0,
        as_of: datetime | None = None,
    ) -> list[MemoryRow]:
        """Return one page of the memories that ``chosen`` leaves, or left at ``as_of``."""
        if as_of is not None:
            at_ms = to_ms(as_of)
            return await self._store.read(
                lambda conn: memory_snapshots.listed(
                    conn, chosen, order, at_ms, limit=limit, offset=offset, stores=access.stores
                )
            )
        return await self._store.read(
            lambda conn: memory_lists.listed(conn, chosen, order, limit=limit, offset=offset, stores=access.stores)
        )

    async def ids(self, access: Access, chosen: MemoryFilter, order: MemoryOrder = "recent") -> list[str]:
        """Return the ids of all memories that ``chosen`` leaves."""
        return await self._store.read(lambda conn: memory_lists.ids(conn, chosen, order, stores=access.stores))

    async def rows(self, access: Access, ids: Sequence[str]) -> list[MemoryRow]:
        """Return the memories of ``ids`` that exist, as list rows, in that order."""
        return await self._store.read(lambda conn: repo.rows(conn, ids, stores=access.stores))

    async def facets(self, access: Access, chosen: MemoryFilter) -> Facets:
        """Return the counts by kind, tag, store and source over the memories that ``chosen`` leaves."""
        return await self._store.read(lambda conn: memory_lists.facets(conn, chosen, stores=access.stores))

    async def entities(self, access: Access, chosen: MemoryFilter, limit: int = 30) -> list[NamedThing]:
        """Return the people and things that the memories ``chosen`` leaves name, the most named first."""
        return await self._store.read(lambda conn: memory_lists.entities(conn, chosen, limit, stores=access.stores))

    async def days(self, access: Access, first: date, last: date) -> list[CalendarDay]:
        """Return the days from ``first`` to ``last`` that hold anything, with its numbers."""
        return await self._store.read(lambda conn: calendar_days.days(conn, first, last, stores=access.stores))

    async def anniversaries(self, access: Access, day: date, limit: int) -> list[Anniversary]:
        """Return what was written on this day of earlier years and months."""
        return await self._store.read(lambda conn: find_anniversaries(conn, day, limit=limit, stores=access.stores))

    async def links(self, access: Access, memory_id: str) -> Links:
        """Return what a memory links to and what links to it.

        Raises:
            NotFoundError: There is no memory of that id that the caller may see.
        """
        await self.get(access, memory_id)
        return await self._store.read(lambda conn: links.of(conn, memory_id, stores=access.stores))

    async def titles(self, access: Access, prefix: str = "", *, contains: str = "", limit: int = 50) -> list[Link]:
        """Return the active memories whose title begins with ``prefix`` and has all words of ``contains``."""
        return await self._store.read(
            lambda conn: links.titles(conn, prefix, contains=contains, limit=limit, stores=access.stores)
        )

    async def resolve(self, access: Access, title: str, *, source: str = "") -> str | None:
        """Return the id of the memory that ``[[title]]`` means, or ``[](title)`` in the memory ``source``."""
        if source:
            return await self._store.read(lambda conn: links.resolve_target(conn, title, source, stores=access.stores))
        return await self._store.read(lambda conn: links.resolve(conn, title, stores=access.stores))

    async def tags(self, access: Access, prefix: str = "", *, limit: int = 200) -> list[Facet]:
        """Return the tags that begin with ``prefix`` and how many active memories each covers."""
        return await self._store.read(
            lambda conn: tag_repo.tags_with_prefix(conn, prefix, limit=limit, stores=access.stores)
        )


def _one(connection: apsw.Connection, memory_id: str, as_of: datetime | None, stores: Sequence[str]) -> Memory | None:
    if as_of is None:
        return repo.get(connection, memory_id, stores=stores)
    return memory_snapshots.get(connection, memory_id, to_ms(as_of), stores=stores)
