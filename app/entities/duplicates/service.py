"""Near-duplicate entities of a vault; merging them is up to the person."""

import asyncio
from collections.abc import Container, Sequence
from functools import partial

import apsw

from app.entities.duplicates import repo
from app.entities.duplicates.finder import near_duplicates, sure_joins
from app.entities.duplicates.model import DuplicatePair, NearDuplicate
from app.entities.duplicates.nearness import NearnessMeasure
from app.entities.duplicates.repo import Key
from app.store.store import Store

_LISTED = frozenset({"waiting", "expired", "withdrawn"})  # decisions that leave a pair open
_MOST_CHECKED = 2_000  # pairs


class NearDuplicateService:
    """Finds near-duplicates.

    Args:
        store: The vault's database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def pairs(self, limit: int = 50) -> list[DuplicatePair]:
        """Return pairs that may be one entity, without refused ones, the surest first."""
        made = await self._store.read(repo.decisions, is_background=True)
        open_pairs = [one for one in await self._found() if made.get(one.key, ("waiting", 0))[0] in _LISTED]
        kept = await self._store.read(partial(_supported, pairs=open_pairs, limit=limit), is_background=True)
        return [_shown(one, made.get(one.key)) for one in kept]

    async def unproposed(self, limit: int) -> list[NearDuplicate]:
        """Return pairs to propose: those never proposed, then those whose proposal expired.

        Short names with the one full name near them come before others.
        """
        if limit <= 0:
            return []
        made = await self._store.read(repo.decisions, is_background=True)
        standing = {one.other.id for one in await self._store.read(repo.standing_joins, is_background=True)}
        sure = [one for one in await self.near() if one.other.id not in standing]
        known = {one.key for one in sure}
        found = [*sure, *(one for one in await self._found() if one.key not in known)]
        new = [one for one in found if one.key not in made]
        expired = [one for one in found if made.get(one.key, ("", 0))[0] == "expired"]
        due = partial(_supported, pairs=[*new, *expired], limit=limit, known=known)
        return await self._store.read(due, is_background=True)

    async def near(self) -> list[NearDuplicate]:
        """Return open pairs of a short name and the one full name near it.

        What was joined by itself is looked at as if it were not.
        """
        made = await self._store.read(repo.decisions, is_background=True)
        entities = await self._store.read(partial(repo.names, is_apart=True), is_background=True)
        spelled = await self._store.read(repo.spelled_names, is_background=True)
        found = await asyncio.to_thread(lambda: sure_joins(near_duplicates(entities), spelled))
        open_pairs = [one for one in found if made.get(one.key, ("waiting", 0))[0] in _LISTED]
        standing = {one.key for one in await self._store.read(repo.standing_joins, is_background=True)}
        open_pairs.sort(key=lambda one: one.key not in standing)  # none of these is left out as one too many
        return await self._store.read(partial(_near, pairs=open_pairs), is_background=True)

    async def _found(self) -> list[NearDuplicate]:
        entities = await self._store.read(repo.names, is_background=True)
        return await asyncio.to_thread(near_duplicates, entities)


def _supported(
    connection: apsw.Connection, pairs: Sequence[NearDuplicate], limit: int, known: Container[Key] = ()
) -> list[NearDuplicate]:
    """Return the first pairs that the vault supports.

    Nothing speaks against them, and their entities are mentioned together where that is needed, or ``known`` to be.
    """
    kept: list[NearDuplicate] = []
    for one in pairs[:_MOST_CHECKED]:
        if len(kept) >= limit:
            break
        if one.needs_context and one.key not in known and not repo.have_context(connection, one.key):
            continue
        if not repo.are_apart(connection, one.key):
            kept.append(one)
    return kept


def _near(connection: apsw.Connection, pairs: Sequence[NearDuplicate]) -> list[NearDuplicate]:
    """Return the pairs of names near each other that nothing speaks against."""
    measure = NearnessMeasure(connection, {})
    return [
        one
        for one in pairs[:_MOST_CHECKED]
        if not repo.are_apart(connection, one.key) and measure.nearness(one).together
    ]


def _shown(pair: NearDuplicate, decision: tuple[str, int] | None) -> DuplicatePair:
    waiting = decision[1] if decision is not None and decision[0] == "waiting" else None
    return DuplicatePair(
        pair.into.id,
        pair.into.name,
        pair.other.id,
        pair.other.name,
        pair.into.type,
        pair.sentence,
        pair.score,
        waiting,
    )
