"""Entity state: what a person may decide about an entity, as history records it.

Mentions and counts follow from it.
"""

from typing import Any, cast

import apsw

from app.entities import repo
from app.entities.linking import Linker, relink
from app.entities.model import Entity, EntityType, name_key
from app.errors import StaleError
from app.sentence import Sentence

State = dict[str, Any]


def read(connection: apsw.Connection, entity_id: str) -> State | None:
    """Return an entity's state, ``None`` when it is not there or its making was undone."""
    entity = repo.get(connection, entity_id)
    if entity is None or entity.attributes.get("retired"):
        return None
    return {
        "name": entity.name,
        "type": entity.type,
        "summary": entity.summary,
        "protected": entity.protected,
        "touched": entity.touched,
        "merged_into": entity.merged_into,
        "attributes": entity.attributes,
        "aliases": _own_aliases(connection, entity),
        "claims": [[one.owner_kind, one.owner_id, one.from_id] for one in repo.claims(connection, entity_id)],
        "relations": [
            [one.predicate, one.object_id, one.weight, one.source, one.created_ms]
            for one in repo.edges(connection, entity_id)
        ],
    }


def write(connection: apsw.Connection, entity_id: str, state: State, now_ms: int) -> None:
    """Store ``state`` as the state of an entity and update its mentions.

    The entity is made when it is not there.

    Raises:
        StaleError: Another entity that a person decided about has its name and type.
    """
    before = read(connection, entity_id)
    roots = {repo.root(connection, one) for one in (entity_id, state["merged_into"]) if one is not None} - {entity_id}
    held = {one: found["aliases"] for one in sorted(roots) if (found := read(connection, one)) is not None}
    lent = repo.joined_names(connection, entity_id)
    yielded = _make_room(connection, entity_id, state)
    if repo.get(connection, entity_id) is None:
        repo.insert(connection, entity_id, state["name"], state["type"], now_ms)
    repo.update(connection, entity_id, state, now_ms)
    lending = () if state["merged_into"] is not None else repo.joined_names(connection, entity_id)
    repo.set_aliases(connection, entity_id, (*state["aliases"], *lending))
    for one, names in held.items():
        repo.set_aliases(connection, one, (*names, *repo.joined_names(connection, one)))
    repo.set_claims(connection, entity_id, [repo.Claim(*claim) for claim in state["claims"]])
    repo.set_edges(connection, entity_id, [repo.Edge(*edge) for edge in state["relations"]])
    if state["attributes"].get("retired") and state["merged_into"] is None:
        _leave_mentions(connection, entity_id, before, now_ms)
    keys = _keys(before) | _keys(state) | yielded | {name_key(name) for name in lent}
    relink(connection, keys, _owners(before) | _owners(state), now_ms)


def retire(connection: apsw.Connection, entity_id: str, now_ms: int) -> None:
    """Undo the creation of an entity.

    It is merged into the one it was split from, and its names and claims go.
    """
    state = read(connection, entity_id)
    if state is None:
        return
    origin = state["attributes"].get("split_from")
    gone = {**state, "merged_into": origin, "aliases": [], "claims": []}
    write(connection, entity_id, {**gone, "attributes": {**state["attributes"], "retired": True}}, now_ms)


def _make_room(connection: apsw.Connection, entity_id: str, state: State) -> set[str]:
    """Merge an automatic entity of the same name and type into this one.

    Returns the names that it had.
    """
    if state["merged_into"] is not None:
        return set()
    other_id = repo.named(connection, name_key(state["name"]), state["type"])
    other = None if other_id in (None, entity_id) else repo.get(connection, str(other_id))
    if other is None:
        return set()
    if other.touched:
        raise StaleError(
            Sentence(
                "Another {type} is called {name} now. Rename it, or merge the two.", type=other.type, name=other.name
            ),
            target=entity_id,
            other=other.id,
        )
    held = read(connection, other.id) or {}
    repo.update(connection, other.id, {**held, "merged_into": entity_id}, 0)
    repo.set_aliases(connection, other.id, ())
    return {name_key(alias) for alias in other.aliases}


def _leave_mentions(connection: apsw.Connection, entity_id: str, before: State | None, now_ms: int) -> None:
    """Make automatic entities for the names by which texts mention a retired one."""
    names = {} if before is None else {name_key(name): name for name in (before["name"], *before["aliases"])}
    marks = connection.execute("SELECT DISTINCT surface FROM mentions WHERE entity_id = ?", (entity_id,)).fetchall()
    linker = Linker(connection, now_ms)
    for kind, _, key in (str(mark).partition(":") for (mark,) in marks):
        linker.link(names.get(key, key), cast("EntityType", kind))


def _own_aliases(connection: apsw.Connection, entity: Entity) -> list[str]:
    """Return an entity's names without those of automatically joined ones, which keep their own."""
    lent = {name_key(name) for name in repo.joined_names(connection, entity.id)} - {name_key(entity.name)}
    return [alias for alias in entity.aliases if name_key(alias) not in lent]


def _keys(state: State | None) -> set[str]:
    return set() if state is None else {name_key(name) for name in (state["name"], *state["aliases"])}


def _owners(state: State | None) -> set[tuple[str, str]]:
    return set() if state is None else {(claim[0], claim[1]) for claim in state["claims"]}


class EntityApplier:
    """Puts entities back into an earlier state, for undo."""

    def current(self, connection: apsw.Connection, target: str) -> State | None:
        """Return the entity's state as history keeps it."""
        return read(connection, target)

    def apply(
        self, connection: apsw.Connection, target: str, state: State | None, at_ms: int, current: State | None
    ) -> State | None:
        """Make ``state`` the entity's state; ``None`` undoes its making.

        Raises:
            StaleError: Another entity that a person decided about has its name and type.
        """
        if state is None:
            retire(connection, target, at_ms)
        else:
            write(connection, target, state, at_ms)
        return self.current(connection, target)
