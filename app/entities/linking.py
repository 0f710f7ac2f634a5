"""Entity linking: the entity that a name means.

That is the one with this canonical name and type, else one with this alias, else a new one; what a person decided
comes first.

A mention keeps the name it was found by (its surface). Which entity that is follows from the registry alone, so that
after a merge, split, rename or its undo the mentions are brought in line, those found in between among them.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import apsw

from app.core.ids import new_id
from app.core.text import collapse, storable
from app.entities import repo
from app.entities.model import TYPES, EntityType, OwnerKind, name_key

Readers = Literal["all", "full", "narrowed"]

MAX_NAME = 500


@dataclass(frozen=True, slots=True)
class Owner:
    """A message or memory that mentions things; ``store`` is who may see it."""

    kind: OwnerKind
    id: str
    store: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class FoundName:
    """Name found in a text.

    ``start`` is -1 when it names the text as a whole. Of the ``readers`` of the text, those see it who may read every
    store (``full``), those who may not (``narrowed``), or both.
    """

    name: str
    type: EntityType
    start: int
    length: int
    confidence: float
    provider: str
    aliases: tuple[str, ...] = ()
    readers: Readers = "all"


def surface(kind: str, name: str) -> str:
    """Return the surface of a name: its type and key."""
    return f"{kind}:{name_key(name)}"


class Linker:
    """Links names to entities within one transaction.

    Args:
        connection: The writer's connection.
        now_ms: The time.
    """

    def __init__(self, connection: apsw.Connection, now_ms: int) -> None:
        self._connection = connection
        self._now_ms = now_ms
        self._met: dict[str, str] = {}

    def link(self, name: str, kind: EntityType, aliases: Iterable[str] = ()) -> str:
        """Return the id of the entity that ``name`` means, made when there is none.

        One that no person has decided about learns the ``aliases`` too.
        """
        clean = collapse(storable(name)[0])[:MAX_NAME]
        entity_id = self.find(clean, kind)
        if entity_id is None:
            entity_id = new_id("entity")
            repo.insert(self._connection, entity_id, clean, kind, self._now_ms)
            self._met[surface(kind, clean)] = entity_id
        new = [collapse(storable(alias)[0])[:MAX_NAME] for alias in aliases]
        if new and not self._is_touched(entity_id):
            repo.add_aliases(self._connection, entity_id, [alias for alias in new if alias])
        return entity_id

    def find(self, name: str, kind: str) -> str | None:
        """Return the id of the entity that ``name`` means where nothing is claimed."""
        mark, key = surface(kind, name), name_key(name)
        found = self._met.get(mark)
        if found is None:
            found = repo.named(self._connection, key, kind) or repo.aliased(self._connection, key, kind)
            if found is not None:
                self._met[mark] = found
        return found

    def find_again(self, key: str, kind: str) -> str | None:
        """Return the entity that a name found earlier means, of any type."""
        return self.find(key, kind) or repo.aliased(self._connection, key, None)

    def mention(self, found: Sequence[tuple[Owner, Sequence[FoundName]]]) -> None:
        """Record what owners mention, in place of what a provider found in them before."""
        # A few statements for all: each may have to wait for Python's lock, with the writer held.
        for kind in sorted({owner.kind for owner, _ in found}):
            owners = json.dumps([owner.id for owner, _ in found if owner.kind == kind])
            self._connection.execute(
                "DELETE FROM mentions WHERE owner_kind = ? AND owner_id IN (SELECT value FROM json_each(?))"
                " AND provider <> 'person'",
                (kind, owners),
            )
        claiming = repo.owners_with_claims(self._connection, ((owner.kind, owner.id) for owner, _ in found))
        rows = []
        for owner, names in found:
            is_claimed = (owner.kind, owner.id) in claiming
            claimed = repo.claims_on(self._connection, owner.kind, owner.id) if is_claimed else {}
            for one in names:
                entity_id = None
                if one.readers != "narrowed":
                    entity_id = _claimant(claimed, self.link(one.name, one.type, one.aliases))
                store = "" if one.readers == "full" else owner.store
                mark = surface(one.type, collapse(one.name)[:MAX_NAME])
                place = (owner.kind, owner.id, one.start, mark, one.length, entity_id)
                rows.append((*place, store, one.confidence, one.provider, owner.at_ms))
        self._connection.executemany(
            "INSERT INTO mentions (owner_kind, owner_id, start, surface, length, entity_id, store, confidence,"
            " provider, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            rows,
        )

    def _is_touched(self, entity_id: str) -> bool:
        return bool(self._connection.execute("SELECT touched FROM entities WHERE id = ?", (entity_id,)).get)


def relink(connection: apsw.Connection, keys: Iterable[str], owners: Iterable[tuple[str, str]], now_ms: int) -> None:
    """Update mentions to what their names mean in the registry now.

    A mention whose name no entity has stays where it is.

    Args:
        connection: The writer's connection.
        keys: Keys of names whose meaning may have changed.
        owners: Kind and id of owners of which other things may be claimed now.
        now_ms: The time.
    """
    linker = Linker(connection, now_ms)
    for mark in sorted({f"{kind}:{key}" for key in keys for kind in TYPES}):
        held = connection.execute("SELECT 1 FROM mentions WHERE surface = ? LIMIT 1", (mark,)).fetchone()
        kind, _, key = mark.partition(":")
        entity_id = None if held is None else linker.find_again(key, kind)
        if entity_id is None:
            continue
        connection.execute(
            "UPDATE mentions SET entity_id = ?1 WHERE surface = ?2 AND entity_id <> ?1 AND NOT EXISTS (SELECT 1"
            " FROM entity_claims c WHERE c.owner_kind = mentions.owner_kind AND c.owner_id = mentions.owner_id)",
            (entity_id, mark),
        )
    everywhere = connection.execute("SELECT DISTINCT owner_kind, owner_id FROM entity_claims").fetchall()
    for owner in sorted({*owners, *((str(kind), str(owner_id)) for kind, owner_id in everywhere)}):
        _relink_owner(connection, linker, *owner)


def _relink_owner(connection: apsw.Connection, linker: Linker, owner_kind: str, owner_id: str) -> None:
    rows = connection.execute(
        "SELECT start, surface, entity_id FROM mentions"
        " WHERE owner_kind = ? AND owner_id = ? AND entity_id IS NOT NULL",
        (owner_kind, owner_id),
    ).fetchall()
    claimed = repo.claims_on(connection, owner_kind, owner_id) if rows else {}
    for start, mark, entity_id in rows:
        kind, _, key = str(mark).partition(":")
        current = linker.find_again(key, kind)
        wanted = None if current is None else _claimant(claimed, current)
        if wanted not in (None, entity_id):
            connection.execute(
                "UPDATE mentions SET entity_id = ? WHERE owner_kind = ? AND owner_id = ? AND start = ? AND surface = ?",
                (wanted, owner_kind, owner_id, start, mark),
            )


def _claimant(claimed: dict[str, str], entity_id: str) -> str:
    """Return who an entity's mention in an owner belongs to in the end."""
    seen = {entity_id}
    while (other := claimed.get(entity_id)) is not None and other not in seen:
        entity_id = other
        seen.add(other)
    return entity_id
