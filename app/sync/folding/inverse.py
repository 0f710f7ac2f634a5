"""Inverse of a change: its row once the change is taken back.

A change is taken back relative to what who undoes it sees. Where others changed the same field at the same time, the
field has what their changes make of it without this one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from app.history.state_diff import differing
from app.store.lanes import ChangePlace
from app.sync.folding.field_rules import DECAY, RULES
from app.sync.folding.fold import BARE, EXISTENCE, FoldedRow, fold_row
from app.sync.segments.change import Change, State

_EXISTENCE: Final = "existence"
_OF_ARCHIVE: Final = ("archived_at", "reason")
_DERIVED: Final = frozenset({"tokens", "message_count"})
"""Fields that follow from others, so that nobody changes them by themselves."""


@dataclass(frozen=True, slots=True)
class Inverse:
    """Row without one of its changes.

    Args:
        state: The state that it is to have, ``None`` where it is to be deleted.
        later: A change that is in the way: it knew the one to take back, and changed the same.
        fields: What that one changed, ``existence`` for whether the row is there.
    """

    state: State | None
    later: Change | None = None
    fields: tuple[str, ...] = ()


def inverse(changes: Sequence[Change], place: ChangePlace, now: State | None) -> Inverse | None:
    """Return what taking a change back makes of its row.

    Args:
        changes: All changes of the row, in canonical order, of which this one stands.
        place: The place of the change.
        now: The row's state, ``None`` where it is deleted.

    Returns:
        The row without the change; ``None`` where it only was changed while the row is gone, which is not told apart
        here.
    """
    row = _RowChanges(changes)
    change = row.at(place)
    was_gone, made_gone = is_gone(change.before), is_gone(change.after)
    topics = _topics(change)
    is_about_existence = was_gone != made_gone
    if not is_about_existence and (_EXISTENCE in topics or is_gone(now)):
        return None
    # To take back that a row was made would delete all that was said in it since.
    watched = None if is_about_existence and was_gone else topics
    for later in row.later(change):
        about = _topics(later)
        if hindering := about if watched is None else about & watched:
            return Inverse(now, later, tuple(sorted(hindering)))
    if is_about_existence and was_gone:
        return Inverse(_gone_again(change.before, now))
    whole = fold_row(changes).whole if is_gone(now) else now
    values = _values(row, change, topics)
    if is_about_existence:
        values |= {name: value for name, value in (change.before or {}).items() if name in EXISTENCE}
    return Inverse({name: value for name, value in {**(whole or {}), **values}.items() if name not in _OF_ARCHIVE})


def fold_without(changes: Sequence[Change], place: ChangePlace) -> FoldedRow:
    """Return the row without a change and all that was taken back before.

    Args:
        changes: All changes of one row, in canonical order.
        place: The change to take back. Where it undid another, that one stands again.
    """
    row = _RowChanges(changes)
    base = row.base(row.at(place))
    standing = [
        change
        for change in changes
        if change.undoes not in row.named and (len(row.chain(change)) % 2 == 1) is not (change is base)
    ]
    if not standing:
        return FoldedRow(changes[0].target_kind, changes[0].target, None, None)
    left_out = [change.place for change in changes if change not in standing]
    return fold_row(standing, apart_from=min(left_out))


def is_gone(state: State | None) -> bool:
    """Return whether a row of a state is deleted, superseded or in the archive."""
    return state is None or state.get("deleted_at") is not None or "archived_at" in state


class _RowChanges:
    """Changes of a row, and which take others back."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self._changes = changes
        self.named = {(change.place.lane, change.place.n): change for change in changes}
        self._undoing: dict[tuple[int, int], Change] = {}
        for change in changes:
            if change.undoes is not None:
                self._undoing.setdefault(change.undoes, change)  # of two that undid the same, the first counts

    def at(self, place: ChangePlace) -> Change:
        return self.named[place.lane, place.n]

    def base(self, change: Change) -> Change:
        """Return the change at the root of undos and redos: itself where it is none."""
        while change.undoes is not None and change.undoes in self.named:
            change = self.named[change.undoes]
        return change

    def chain(self, base: Change) -> list[Change]:
        """Return a change, what took it back, what did it again, and so on."""
        found = [base]
        while (following := self._undoing.get((found[-1].place.lane, found[-1].place.n))) is not None:
            found.append(following)
        return found

    def later(self, change: Change) -> Iterator[Change]:
        """Yield the changes, newest first, that knew a change and count."""
        own = self.chain(self.base(change))
        for later in reversed(self._changes):
            if not later.saw(change.place) or later in own:
                continue
            base = self.base(later)
            chain = self.chain(base)
            is_concurrent = not base.saw(change.place) and not change.saw(base.place)
            unknown = sum(not change.saw(one.place) for one in chain)
            if chain[-1] is later and not is_concurrent and unknown % 2 == 1:
                yield later

    def concurrent(self, change: Change) -> Iterator[Change]:
        """Yield the changes that were made at the same time as one."""
        yield from (one for one in self._changes if not one.saw(change.place) and not change.saw(one.place))

    @cached_property
    def kind(self) -> str:
        return self._changes[0].target_kind

    def without(self, change: Change) -> State:
        """Return all fields of the row without a change."""
        return fold_without(self._changes, change.place).whole or {}


def _values(row: _RowChanges, change: Change, topics: frozenset[str]) -> dict[str, object]:
    """Return the values that the fields of a change are to have without it."""
    meanwhile = frozenset[str]().union(*(_topics(one) for one in row.concurrent(change) if one is not change))
    before, values = change.before or {}, {}
    without = row.without(change) if meanwhile & topics else {}
    for topic in topics - {_EXISTENCE}:
        for name in _names(row.kind, topic):
            source = without if topic in meanwhile and name in without else before
            if name in source:
                values[name] = source[name]
    return values


def _gone_again(before: State | None, now: State | None) -> State | None:
    if before is None or now is None:
        return before
    kept = (*EXISTENCE, *(BARE if "archived_at" in before else ()))
    return {**now, **{name: value for name, value in before.items() if name in kept}}


def _topics(change: Change) -> frozenset[str]:
    """Return what a change is about: ``existence``, and its fields.

    Fields that change together are there by the first of them.
    """
    changed = frozenset(differing(change.before, change.after)) - _DERIVED
    if is_gone(change.before) != is_gone(change.after) or not changed.isdisjoint((_EXISTENCE, *EXISTENCE)):
        is_whole = not any(state is None or "archived_at" in state for state in (change.before, change.after))
        changed = (changed if is_whole else frozenset()) - frozenset(EXISTENCE) | {_EXISTENCE}
    if change.event == DECAY:
        changed -= {"confidence", "decay_rate", "decayed_at"}
    return frozenset(_names(change.target_kind, name)[0] for name in changed)


def _names(kind: str, name: str) -> Sequence[str]:
    rule = RULES.get(kind, {}).get(name)
    return (name,) if rule is None else rule[0]
