"""Queries about memories, each run on a reader.

``stores`` are those the caller may see.
"""

from collections.abc import Sequence
from datetime import date, datetime

import apsw

from app.core.clock import to_ms
from app.core.facets import Facet, Facets
from app.core.stores import STORES
from app.errors import NotFoundError
from app.memories import links, repo
from app.memories.model import (
    Anniversary,
    CalendarDay,
    Link,
    Links,
    Memory,
    MemoryFilter,
    MemoryOrder,
    MemoryRow,
    NamedThing,
)
from app.memories.queries import calendar_days, memory_lists, memory_snapshots, statistics, timeline
from app.memories.queries.anniversaries import anniversaries as find_anniversaries
from app.memories.queries.statistics import MemoryStats, StatisticsPeriod
from app.memories.queries.timeline import Timeline, TimelineFilter
from app.memories.queries.token_budget import FetchedMemories, fetch_within_budget
from app.memories.tags import tag_repo
from app.store.store import Store


class MemoryQueries:
    """Questions about memories.

    Args:
        store: The vault's database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def get(self, memory_id: str, *, as_of: datetime | None = None, stores: Sequence[str] = STORES) -> Memory:
        """Return one memory, as it stood at ``as_of`` where given.

        A deleted one has its time of deletion in ``deleted_at``.

        Raises:
            NotFoundError: There is no memory of that id in ``stores``, or was none then.
        """
        found = await self._store.read(lambda conn: _one(conn, memory_id, as_of, stores))
        if found is None:
            raise NotFoundError(f"There is no memory with the id {memory_id}.", id=memory_id)
        return found

    async def fetch(
        self,
        ids: Sequence[str],
        *,
        max_tokens: int | None = None,
        as_of: datetime | None = None,
        stores: Sequence[str] = STORES,
    ) -> FetchedMemories:
        """Return the memories of ``ids``, in that order, as far as ``max_tokens`` reach.

        The result also says which were left out.
        """
        return await self._store.read(lambda conn: fetch_within_budget(conn, ids, max_tokens, as_of, stores))

    async def timeline(
        self,
        around: str | datetime,
        before: int,
        after: int,
        chosen: TimelineFilter,
        *,
        stores: Sequence[str] = STORES,
    ) -> Timeline:
        """Return what lies around an item or a moment, in the order of time.

        Raises:
            NotFoundError: There is no such item that the caller may see.
        """
        return await self._store.read(lambda conn: timeline.around(conn, around, before, after, chosen, stores))

    async def growth(self, wanted: StatisticsPeriod, *, stores: Sequence[str] = STORES) -> MemoryStats:
        """Return counts of memories by kind, store and source, and their growth.

        Sessions and messages are counted too where ``stores`` are all there are.
        """
        return await self._store.read(lambda conn: statistics.stats(conn, wanted, stores))

    async def listed(
        self,
        chosen: MemoryFilter,
        order: MemoryOrder = "recent",
        *,
        limit: int = 50,
        offset: int = 0,
        as_of: datetime | None = None,
        stores: Sequence[str] = STORES,
    ) -> list[MemoryRow]:
        """Return one page of the memories that ``chosen`` leaves, or left at ``as_of``."""
        if as_of is not None:
            at_ms = to_ms(as_of)
            return await self._store.read(
                lambda conn: memory_snapshots.listed(
                    conn, chosen, order, at_ms, limit=limit, offset=offset, stores=stores
                )
            )
        return await self._store.read(
            lambda conn: memory_lists.listed(conn, chosen, order, limit=limit, offset=offset, stores=stores)
        )

    async def ids(
        self, chosen: MemoryFilter, order: MemoryOrder = "recent", *, stores: Sequence[str] = STORES
    ) -> list[str]:
        """Return the ids of all memories that ``chosen`` leaves."""
        return await self._store.read(lambda conn: memory_lists.ids(conn, chosen, order, stores=stores))

    async def rows(self, ids: Sequence[str], *, stores: Sequence[str] = STORES) -> list[MemoryRow]:
        """Return the memories of ``ids`` that exist, as list rows, in that order."""
        return await self._store.read(lambda conn: repo.rows(conn, ids, stores=stores))

    async def facets(self, chosen: MemoryFilter, *, stores: Sequence[str] = STORES) -> Facets:
        """Return the counts by kind, tag, store and source over the memories that ``chosen`` leaves."""
        return await self._store.read(lambda conn: memory_lists.facets(conn, chosen, stores=stores))

    async def entities(
        self, chosen: MemoryFilter, limit: int = 30, *, stores: Sequence[str] = STORES
    ) -> list[NamedThing]:
        """Return the people and things that the memories ``chosen`` leaves name, the most named first."""
        return await self._store.read(lambda conn: memory_lists.entities(conn, chosen, limit, stores=stores))

    async def days(self, first: date, last: date, *, stores: Sequence[str] = STORES) -> list[CalendarDay]:
        """Return the days from ``first`` to ``last`` that hold anything, with its numbers."""
        return await self._store.read(lambda conn: calendar_days.days(conn, first, last, stores=stores))

    async def anniversaries(self, day: date, limit: int, *, stores: Sequence[str] = STORES) -> list[Anniversary]:
        """Return what was written on this day of earlier years and months."""
        return await self._store.read(lambda conn: find_anniversaries(conn, day, limit=limit, stores=stores))

    async def kinds(self, *, stores: Sequence[str] = STORES) -> list[Facet]:
        """Return how many active memories there are of each kind."""
        return await self._store.read(lambda conn: memory_lists.kinds(conn, stores=stores))

    async def links(self, memory_id: str, *, stores: Sequence[str] = STORES) -> Links:
        """Return what a memory links to and what links to it.

        Raises:
            NotFoundError: There is no memory of that id in ``stores``.
        """
        await self.get(memory_id, stores=stores)
        return await self._store.read(lambda conn: links.of(conn, memory_id, stores=stores))

    async def titles(
        self, prefix: str = "", *, contains: str = "", limit: int = 50, stores: Sequence[str] = STORES
    ) -> list[Link]:
        """Return the active memories whose title begins with ``prefix`` and has all words of ``contains``."""
        return await self._store.read(
            lambda conn: links.titles(conn, prefix, contains=contains, limit=limit, stores=stores)
        )

    async def resolve(self, title: str, *, source: str = "", stores: Sequence[str] = STORES) -> str | None:
        """Return the id of the memory that ``[[title]]`` means, or ``[](title)`` in the memory ``source``."""
        if source:
            return await self._store.read(lambda conn: links.resolve_target(conn, title, source, stores=stores))
        return await self._store.read(lambda conn: links.resolve(conn, title, stores=stores))

    async def tags(self, prefix: str = "", *, limit: int = 200, stores: Sequence[str] = STORES) -> list[Facet]:
        """Return the tags that begin with ``prefix`` and how many active memories each covers."""
        return await self._store.read(lambda conn: tag_repo.tags_with_prefix(conn, prefix, limit=limit, stores=stores))


def _one(connection: apsw.Connection, memory_id: str, as_of: datetime | None, stores: Sequence[str]) -> Memory | None:
    if as_of is None:
        return repo.get(connection, memory_id, stores=stores)
    return memory_snapshots.get(connection, memory_id, to_ms(as_of), stores=stores)
