"""Entity snapshots: the registry and its mentions as of an earlier time.

Decisions come from the history. Mentions count when their turn had been said, or their memory has not changed since;
of what was changed, deleted or forgotten since, the names that stood in it are not kept. Which entity a mention meant
follows from its name and the decisions of then.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, cast

import apsw

from app.core.clock import optional_datetime, to_datetime, to_ms
from app.core.stores import sees_all
from app.core.text import excerpt, storable
from app.entities import entity_state, repo
from app.entities.model import (
    Conversation,
    Entity,
    EntityFilter,
    EntityInfo,
    EntityOrder,
    EntityRow,
    EntityType,
    KnownFact,
    Neighbour,
    Relation,
    name_key,
)
from app.entities.queries.visibility import names, public_id, type_of, within
from app.errors import NotFoundError
from app.history import as_of
from app.sentence import Sentence

State = dict[str, Any]

_TEXT = 240
_MAX_STEPS = 1_000  # of a chain of merges


@dataclass(frozen=True, slots=True)
class _Mention:
    """A mention as far as the past asks of it."""

    kind: str
    owner: str
    surface: str
    at_ms: int


@dataclass(slots=True)
class _Known:
    """Mentions of one entity, and what follows from them."""

    mentions: list[_Mention] = field(default_factory=list)

    @property
    def owners(self) -> set[tuple[str, str]]:
        return {(one.kind, one.owner) for one in self.mentions}

    @property
    def first(self) -> int | None:
        return min((one.at_ms for one in self.mentions), default=None)

    @property
    def last(self) -> int | None:
        return max((one.at_ms for one in self.mentions), default=None)


def states(connection: apsw.Connection, at_ms: int) -> dict[str, State]:
    """Return the states of all entities at ``at_ms``, merged ones included.

    One that nobody decided on is there when a text names it, whenever it was first recognised: that may have been in
    a text that the caller does not see.
    """
    since = {entry.target: entry.before for entry in as_of.first_entries_after(connection, "entity", at_ms)}
    # What had been decided by then counts for more than what a later import, which may have brought it, found here.
    since |= {entry.target: entry.after for entry in as_of.entries_at(connection, "entity", at_ms, since)}
    found = {entity_id: held for entity_id, held in since.items() if held is not None}
    rows = connection.execute("SELECT id FROM entities WHERE created_at <= ? OR touched = 0", (at_ms,)).fetchall()
    for (entity_id,) in rows:
        if entity_id not in since and (held := entity_state.read(connection, str(entity_id))) is not None:
            found[str(entity_id)] = held
    return found


class EntitySnapshot:
    """Registry as of an earlier time, as far as a caller may see it.

    Args:
        connection: A reader.
        at_ms: The moment.
        stores: Those that the caller may see.
    """

    def __init__(self, connection: apsw.Connection, at_ms: int, stores: Sequence[str]) -> None:
        self._connection = connection
        self._at_ms = at_ms
        self._stores = tuple(stores)
        self._all = sees_all(stores)

    @cached_property
    def _states(self) -> dict[str, State]:
        return states(self._connection, self._at_ms) if self._all else self._seen_states()

    def _seen_states(self) -> dict[str, State]:
        """Return what the mentions of then say to a caller with few stores, by id."""
        surfaces = dict.fromkeys(one.surface for one in self._mentions())
        spelled = names(self._connection, surfaces, self._stores)
        plain: State = {"merged_into": None, "touched": False, "protected": False, "summary": ""}
        return {
            public_id(one, self._stores): {
                **plain,
                "name": spelled[one],
                "type": type_of(one),
                "aliases": [spelled[one]],
                "attributes": {},
                "claims": [],
                "relations": [],
            }
            for one in surfaces
        }

    @cached_property
    def _names(self) -> dict[tuple[str, str], str]:
        """Entities that stood for themselves, by key and type of their canonical name."""
        return {
            (name_key(one["name"]), one["type"]): entity_id
            for entity_id, one in self._states.items()
            if one["merged_into"] is None
        }

    @cached_property
    def _aliases(self) -> dict[str, list[str]]:
        """Entities that stood for themselves, by all keys that meant them; decided ones first."""
        found: dict[str, list[str]] = {}
        ordered = sorted(self._states.items(), key=lambda item: (not item[1]["touched"], item[0]))
        for entity_id, one in ordered:
            for alias in one["aliases"]:  # of what is merged, only what was joined by itself has any
                found.setdefault(name_key(alias), []).append(self.root(entity_id))
        return found

    @cached_property
    def _claims(self) -> dict[tuple[str, str], dict[str, str]]:
        """Claims on owners: the claiming entity by the one claimed from."""
        found: dict[tuple[str, str], dict[str, str]] = {}
        for entity_id, one in self._states.items():
            for kind, owner, origin in one["claims"]:
                found.setdefault((kind, owner), {})[self.root(origin)] = self.root(entity_id)
        return found

    @cached_property
    def _sessions(self) -> dict[str, State]:
        """Conversations as they stood, those that were renamed, forgotten or restored since."""
        found = as_of.first_entries_after(self._connection, "session", self._at_ms, "title")
        return {entry.target: entry.before for entry in found if entry.before is not None}

    @cached_property
    def _stated(self) -> set[str]:
        """Entities of which a statement held, with those that they were merged into."""
        stated = [
            key for key, held in self._states.items() if (held["attributes"].get(repo.STATED) or {}).get("listed")
        ]
        for subject, held in self._states.items():
            targets = [target for _, target, *_ in held["relations"] if target in self._states]
            stated += [subject, *targets] if targets else []
        return {self.root(key) for key in stated}

    @property
    def _titles(self) -> dict[str, str]:
        return {session: str(held["title"]) for session, held in self._sessions.items()}

    @cached_property
    def _forgotten(self) -> set[str]:
        return {session for session, held in self._sessions.items() if held["forgotten_at"] is not None}

    @cached_property
    def _known(self) -> dict[str, _Known]:
        """Mentions and names of each mentioned entity."""
        found: dict[str, _Known] = {}
        for mention in self._mentions():
            entity_id = self._entity_of(mention)
            if entity_id is not None:
                found.setdefault(entity_id, _Known()).mentions.append(mention)
        return found

    def root(self, entity_id: str) -> str:
        """Return the entity that ``entity_id`` stood for after all merges of then."""
        for _ in range(_MAX_STEPS):
            held = self._states.get(entity_id)
            if held is None or held["merged_into"] is None:
                break
            entity_id = held["merged_into"]
        return entity_id

    def listed(self, chosen: EntityFilter, order: EntityOrder, limit: int, offset: int) -> list[EntityRow]:
        """Return one page of the entities that ``chosen`` left."""
        rows = [row for entity_id in self._states if (row := self._row(entity_id)) is not None]
        kept = [row for row in rows if self._fits(row, chosen)]
        latest = {row.id: self._known[row.id].last or 0 if row.id in self._known else 0 for row in kept}
        orders: dict[EntityOrder, Any] = {
            "mentions": lambda row: (-row.mentions, name_key(row.name), row.id),
            "name": lambda row: (name_key(row.name), row.type, row.id),
            "recent": lambda row: (-latest[row.id], name_key(row.name), row.id),
        }
        kept.sort(key=orders[order])
        return kept[offset : offset + limit] if limit >= 0 else kept[offset:]

    def info(self, entity_id: str, limit: int) -> EntityInfo:
        """Return everything about an entity, at most ``limit`` of each thing.

        Raises:
            NotFoundError: There was none of that id that the caller may know.
        """
        entity = self._entity(entity_id)
        known = self._known.get(entity.id, _Known())
        facts = self._facts(known)
        conversations = self._conversations(known)
        company = self._company(entity.id, known)
        return EntityInfo(
            entity=entity,
            first_at=optional_datetime(known.first),
            last_at=optional_datetime(known.last),
            facts=facts[:limit],
            facts_total=len(facts),
            conversations=conversations[:limit],
            conversations_total=len(conversations),
            relations=self._relations(entity.id),
            people=tuple([one for one in company if one.type == "person"][:limit]),
            related=tuple([one for one in company if one.type != "person"][:limit]),
        )

    def _mentions(self) -> Iterable[_Mention]:
        since = as_of.changed_since(self._connection, "memory", self._at_ms)
        rows = self._connection.execute(
            "SELECT m.owner_kind, m.owner_id, m.surface, m.at FROM mentions m"
            f" WHERE {within(self._stores)} AND CASE m.owner_kind WHEN 'message' THEN m.at <= ?"
            " ELSE m.owner_id NOT IN (SELECT value FROM json_each(?)) END",
            (self._at_ms, json.dumps(sorted(since))),
        )
        found = (_Mention(*row) for row in rows)
        return (one for one in found if one.kind == "memory" or _session(one.owner) not in self._forgotten)

    def _entity_of(self, mention: _Mention) -> str | None:
        """Return the entity of a mention, as ``linking`` finds it."""
        if not self._all:
            return public_id(mention.surface, self._stores)
        kind, _, key = mention.surface.partition(":")
        found = self._names.get((key, kind))
        if found is None:
            aliased = self._aliases.get(key, [])
            of_type = [one for one in aliased if kind in self._types(one)]
            found = next(iter([*of_type, *aliased]), None)
        claimed = self._claims.get((mention.kind, mention.owner), {})
        seen = set[str]()
        while found is not None and found not in seen and found in claimed:
            seen.add(found)
            found = claimed[found]
        return found

    def _types(self, entity_id: str) -> list[str]:
        held = self._states[entity_id]
        return [held["type"], *held["attributes"].get("absorbed", [])]

    def _row(self, entity_id: str) -> EntityRow | None:
        """Return the list row of an entity, ``None`` for one that is not listed.

        Merged and invisible entities are not, nor are those without mention, protection and statement.
        """
        held, known = self._states[entity_id], self._known.get(entity_id)
        is_decided = (self._all and held["protected"]) or entity_id in self._stated
        if held["merged_into"] is not None or (known is None and not is_decided):
            return None
        count = 0 if known is None else len(known.mentions)
        kind = cast("EntityType", held["type"])
        return EntityRow(entity_id, self._name(entity_id), kind, count, self._all and held["protected"])

    def _name(self, entity_id: str) -> str:
        return str(self._states[entity_id]["name"])

    def _fits(self, row: EntityRow, chosen: EntityFilter) -> bool:
        if (chosen.types and row.type not in chosen.types) or chosen.protected not in (None, row.protected):
            return False
        if (chosen.since or chosen.until) and not self._is_mentioned(row.id, chosen):
            return False
        keys = self._keys(row.id)
        name, prefix, text = (name_key(storable(given)[0]) for given in (chosen.name, chosen.prefix, chosen.text))
        if name and name not in keys:
            return False
        if prefix and not any(key.startswith(prefix) for key in keys):
            return False
        return all(any(word in key for key in keys) for word in text.split())

    def _is_mentioned(self, entity_id: str, chosen: EntityFilter) -> bool:
        since = -1 if chosen.since is None else to_ms(chosen.since)
        until = self._at_ms + 1 if chosen.until is None else to_ms(chosen.until)
        known = self._known.get(entity_id, _Known())
        return any(since <= one.at_ms < until for one in known.mentions)

    def _keys(self, entity_id: str) -> set[str]:
        """Return the keys of the names by which the caller may know an entity."""
        return {name_key(alias) for alias in self._states[entity_id]["aliases"]}

    def _entity(self, entity_id: str) -> Entity:
        root = self.root(entity_id)
        held, known = self._states.get(root), self._known.get(root)
        row = None if held is None else self._row(root)
        if held is None or (row is None and not (self._all and held["touched"])):
            raise NotFoundError(
                Sentence("There was no entity with the id {entity_id} then.", entity_id=entity_id), id=entity_id
            )
        made, changed = self._times(root)
        plain = Entity(
            id=root,
            name=self._name(root),
            type=cast("EntityType", held["type"]),
            mentions=0 if known is None else len(known.mentions),
            created_at=made,
            updated_at=changed,
            aliases=tuple(held["aliases"]),
        )
        return replace(
            plain,
            summary=held["summary"],
            protected=held["protected"],
            touched=held["touched"],
            attributes=held["attributes"],
        )

    def _times(self, entity_id: str) -> tuple[datetime, datetime]:
        """Return when an entity was made and last changed, as the caller sees it."""
        if not self._all:
            known = self._known[entity_id]
            return to_datetime(known.first or 0), to_datetime(known.last or 0)
        now, then = repo.get(self._connection, entity_id), to_datetime(self._at_ms)
        made = then if now is None else min(now.created_at, then)
        return made, made

    def _facts(self, known: _Known) -> tuple[KnownFact, ...]:
        owners = [owner for kind, owner in known.owners if kind == "memory"]
        rows = self._connection.execute(
            "SELECT f.id, f.kind, f.title, substr(f.content, 1, ?), coalesce(f.event_time, f.updated_at)"
            " FROM json_each(?) w CROSS JOIN memories f ON f.id = w.value WHERE f.valid_until IS NULL"
            " ORDER BY 5 DESC, f.rowid DESC",
            (_TEXT * 2, json.dumps(owners)),
        )
        return tuple(KnownFact(row[0], row[1], row[2], excerpt(row[3], _TEXT), to_datetime(row[4])) for row in rows)

    def _conversations(self, known: _Known) -> tuple[Conversation, ...]:
        messages: dict[str, dict[str, int]] = {}
        for one in known.mentions:
            if one.kind == "message":
                messages.setdefault(_session(one.owner), {})[one.owner] = one.at_ms
        rows = self._connection.execute(
            "SELECT s.id, s.title FROM json_each(?) w CROSS JOIN sessions s ON s.id = w.value",
            (json.dumps(list(messages)),),
        )
        found = [
            Conversation(
                session,
                self._titles.get(session, title),
                len(messages[session]),
                to_datetime(max(messages[session].values())),
            )
            for session, title in rows
        ]
        return tuple(sorted(found, key=lambda one: (one.at, one.id), reverse=True))

    def _company(self, entity_id: str, known: _Known) -> list[Neighbour]:
        owners = known.owners
        shared = {
            other: count
            for other, one in self._known.items()
            if other != entity_id and (count := len(one.owners & owners))
        }
        rows = [(self._row(other), weight) for other, weight in shared.items()]
        known_rows = [(row, weight) for row, weight in rows if row is not None]
        known_rows.sort(key=lambda item: (-item[1], name_key(item[0].name), item[0].id))
        return [Neighbour(row.id, row.name, row.type, float(weight)) for row, weight in known_rows]

    def _relations(self, entity_id: str) -> tuple[Relation, ...]:
        if not self._all:
            return ()
        stated: list[Relation] = []
        for subject, held in self._states.items():
            for predicate, target, weight, source, created in held["relations"]:
                ends = self.root(subject), self.root(target)
                if entity_id in ends and ends[0] != ends[1] and all(end in self._states for end in ends):
                    first, second = (str(self._states[end]["name"]) for end in ends)
                    made = Relation(ends[0], first, predicate, ends[1], second, weight, source, to_datetime(created))
                    stated.append(made)
        stated.sort(key=lambda one: (one.created_at, one.source))
        latest = {(one.subject_id, one.predicate, one.object_id): one for one in stated}
        return tuple(sorted(latest.values(), key=lambda one: (one.created_at, one.subject_id, one.predicate)))


def _session(message: str) -> str:
    return message.rpartition("#")[0]
