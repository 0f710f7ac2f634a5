"""Rules by which concurrent changes of one field of a row become one value.

A change whose writer knew all before it simply follows. The rules say what becomes of the others, which are met in
canonical order.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

from app.core.stores import STORES
from app.store.lanes import UNPLACED, ChangePlace
from app.sync.folding.merge_lines import merge_lines
from app.sync.segments.change import Change, State

Reason = Literal["edit_kept_row", "narrower_holds", "decided_before"]


@dataclass(frozen=True, slots=True)
class KeptVersion:
    """Text that stands beside that of its row: both were written at the same time.

    Args:
        text: The whole text.
        place: The change that it is of.
        other: The change whose lines stand in the row's text.
    """

    text: str
    place: ChangePlace
    other: ChangePlace


@dataclass(frozen=True, slots=True)
class FoldNotice:
    """Thing that a person is to hear of how concurrent changes became one row.

    Args:
        reason: ``edit_kept_row``: a change kept a row that was deleted meanwhile; ``narrower_holds``: a change that
            would have let others see or do more does not count; ``decided_before``: nor does a second decision.
        place: The change that counts.
        other: The change that does not.
        field: The field it is about, ``""`` for the row.
    """

    reason: Reason
    place: ChangePlace
    other: ChangePlace
    field: str = ""


class Field(ABC):
    """Value of one field, or of some that change together.

    Args:
        names: The names of the fields.
    """

    __slots__ = ("names", "place")

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.place = UNPLACED
        """The change that gave it its value."""

    @abstractmethod
    def follow(self, change: Change, before: State, after: State) -> None:
        """Take the value of a change whose writer knew all before it."""

    @abstractmethod
    def merge(self, change: Change, before: State, after: State) -> None:
        """Take in a change whose writer did not know all before it.

        Args:
            change: The change.
            before: The row as its writer saw it, with nothing in it for a new row.
            after: The row as its writer left it.
        """

    def notices(self) -> Iterable[FoldNotice]:
        """Return what a person is to hear of the changes that do not count."""
        return ()

    @abstractmethod
    def values(self) -> Iterable[tuple[str, Any]]:
        """Return the value of each field."""


class Register(Field):
    """Fields that have the values of the canonically last change of them."""

    __slots__ = ("value",)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self.value: dict[str, Any] = {}

    def follow(self, change: Change, before: State, after: State) -> None:
        """Take the values of a change."""
        value = self._of(after)
        if value != self.value:
            self.value, self.place = value, change.place

    def merge(self, change: Change, before: State, after: State) -> None:
        """Take the values of a change that changed them, if they hold."""
        value = self._of(after)
        if value in (self._of(before), self.value):
            return
        if change.saw(self.place) or self.holds(change, value):
            self.value, self.place = value, change.place

    def holds(self, change: Change, value: Mapping[str, Any]) -> bool:
        """Return whether the values of a change stand against those it did not know."""
        return True

    def values(self) -> Iterable[tuple[str, Any]]:
        """Return the value of each field."""
        return self.value.items()

    def _of(self, state: State) -> dict[str, Any]:
        return {name: state[name] for name in self.names if name in state}


class Narrowing(Field):
    """Field of which the value that lets others see or do less stands.

    Args:
        names: The name of the field.
        is_narrower: Returns whether one value allows less than another.
    """

    __slots__ = ("chosen", "is_narrower")

    def __init__(self, names: Sequence[str], is_narrower: Callable[[Any, Any], bool]) -> None:
        super().__init__(names)
        self.is_narrower = is_narrower
        self.chosen: dict[ChangePlace, Any] = {}
        """The values of changes that did not know one another."""

    def follow(self, change: Change, before: State, after: State) -> None:
        """Take the value of a change."""
        value = after[self.names[0]]
        if not self.chosen or value != self.chosen[self.place]:
            self.chosen, self.place = {change.place: value}, change.place

    def merge(self, change: Change, before: State, after: State) -> None:
        """Let the value of a change stand beside those it did not know."""
        name = self.names[0]
        if after[name] == before.get(name) and self.chosen:
            return
        self.chosen = {place: value for place, value in self.chosen.items() if not change.saw(place)}
        self.chosen[change.place] = after[name]
        self.place = next(iter(self.chosen))
        for place, value in self.chosen.items():
            if self.is_narrower(value, self.chosen[self.place]):
                self.place = place

    def notices(self) -> Iterable[FoldNotice]:
        """Return which wider values do not count."""
        counting = self.chosen.get(self.place)
        for place, value in self.chosen.items():
            if value != counting:
                yield FoldNotice("narrower_holds", self.place, place, self.names[0])

    def values(self) -> Iterable[tuple[str, Any]]:
        """Return the narrowest value."""
        return ((self.names[0], self.chosen[self.place]),)


class Confidence(Register):
    """Confidence in a fact, where a confirmation beats a decay that did not know it.

    Of two such decays the one of the later time counts.
    """

    __slots__ = ("is_confirmed",)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self.is_confirmed = False

    def follow(self, change: Change, before: State, after: State) -> None:
        """Take the values of a change."""
        super().follow(change, before, after)
        if change.event == "CONFIRM":
            self.is_confirmed, self.place = True, change.place
        elif self.place == change.place:
            self.is_confirmed = False

    def merge(self, change: Change, before: State, after: State) -> None:
        """Take the values of a change that changed them, if they hold."""
        if change.event == "CONFIRM":
            self.follow(change, before, after)
            return
        super().merge(change, before, after)
        if self.place == change.place:
            self.is_confirmed = False

    def holds(self, change: Change, value: Mapping[str, Any]) -> bool:
        """Return whether a change stands against what it did not know."""
        is_later = (value.get("decayed_at") or 0) >= (self.value.get("decayed_at") or 0)
        return change.event != DECAY or (is_later and not self.is_confirmed)


class FirstDecision(Register):
    """Decision of a person about a proposal: of two the first stands."""

    __slots__ = ("late",)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self.late: list[FoldNotice] = []

    def holds(self, change: Change, value: Mapping[str, Any]) -> bool:
        """Return whether nothing was decided yet."""
        if self.value.get("state") not in _DECIDED:
            return True
        if value.get("state") in _DECIDED:
            self.late.append(FoldNotice("decided_before", self.place, change.place, "state"))
        return False

    def notices(self) -> Iterable[FoldNotice]:
        """Return which decisions came second."""
        return self.late


class Greatest(Register):
    """Register whose greatest first value stands, such as a time."""

    __slots__ = ()

    def holds(self, change: Change, value: Mapping[str, Any]) -> bool:
        """Return whether a value is not less than the one that stands."""
        name = self.names[0]
        return (value.get(name) or 0) >= (self.value.get(name) or 0)


class Counter(Register):
    """Number to which every change adds."""

    __slots__ = ()

    def merge(self, change: Change, before: State, after: State) -> None:
        """Add what a change added."""
        name = self.names[0]
        self.value = {name: (self.value.get(name) or 0) + (after.get(name) or 0) - (before.get(name) or 0)}


class Lines(Field):
    """Text that is merged by lines; what overlaps is kept."""

    __slots__ = ("kept", "text")

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self.text = ""
        self.kept: dict[str, KeptVersion] = {}

    def follow(self, change: Change, before: State, after: State) -> None:
        """Take the text of a change."""
        text = after[self.names[0]] or ""
        if text == self.text:
            return
        if self.text and before.get(self.names[0]) != self.text:
            # Its writer says to have known all, but read another text than this, or brought an older one back.
            is_brought_back = change.before is None or "archived_at" in change.before
            if is_brought_back or self.place.lane not in (UNPLACED.lane, change.place.lane):
                self._keep(self.text, change)
        self.text, self.place = text, change.place

    def merge(self, change: Change, before: State, after: State) -> None:
        """Merge the lines of a change."""
        read, text = before.get(self.names[0]) or "", after[self.names[0]] or ""
        if text == read:
            return
        merged = merge_lines(read, self.text, text)
        if merged.kept is not None:
            self._keep(merged.kept, change)
        if merged.text != self.text:
            self.text, self.place = merged.text, change.place

    def values(self) -> Iterable[tuple[str, Any]]:
        """Return the text."""
        return ((self.names[0], self.text),)

    def versions(self) -> Iterable[KeptVersion]:
        """Return the texts that stand beside this one."""
        return (version for text, version in self.kept.items() if text != self.text)

    def _keep(self, text: str, change: Change) -> None:
        self.kept.setdefault(text, KeptVersion(text, self.place, change.place))


class ItemSet(Field):
    """Set of items in order: a removal takes only what its writer knew of.

    Args:
        names: The name of the field.
        key: Returns what equal items have in common; of two such items the later stands.
    """

    __slots__ = ("added", "items", "key")

    def __init__(self, names: Sequence[str], key: Callable[[Any], Hashable]) -> None:
        super().__init__(names)
        self.key = key
        self.items: dict[Hashable, Any] = {}
        self.added: dict[Hashable, set[ChangePlace]] = {}

    def follow(self, change: Change, before: State, after: State) -> None:
        """Take the items of a change, in its order."""
        items = self._of(after)
        for key, item in items.items():
            if key not in self.items or self.items[key] != item:
                self.added.setdefault(key, set()).add(change.place)
        self.added = {key: self.added[key] for key in items}
        self.items = items

    def merge(self, change: Change, before: State, after: State) -> None:
        """Add what a change added, and take out known items that it removed."""
        old, new = self._of(before), self._of(after)
        for key in old:
            if key in new or key not in self.items:
                continue
            self.added[key] = {place for place in self.added[key] if not change.saw(place)}
            if not self.added[key]:
                del self.added[key], self.items[key]
        for key, item in new.items():
            if key not in old or old[key] != item:
                self.items[key] = item
                self.added.setdefault(key, set()).add(change.place)

    def values(self) -> Iterable[tuple[str, Any]]:
        """Return the items as a list."""
        return ((self.names[0], list(self.items.values())),)

    def _of(self, state: State) -> dict[Hashable, Any]:
        return {self.key(item): item for item in state.get(self.names[0]) or ()}


class Attributes(Field):
    """Attributes by name, of which each is a register."""

    __slots__ = ("value",)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self.value: dict[str, Any] = {}

    def follow(self, change: Change, before: State, after: State) -> None:
        """Take the attributes of a change."""
        self.value = dict(after[self.names[0]] or {})

    def merge(self, change: Change, before: State, after: State) -> None:
        """Take those attributes that a change changed."""
        old, new = before.get(self.names[0]) or {}, after[self.names[0]] or {}
        for name in old:
            if name not in new:
                self.value.pop(name, None)
        self.value.update((name, value) for name, value in new.items() if name not in old or old[name] != value)

    def values(self) -> Iterable[tuple[str, Any]]:
        """Return the attributes."""
        return ((self.names[0], dict(self.value)),)


def _whole(item: Any) -> Hashable:
    return item if isinstance(item, str) else json.dumps(item, sort_keys=True)


def _named(count: int, item: Sequence[Any]) -> Hashable:
    return tuple(item[:count])


def _is_lower(order: Sequence[str], value: Any, other: Any) -> bool:
    return value in order and other in order and order.index(value) < order.index(other)


def _is_part(stores: Any, others: Any) -> bool:
    # No store named is all that its trust reaches.
    return bool(stores) and set(stores) < set(others or STORES)


def _is_set(value: Any, other: Any) -> bool:
    return bool(value) and not other


DECAY: Final = "DECAY"
"""The event of a change by which time took from the confidence of a fact."""
_DECIDED: Final = frozenset({"accepted", "rejected"})
_ACTIONS: Final = ("reject", "review", "accept")
_TRUSTS: Final = ("public", "familiar", "inner", "full")
_SET: Final = partial(ItemSet, key=_whole)
_CONFIDENCE: Final = (("confidence", "decay_rate", "decayed_at"), Confidence)
_SUMMARY: Final = (("summary_upper_seq", "summary"), Greatest)

FieldRule = tuple[tuple[str, ...], Callable[[Sequence[str]], Field]]

_RULES: Final[Mapping[str, Sequence[FieldRule]]] = {
    "memory": (
        (("content",), Lines),
        (("store",), partial(Narrowing, is_narrower=partial(_is_lower, STORES))),
        _CONFIDENCE,
        *(((name,), _SET) for name in ("tags", "people", "files", "facts", "sources")),
        (("attributes",), Attributes),
        (("mention_count",), Counter),
        (("version",), Greatest),
        (("updated_at",), Greatest),
    ),
    "session": (_SUMMARY, (("scratchpad",), _SET), (("message_count",), Greatest)),
    "entity": (
        (("aliases",), _SET),
        (("claims",), _SET),
        (("relations",), partial(ItemSet, key=partial(_named, 2))),
        (("attributes",), Attributes),
    ),
    "proposal": ((("state", "note", "run"), FirstDecision),),
    "inbox_rule": ((("action",), partial(Narrowing, is_narrower=partial(_is_lower, _ACTIONS))),),
    "agent": (
        (("trust",), partial(Narrowing, is_narrower=partial(_is_lower, _TRUSTS))),
        (("stores",), partial(Narrowing, is_narrower=_is_part)),
        (("review",), partial(Narrowing, is_narrower=_is_set)),
        (("revoked_at",), partial(Narrowing, is_narrower=_is_set)),
        (("attributes",), Attributes),
    ),
}
"""For each kind of row the fields that are more than registers; all others are."""

RULES: Final[Mapping[str, Mapping[str, FieldRule]]] = {
    kind: {name: rule for rule in rules for name in rule[0]} for kind, rules in _RULES.items()
}
"""For each kind of row its rules by the name of the field."""
