"""Queries about entities, run on a reader; ``access`` says what the caller may see."""

from collections.abc import Sequence
from datetime import datetime

from app.core.access import Access
from app.core.clock import to_ms
from app.entities.model import (
    Entity,
    EntityFilter,
    EntityInfo,
    EntityOrder,
    EntityRow,
    GraphFilter,
    GraphView,
    Mention,
    MentionedEntity,
)
from app.entities.queries import entity_lists, entity_snapshots, graph, people, profile
from app.entities.queries.linked_notes import TitleLinks
from app.entities.queries.named_entities import named_in
from app.entities.queries.people import Person
from app.store.store import Store


class EntityQueries:
    """Questions about entities.

    Args:
        store: The vault's database.
        title_links: Finds links between notes.
    """

    def __init__(self, store: Store, title_links: TitleLinks) -> None:
        self._store = store
        self._title_links = title_links

    async def get(self, access: Access, entity_id: str) -> Entity:
        """Return the entity with an id, or the one it was merged into.

        Raises:
            NotFoundError: The caller may see no entity with this id.
        """
        return await self._store.read(lambda conn: profile.visible(conn, entity_id, access.stores))

    async def ids(
        self, access: Access, chosen: EntityFilter, order: EntityOrder = "mentions", *, limit: int = -1, offset: int = 0
    ) -> list[str]:
        """Return the ids of the entities that match ``chosen``."""
        return await self._store.read(
            lambda conn: entity_lists.ids(conn, chosen, order, limit=limit, offset=offset, stores=access.stores)
        )

    async def rows(self, access: Access, ids: Sequence[str]) -> list[EntityRow]:
        """Return list rows for ``ids``, in that order, without those that do not exist."""
        return await self._store.read(lambda conn: entity_lists.rows(conn, ids, stores=access.stores))

    async def listed(
        self,
        access: Access,
        chosen: EntityFilter,
        order: EntityOrder = "mentions",
        *,
        limit: int = 50,
        offset: int = 0,
        as_of: datetime | None = None,
    ) -> list[EntityRow]:
        """Return one page of the entities that match ``chosen``, now or as of a time."""
        if as_of is not None:
            at_ms = to_ms(as_of)
            return await self._store.read(
                lambda conn: entity_snapshots.EntitySnapshot(conn, at_ms, access.stores).listed(
                    chosen, order, limit, offset
                )
            )
        return await self.rows(access, await self.ids(access, chosen, order, limit=limit, offset=offset))

    async def info(
        self, access: Access, entity_id: str, *, limit: int = 20, as_of: datetime | None = None
    ) -> EntityInfo:
        """Return the profile of an entity, now or as of a time.

        Each of its lists has at most ``limit`` items.

        Raises:
            NotFoundError: The caller may see no entity with this id, or it did not exist then.
        """
        if as_of is not None:
            at_ms = to_ms(as_of)
            return await self._store.read(
                lambda conn: entity_snapshots.EntitySnapshot(conn, at_ms, access.stores).info(entity_id, limit)
            )
        return await self._store.read(lambda conn: profile.info(conn, entity_id, limit, access.stores))

    async def people(
        self, access: Access, text: str = "", order: EntityOrder = "recent", *, limit: int = 50, offset: int = 0
    ) -> list[Person]:
        """Return people whose names contain ``text``, with count and time of their mentions."""
        return await self._store.read(
            lambda conn: people.people(conn, text, order, limit=limit, offset=offset, stores=access.stores)
        )

    async def of(self, access: Access, owner: str) -> list[Mention]:
        """Return what a message (``session#seq``) or a memory mentions."""
        return await self._store.read(lambda conn: profile.of_owner(conn, owner, access.stores))

    async def named(self, access: Access, owners: Sequence[str]) -> list[MentionedEntity]:
        """Return what messages and memories mention, with the words that name it there."""
        return await self._store.read(lambda conn: named_in(conn, owners, access.stores))

    async def graph(self, access: Access, centre: str | None, depth: int, limit: int, chosen: GraphFilter) -> GraphView:
        """Return the neighbourhood of ``centre``, or without one the most mentioned entities.

        Raises:
            NotFoundError: The caller may see no such entity.
        """
        bounded = min(max(limit, 1), graph.MAX_NODES)
        if centre is None:
            return await self._store.read(
                lambda conn: graph.overview(conn, bounded, chosen, access.stores, title_links=self._title_links)
            )
        return await self._store.read(
            lambda conn: graph.neighbourhood(
                conn, centre, depth, bounded, chosen, access.stores, title_links=self._title_links
            )
        )
