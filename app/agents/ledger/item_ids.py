"""Ids of items in an answer: memories, conversations and entities. Pure functions.

Which fields of a type hold ids is found out once; texts are never looked at. A turn counts as its conversation.
"""

import re
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Final

from app.core.ids import PREFIXES

MAX_ITEMS: Final = 200
_MAX_VISITED: Final = 5_000
_KINDS: Final = ("session", "note", "fact", "observation", "reflection", "digest", "entity")
_UUID: Final = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ITEM: Final = re.compile(rf"(?:{'|'.join(PREFIXES[kind] for kind in _KINDS)})-{_UUID}(?:#\d+)?")
_ID_FIELDS: Final = frozenset(
    {
        "id",
        "ids",
        "session_id",
        "memory_id",
        "entity_id",
        "owner_id",
        "subject_id",
        "object_id",
        "into_id",
        "other_id",
        "target",
    }
)
# What an answer says that it does not hold.
_ABSENT: Final = frozenset({"left_out", "missing", "last_shown", "sources"})
_TURN: Final = re.compile(r"#\d+$")


def items_of(value: object) -> tuple[tuple[str, ...], int]:
    """Return the ids of the items in an answer, and how many more it holds."""
    walk = _Walk()
    walk.visit(value)
    return tuple(walk.found), walk.more


def is_item(text: object) -> bool:
    """Return whether ``text`` is an id that Keepsake gives."""
    return isinstance(text, str) and _ITEM.fullmatch(text) is not None


def item_of(name: str) -> str:
    """Return the id of an item; of a turn, that of its conversation."""
    return _TURN.sub("", name)


class _Walk:
    """A walk over an answer that ends when enough was found."""

    def __init__(self) -> None:
        self.found: dict[str, None] = {}
        self.more = 0
        self._visited = 0

    def visit(self, value: object) -> None:
        """Find the ids in ``value``."""
        kind: Any = type(value)
        if kind is str:
            if is_item(value):
                self._note(str(value))
        elif (id_fields := _fields(kind)) is not None:
            for name in id_fields.ids:
                self._note_field(getattr(value, name))
            for name in id_fields.nested:
                self.visit(getattr(value, name))
        elif isinstance(value, Mapping):
            self._visit_mapping(value)
        elif isinstance(value, list | tuple):
            self._visit_all(value)

    def _visit_mapping(self, value: Mapping[Any, Any]) -> None:
        for name, item in value.items():
            if name in _ID_FIELDS:
                self._note_field(item)
            elif name not in _ABSENT and not isinstance(item, str):
                self.visit(item)

    def _visit_all(self, values: Sequence[Any]) -> None:
        for place, item in enumerate(values):
            if len(self.found) >= MAX_ITEMS:
                self.more += len(values) - place
                return
            if self._visited >= _MAX_VISITED:
                return
            self._visited += 1
            self.visit(item)

    def _note_field(self, value: object) -> None:
        if isinstance(value, str):
            self._note(value)
        elif isinstance(value, list | tuple):
            self._visit_all(value)

    def _note(self, name: str) -> None:
        if name and len(self.found) < MAX_ITEMS:
            self.found[_TURN.sub("", name) if "#" in name else name] = None


@dataclass(frozen=True, slots=True)
class _IdFields:
    """Id fields of a type, and its fields whose values have ids."""

    ids: tuple[str, ...]
    nested: tuple[str, ...]


@cache
def _fields(kind: Any) -> _IdFields | None:
    """Return the fields of a type to look at, ``None`` where it is no dataclass."""
    if not is_dataclass(kind):
        return None
    hints = typing.get_type_hints(kind)
    own = [field.name for field in fields(kind) if field.name not in _ABSENT]
    ids = tuple(name for name in own if name in _ID_FIELDS and _is_text(hints[name]))
    return _IdFields(ids, tuple(name for name in own if name not in ids and _leads_to_ids(hints[name], frozenset())))


def _is_text(hint: Any) -> bool:
    return hint is str or any(map(_is_text, _parts(hint)))


def _leads_to_ids(hint: Any, above: frozenset[Any]) -> bool:
    """Return whether values of a type, or those in them, have fields with ids."""
    if not is_dataclass(hint):
        return any(_leads_to_ids(part, above) for part in _parts(hint))
    if hint in above:
        return False
    hints = {name: kind for name, kind in typing.get_type_hints(hint).items() if name not in _ABSENT}
    return any(
        (name in _ID_FIELDS and _is_text(kind)) or _leads_to_ids(kind, above | {hint}) for name, kind in hints.items()
    )


def _parts(hint: Any) -> tuple[Any, ...]:
    return () if typing.get_origin(hint) is typing.Literal else typing.get_args(hint)
