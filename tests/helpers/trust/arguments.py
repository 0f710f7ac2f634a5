"""Random arguments for every operation, by the names and types of its parameters, that ask for what is hidden."""

import random
import types
import typing
from dataclasses import fields, is_dataclass
from typing import Any

import msgspec

from app.api.operation import Operation
from app.core.clock import to_datetime
from tests.helpers.trust.vaults import HOUR_MS, JOINS, LISTED, NAMED, PEOPLE, START_MS, Item

_LONG_LISTS = {"ids", "memories"}
_OBJECTS: dict[str, dict[str, Any]] = {
    "cadence": {"kind": "interval", "seconds": 86_400},
    "patch": {"goal": "another goal"},
}
_SELDOM = 0.3  # how often an argument that may be left out is given


class ArgumentMaker:
    """Makes arguments that name the items of a vault in every way there is.

    Args:
        chance: The source of randomness.
        items: What the vault holds.
        entities: The ids of its entities.
        schedules: The ids of its schedules.
    """

    def __init__(
        self,
        chance: random.Random,
        items: list[Item],
        entities: list[str],
        schedules: list[str],
    ) -> None:
        self._chance = chance
        self._items = items
        self._entities = entities
        self._schedules = schedules

    def arguments(self, operation: Operation) -> dict[str, Any]:
        """Return arguments for one call; now and then they are not accepted."""
        hints = typing.get_type_hints(operation.arguments, include_extras=True)
        return {
            parameter.name: self._value(parameter.name, hints[parameter.name], operation.name)
            for parameter in operation.parameters
            if parameter.required or self._chance.random() < _SELDOM
        }

    def _value(self, name: str, hint: Any, operation: str) -> Any:
        if name in _OBJECTS:
            return dict(_OBJECTS[name])
        origin, inner = typing.get_origin(hint), typing.get_args(hint)
        if origin in (typing.Annotated, typing.Union, types.UnionType):
            some = inner[:1] if origin is typing.Annotated else [one for one in inner if one is not type(None)]
            return self._value(name, self._chance.choice(some), operation)
        if origin is typing.Literal:
            return self._chance.choice(inner)
        if origin in (list, tuple):
            count = len(self._items) if name in _LONG_LISTS else self._chance.randrange(1, 3)
            return [self._value(name, inner[0], operation) for _ in range(count)]
        if origin is dict or hint is dict:
            return {"colour": self._item().marker}
        return self._object(hint, operation) if is_dataclass(hint) else self._plain(name, hint, operation)

    def _object(self, kind: Any, operation: str) -> dict[str, Any]:
        hints = typing.get_type_hints(kind, include_extras=True)
        required = {"role", "content", "kind", "id"}
        left_out = {"seq", "tool_calls", "importance"}
        return {
            field.name: self._value("id" if field.name == "id" else field.name, hints[field.name], operation)
            for field in fields(kind)
            if field.name in required
            or (self._is_of_graph(operation) and field.default is field.default_factory)  # it must be given
            or (field.name not in left_out and self._chance.random() < _SELDOM)
        }

    def _plain(self, name: str, hint: Any, operation: str) -> Any:
        if hint is bool:
            return self._chance.random() < 0.5
        if hint is int:
            number = self._chance.choice((1, 1, 2, 20, 100))
            # A lower limit would let the order decide what is there, and scores may depend on what is hidden.
            return 100 if name == "limit" and operation == "fact.conflicts" else number
        if hint is float:
            return self._chance.choice((0.5, 1.0, 7.0))
        if hint is str:
            return self._of_graph(name) if self._is_of_graph(operation) else self._text(name, operation)
        if (kind := getattr(hint, "__name__", "")) in ("datetime", "date"):
            moment = to_datetime(START_MS + self._chance.randrange(3 * len(self._items)) * HOUR_MS)
            return (moment if kind == "datetime" else moment.date()).isoformat()
        return msgspec.convert({}, hint)

    def _item(self) -> Item:
        return self._chance.choice(self._items)

    def _is_of_graph(self, operation: str) -> bool:
        return operation.startswith("graph.")

    def _of_graph(self, name: str) -> str:
        said = {
            "type": self._chance.choice(JOINS),
            "contents": self._item().marker,
            "observations": self._item().marker,
        }
        return said.get(name) or self._chance.choice((*LISTED, *NAMED))

    def _text(self, name: str, operation: str) -> str:
        item, chance = self._item(), self._chance
        if name in ("session", "sessions"):
            return chance.choice((item.id, f"talk-{item.marker}", f"alias-{item.marker}", "new-session", "unheard"))
        if operation.startswith("schedule.") and name == "id":
            return chance.choice((*self._schedules, "sch-unheard"))
        if operation.startswith("entity.") and name in ("id", "ids", "into", "subject", "target") and self._entities:
            return chance.choice((*self._entities, "ent-unheard"))
        if name in ("id", "ids", "new_id", "old_id", "owner", "around", "target", "memories"):
            return chance.choice((item.id, item.id, item.id, f"{item.id}#1", "fact-unheard"))
        if name == "key" and operation.startswith("session."):
            return chance.choice(("key-1", item.marker))
        words = {
            "query": self._query(item),
            "prompt": self._query(item),
            "category": chance.choice(("c", item.marker)),
            "key": chance.choice(("k0", "k1", "colour")),
            "value": chance.choice((item.text, item.marker)),
            "prefix": chance.choice(("tag", "title", item.marker, item.marker[:4])),
            "title": chance.choice((f"Title {item.number}", f"Title {item.marker}")),
            "channel": chance.choice((f"chat:{item.marker}", "chat:new")),
            "content": chance.choice((item.text, f"A new thought of {PEOPLE[item.person]} [[Title {item.number}]]")),
            "summary": "a new summary",
            "items": "a new step",
            "recipe": chance.choice(("rrf", "weighted", "boosted", "learned", "words", "tri")),
            "agent": chance.choice(("", "reader", "other")),
            "job": item.marker,
            "run_id": "",
        }
        tags = chance.choice((f"tag{item.number % 3}", item.marker, f"tag{item.number % 3}/{item.marker}", "fresh"))
        return words.get(name) or (tags if name in ("tags", "add", "remove", "old", "new", "into") else item.marker)

    def _query(self, item: Item) -> str:
        who = PEOPLE[item.person]
        return self._chance.choice(
            (
                "heron", item.marker, f'"{who}"', f"{who} heron", f"tag:{item.marker}", f"tag:tag{item.number % 3}",
                f"session:{item.id}", f"entity:{item.marker.capitalize()}", f'entity:"{who}"', f"{item.marker[:5]}*",
                f"agent:{item.agent or 'other'}", "kind:message", "kind:note heron", "store:private", "is:pinned",
                "is:archived", "is:superseded heron", "is:pending", "-nothing", f"heron -{item.marker}", "role:user",
                f"source:{item.marker}", "before:2023-11-15 heron", "after:2023-11-14", f"title:{item.marker}", who,
            )
        )  # fmt: skip
