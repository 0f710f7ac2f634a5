"""Entity service: merge, split, rename, relate and protect, with undo."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import apsw

from app.changes import Changed, ChangeSet
from app.core.clock import Clock
from app.core.ids import new_id
from app.core.text import collapse, storable
from app.entities import entity_state, repo
from app.entities.entity_edits import EntityEdits, require, resolve_merged
from app.entities.linking import MAX_NAME
from app.entities.model import Entity, EntityType, OwnerKind, name_key
from app.errors import InputError
from app.sentence import Sentence
from app.store.store import Store

T = TypeVar("T")

MAX_SUMMARY = 10_000
MAX_OWNERS = 5_000  # of one split
MAX_PLACES = 20_000
_TAKEN: Final = "There already is another {wanted} called {clean}. Merge the two instead."
_ALIAS: Final = "{state} is called {clean} too. Merge the two, or split that name off first."


class EntityService:
    """Changes entities; every method is one transaction, its entries of history one run.

    Args:
        store: The vault's database.
        clock: Where the time comes from.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def merge(self, ids: Sequence[str], into: str, *, actor: str) -> Changed[Entity]:
        """Let entities be one from now on: all their names mean ``into``.

        Raises:
            NotFoundError: One of them is not there, or was merged already.
            InputError: There is nothing to merge.
        """

        def work(decisions: EntityEdits) -> str:
            others = [one for one in dict.fromkeys(ids) if one != into]
            if not others:
                raise InputError("Name at least one other entity to merge into this one.", field="ids")
            target = decisions.state(into)
            aliases, types = dict[str, str](), [*target["attributes"].get("absorbed", [])]
            for name in target["aliases"]:
                aliases.setdefault(name_key(name), name)
            for entity_id in others:
                source = decisions.state(entity_id)
                for name in (source["name"], *source["aliases"]):
                    aliases.setdefault(name_key(name), name)
                types += [source["type"], *source["attributes"].get("absorbed", [])]
                target["summary"] = target["summary"] or source["summary"]
                target["protected"] = target["protected"] or source["protected"]
                decisions.write(entity_id, {**source, "merged_into": into, "aliases": []}, "MERGE")
            absorbed = [kind for kind in dict.fromkeys(types) if kind != target["type"]]
            attributes = {**target["attributes"], **({"absorbed": absorbed} if absorbed else {})}
            decisions.write(into, {**target, "aliases": _ordered(aliases.values()), "attributes": attributes}, "MERGE")
            return into

        return await self._decide(work, "entity.merge", actor)

    async def split(
        self,
        entity_id: str,
        *,
        aliases: Sequence[str] = (),
        owners: Sequence[tuple[OwnerKind, str]] = (),
        name: str = "",
        kind: EntityType | None = None,
        actor: str,
    ) -> Changed[Entity]:
        """Split an entity in two.

        The second one takes some of its names, or what some messages and memories mean by its name.

        Args:
            entity_id: The entity to split.
            aliases: Names that mean the second entity from now on.
            owners: Messages and memories in which the first one's names mean the second.
            name: The second's name; the first of ``aliases`` when empty.
            kind: The second's type; when ``None`` the one it had before it was merged, else the first's.
            actor: Who decides.

        Raises:
            NotFoundError: There is no such entity.
            InputError: Nothing is split off, or what is asked cannot be.
        """

        def work(decisions: EntityEdits) -> str:
            first = decisions.state(entity_id)
            moved = _split_names(first, repo.aliases(decisions.connection, entity_id), aliases)
            clean = _clean_name(name or (moved[0] if moved else ""))
            if not moved and not owners:
                raise InputError("Say which names, or which messages and memories, the second entity gets.")
            if len(owners) > MAX_OWNERS:
                raise InputError(
                    Sentence("At most {max_owners} messages and memories at once.", max_owners=MAX_OWNERS),
                    field="owners",
                )
            _refuse_claimed(decisions.connection, entity_id, owners)
            if not moved and not repo.is_mentioned(decisions.connection, entity_id, owners):
                raise InputError("None of these messages and memories mentions it.", field="owners")
            keys = {name_key(alias) for alias in moved}
            left = [alias for alias in first["aliases"] if name_key(alias) not in keys]
            decisions.write(entity_id, {**first, "aliases": left}, "UPDATE")
            claims = sorted({(owner_kind, owner_id, entity_id) for owner_kind, owner_id in owners})
            return self._second(decisions, entity_id, clean, kind, moved, [list(one) for one in claims])

        return await self._decide(work, "entity.split", actor)

    @staticmethod
    def _second(
        decisions: EntityEdits,
        origin: str,
        name: str,
        kind: EntityType | None,
        aliases: list[str],
        claims: list[list[str]],
    ) -> str:
        """Write the second entity of a split: a merged one restored, else a new one.

        Without a ``kind`` it is of its own type again when it was merged, else of the first one's.
        """
        connection = decisions.connection
        first = decisions.state(origin)
        merged = repo.merged_named(connection, name_key(name), kind, origin)
        back = None if merged is None else entity_state.read(connection, merged)
        wanted = kind or (first["type"] if back is None else back["type"])
        taken = repo.named(connection, name_key(name), wanted)
        if taken is not None and repo.get(connection, taken) is not None and not decisions.is_automatic(taken):
            raise InputError(
                Sentence(
                    "There already is another {wanted} called {name}. Choose another name.", wanted=wanted, name=name
                ),
                id=taken,
            )
        second = merged or new_id("entity")
        held = back or {
            "name": name,
            "summary": "",
            "protected": False,
            "attributes": {},
            "claims": [],
            "relations": [],
        }
        # Texts may give its names any of the types that led to the first one.
        types = (*held["attributes"].get("absorbed", []), first["type"], *first["attributes"].get("absorbed", []))
        absorbed = [one for one in dict.fromkeys(types) if one != wanted]
        made = {
            **held,
            "type": wanted,
            "merged_into": None,
            "attributes": {
                **({"split_from": origin} if back is None else held["attributes"]),
                **({"absorbed": absorbed} if absorbed else {}),
            },
            "aliases": _ordered({name_key(one): one for one in (name, *aliases)}.values()),
            "claims": [*held["claims"], *claims],
        }
        decisions.write(second, made, "ADD" if back is None else "RESTORE")
        return second

    async def rename(
        self,
        entity_id: str,
        name: str,
        *,
        kind: EntityType | None = None,
        summary: str | None = None,
        actor: str,
    ) -> Changed[Entity]:
        """Change the name, type or summary of an entity.

        Its old name stays one of its aliases.

        Raises:
            NotFoundError: There is no such entity.
            InputError: The name is empty, or another entity of the type has it, or has it as an alias by a decision.
        """

        def work(decisions: EntityEdits) -> str:
            before = decisions.state(entity_id)
            clean = _clean_name(name or before["name"])
            wanted = kind or before["type"]
            other = repo.named(decisions.connection, name_key(clean), wanted)
            if other not in (None, entity_id):
                raise InputError(Sentence(_TAKEN, wanted=wanted, clean=clean), id=other)
            own = {name_key(one) for one in before["aliases"]}
            holder = repo.decided_alias(decisions.connection, name_key(clean), wanted)
            if holder not in (None, entity_id) and name_key(clean) not in own:
                # Its texts say that name; they would pass to this one and leave it without any.
                raise InputError(Sentence(_ALIAS, state=decisions.state(holder)["name"], clean=clean), id=holder)
            absorbed = [*before["attributes"].get("absorbed", []), before["type"]]
            kept = [one for one in dict.fromkeys(absorbed) if one != wanted]
            attributes = {key: value for key, value in before["attributes"].items() if key != "absorbed"}
            after = {
                **before,
                "name": clean,
                "type": wanted,
                "summary": before["summary"] if summary is None else storable(summary)[0][:MAX_SUMMARY],
                "attributes": {**attributes, **({"absorbed": kept} if kept else {})},
                "aliases": _ordered(
                    {name_key(one): one for one in (*before["aliases"], before["name"], clean)}.values()
                ),
            }
            if after != before:
                decisions.write(entity_id, after, "RENAME")
            return entity_id

        return await self._decide(work, "entity.rename", actor)

    async def relate(
        self, subject: str, predicate: str, target: str, *, weight: float = 1.0, actor: str
    ) -> Changed[Entity]:
        """State a relation.

        It takes the place of what the actor stated with the same ends and predicate.

        Raises:
            NotFoundError: One of the two is not there.
            InputError: The predicate is empty, the weight no positive number, or both ends are the same.
        """

        def work(decisions: EntityEdits) -> str:
            clean = _clean_name(predicate)
            require(decisions.connection, target)
            if subject == target:
                raise InputError("An entity cannot be related to itself.", field="target")
            if not math.isfinite(weight) or weight <= 0:
                raise InputError("'weight' must be a positive number.", field="weight")
            before = decisions.state(subject)
            own = (clean, target, actor)
            others = [one for one in before["relations"] if (one[0], one[1], one[3]) != own]
            made = [clean, target, float(weight), actor, self._clock.now_ms()]
            decisions.write(subject, {**before, "relations": sorted([*others, made])}, "UPDATE")
            return subject

        return await self._decide(work, "entity.relate", actor)

    async def unrelate(self, subject: str, predicate: str, target: str, *, actor: str) -> Changed[Entity]:
        """Take a stated relation back, for all who stated it.

        Raises:
            NotFoundError: The subject is not there.
            InputError: There is no such relation.
        """

        def work(decisions: EntityEdits) -> str:
            before = decisions.state(subject)
            ends = set(repo.cluster(decisions.connection, target))
            clean = _clean_name(predicate)
            left = [one for one in before["relations"] if not (one[0] == clean and one[1] in ends)]
            if left == before["relations"]:
                raise InputError("There is no such relation.", subject=subject, target=target)
            decisions.write(subject, {**before, "relations": left}, "UPDATE")
            return subject

        return await self._decide(work, "entity.unrelate", actor)

    async def protect(self, entity_id: str, *, protected: bool = True, actor: str) -> Changed[Entity]:
        """Protect an entity from being taken away by maintenance, or no longer.

        Raises:
            NotFoundError: There is no such entity.
        """

        def work(decisions: EntityEdits) -> str:
            before = decisions.state(entity_id)
            if before["protected"] != protected:
                decisions.write(entity_id, {**before, "protected": protected}, "UPDATE")
            return entity_id

        return await self._decide(work, "entity.protect", actor)

    async def place(
        self,
        positions: Sequence[tuple[str, float, float]],
        *,
        centre: str | None = None,
        pinned: bool | None = None,
        actor: str,
    ) -> Changed[int]:
        """Remember where entities were left in the graph; not part of their history.

        Args:
            positions: Id, x and y of each.
            centre: The entity that the graph is drawn around; the graph of all names when ``None``.
            pinned: True when a person put them there, False to let go of them; when ``None``, pinned ones stay.
            actor: Who decides.

        Raises:
            InputError: A position is no finite number, or there are too many.
        """
        if len(positions) > MAX_PLACES:
            raise InputError(
                Sentence("At most {max_places} positions at once.", max_places=MAX_PLACES), field="positions"
            )
        if not all(math.isfinite(x) and math.isfinite(y) for _, x, y in positions):
            raise InputError("Positions must be finite numbers.", field="positions")

        def work(connection: apsw.Connection) -> None:
            if centre is None:
                repo.place(connection, positions, pinned=pinned)
            else:
                repo.place_around(connection, repo.root(connection, centre), positions, pinned=pinned)

        await self._store.write(work)
        return Changed(len(positions), ChangeSet(frozenset(), (), actor, "entity.place"))

    async def _decide(self, work: Callable[[EntityEdits], str], operation: str, actor: str) -> Changed[Entity]:
        def transact(connection: apsw.Connection) -> Changed[Entity]:
            decisions = EntityEdits(connection, actor=actor, now_ms=self._clock.now_ms())
            entity = resolve_merged(connection, work(decisions))
            return Changed(entity, decisions.changes(operation))

        return await self._store.write(transact)


def _split_names(first: dict[str, Any], known: Sequence[str], aliases: Sequence[str]) -> list[str]:
    held = {name_key(alias): alias for alias in known}
    moved = []
    for key in dict.fromkeys(name_key(storable(alias)[0]) for alias in aliases):
        if key not in held:
            raise InputError(Sentence("'{key}' is not one of its names.", key=key), field="aliases", name=key)
        if key == name_key(first["name"]):
            raise InputError("An entity keeps its own name. Rename it first.", field="aliases", name=key)
        moved.append(held[key])
    return moved


def _refuse_claimed(connection: apsw.Connection, entity_id: str, owners: Sequence[tuple[OwnerKind, str]]) -> None:
    for owner_kind, owner_id in owners:
        if repo.is_claimed(connection, owner_kind, owner_id, entity_id):
            raise InputError("What this name means there was decided already. Undo that first.", owner=owner_id)


def _clean_name(name: str) -> str:
    clean = collapse(storable(name)[0])
    if not clean or len(clean) > MAX_NAME:
        raise InputError(Sentence("A name must have 1 to {max_name} characters.", max_name=MAX_NAME), field="name")
    return clean


def _ordered(names: Any) -> list[str]:
    return sorted(names, key=name_key)
