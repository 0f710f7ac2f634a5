"""Fold of the changes of a row into the row, the same on every machine.

Changes are met in canonical order, which is that of their places. One whose writer knew all before it is followed as
it is, so that a row of one machine is what that machine left. Any other is taken in field by field, as the
difference between what its writer read and left.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from app.core.ids import is_derived_id
from app.errors import InternalError
from app.history.state_diff import differing
from app.store.lanes import UNPLACED, ChangePlace
from app.sync.folding.field_rules import RULES, Field, FoldNotice, KeptVersion, Lines, Register
from app.sync.segments.change import ERASE, Change, State

_WHOLE: Final = frozenset({"memory", "entity"})
"""Kinds of rows whose changes have whole states; those of all others have the fields they are about."""
EXISTENCE: Final = ("superseded_by", "deleted_at", "archived_at", "reason")
"""Fields of a memory that say whether it is there, and if not, why."""
BARE: Final = ("content", "facts", "attributes", "files", "people", "sources")
"""Fields of a memory that the state of an archived one leaves out."""
_OF_ITSELF: Final = frozenset({"confidence", "decay_rate", "decayed_at", "tokens", "message_count"})
"""Fields that change without a person or agent who says something of the row."""
CONFIRM: Final = "CONFIRM"
"""The event of a change by which one says that a row is right as it is then."""
_STATING: Final = frozenset({"existence", "content", "category", "key", "store"})
"""Fields of a fact that say it anew."""


@dataclass(frozen=True, slots=True)
class FoldedRow:
    """Row as all its changes made it.

    Args:
        target_kind: The kind of row.
        target: Its id.
        state: Its state as the history keeps it, ``None`` where it is deleted or forgotten for ever. What is derived
            from its other fields, such as the count of tokens, is that of one of the changes and to be made again.
        whole: All its fields, also where ``state`` leaves them out; ``None`` where it is forgotten for ever.
            There an archived row is deleted if it was before.
        is_erased: Whether it is forgotten for ever.
        kept: Texts that stand beside its own.
        notices: What a person is to hear of it.
        statement: The change by which it says what it says: the last that made it, brought it back or stated it anew;
            ``None`` where that is none of the changes.
    """

    target_kind: str
    target: str
    state: State | None
    whole: State | None
    is_erased: bool = False
    kept: tuple[KeptVersion, ...] = ()
    notices: tuple[FoldNotice, ...] = ()
    statement: Change | None = None

    @property
    def is_live(self) -> bool:
        """Tell that the row is there: neither deleted nor superseded nor archived."""
        return not _is_gone(self.state)


def fold_row(changes: Iterable[Change], apart_from: ChangePlace | None = None) -> FoldedRow:
    """Return the row that changes make, in whichever order they are given.

    Args:
        changes: All changes of one row, or all since a state that every machine has and the first of them began with.
        apart_from: Where changes are left out, the place of the first of these: later ones are followed no more, for
            what they left has it in it.

    Raises:
        InternalError: There is no change, or they are of several rows.
    """
    ordered = sorted(changes, key=_place)
    if not ordered:
        raise InternalError("A row has at least one change.")
    first = ordered[0]
    if any((change.target_kind, change.target) != (first.target_kind, first.target) for change in ordered):
        raise InternalError("The changes are of several rows.", target=first.target)
    if any(change.event == ERASE for change in ordered):
        return FoldedRow(first.target_kind, first.target, None, None, is_erased=True)
    fold = _Fold(first.target_kind)
    for change in ordered:
        fold.add(change, is_apart=apart_from is not None and change.place > apart_from)
    return fold.row(first.target)


@dataclass(slots=True)
class _Existence:
    """Existence of a row: deletions take away those signs of it that they knew of.

    Args:
        signs: The changes by which it is there, and whether each states it.
        statements: The changes that state it.
        departures: The changes by which it went.
        deletions: Those of them that deleted it, unless one who knew of them left it live or found it so.
        notices: What a person is to hear.
        fields: The fields of existence of a row that is there.
        made: The change by which it was made, and others that made the same of the same on other machines.
    """

    signs: dict[ChangePlace, bool] = field(default_factory=dict)
    statements: dict[ChangePlace, Change] = field(default_factory=dict)
    departures: list[Change] = field(default_factory=list)
    deletions: list[Change] = field(default_factory=list)
    notices: dict[FoldNotice, None] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)
    made: list[ChangePlace] = field(default_factory=list)

    def is_made_again(self, change: Change) -> bool:
        """Note a change that makes the row; return whether it makes it again.

        Of what follows from other things, such as the digest of a week, machines make the same without knowing of each
        other. Who takes it away has then taken it away wherever it was made.
        """
        if change.before is not None or change.after is None or not is_derived_id(change.target):
            return False
        is_again = bool(self.made) and not any(change.saw(place) for place in self.made)
        if is_again or not self.made:
            self.made.append(change.place)
        return is_again

    def _saw_sign(self, change: Change, sign: ChangePlace) -> bool:
        if sign in self.made:
            return any(change.saw(place) for place in self.made)
        return change.saw(sign)

    def add(self, change: Change) -> None:
        """Take in the next change in canonical order."""
        # Who goes on with a row and knows both has seen what became of it.
        self.notices = {
            notice: None for notice in self.notices if not (change.saw(notice.place) and change.saw(notice.other))
        }
        changed = _said(change)
        if not (_is_gone(change.before) and _is_gone(change.after)):
            self.deletions = [one for one in self.deletions if not change.saw(one.place)]
        if not _is_gone(change.after):
            self._add_sign(change, changed)
        elif not _is_gone(change.before) or not changed.isdisjoint(("existence", *EXISTENCE)):
            self.signs = {place: states for place, states in self.signs.items() if not self._saw_sign(change, place)}
            self.departures.append(change)
            if change.after is None and not _is_gone(change.before):
                self.deletions.append(change)
            self.notices.update((FoldNotice("edit_kept_row", place, change.place), None) for place in self.signs)

    def _add_sign(self, change: Change, changed: frozenset[str]) -> None:
        self.fields = {name: value for name, value in (change.after or {}).items() if name in EXISTENCE}
        states = _is_gone(change.before) or not _STATING.isdisjoint(changed)
        if states:
            self.statements[change.place] = change
        elif not changed:
            return
        last = self.departures[-1].place if self.departures and not self.signs else UNPLACED
        if not change.saw(last):
            self.notices[FoldNotice("edit_kept_row", change.place, last)] = None
        self.signs[change.place] = states

    @property
    def departure(self) -> Change | None:
        """The change by which the row is gone; ``None`` while it is there."""
        last = self.departures[-1] if self.departures else None
        # A fact that another one took the place of comes back by what it says alone, not by a tag or pin.
        is_there = any(self.signs.values()) if _is_superseded(last) else bool(self.signs)
        return None if is_there else last

    @property
    def deleted_ms(self) -> int | None:
        """The time of the last deletion that counts, ``None`` without one."""
        return self.deletions[-1].at_ms if self.deletions else None

    @property
    def statement(self) -> Change | None:
        """The last change by which the row says what it says."""
        return next(
            (
                self.statements[place]
                for place in sorted(self.signs, reverse=True)
                if self.signs[place] and place in self.statements
            ),
            None,
        )

    def read_by(self, change: Change) -> State:
        """Return the row that a writer who brings it back knew; empty where new."""
        known = (departure.before for departure in reversed(self.departures) if change.saw(departure.place))
        return next((before for before in known if before is not None and not _is_bare(before)), {})


class _Fold:
    """The fields of a row, and whether it is there."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._rules = RULES.get(kind, {})
        self._fields: dict[str, Field] = {}
        self._existence = _Existence()
        self._latest: dict[int, int] = {}  # of each lane, the number of its last change
        self._followed: State | None = None
        self._confirmations: list[Change] = []
        self._undoing: dict[tuple[int, int], ChangePlace] = {}

    def add(self, change: Change, *, is_apart: bool = False) -> None:
        """Take in the next change in canonical order.

        Args:
            change: The change.
            is_apart: Whether it may have known of one that is left out.
        """
        knows_all = not is_apart and all(change.saw(ChangePlace(0, lane, n)) for lane, n in self._latest.items())
        if not self._latest:
            self._begin(change)
        self._latest[change.place.lane] = change.place.n
        if self._is_undone_already(change):
            return
        if self._existence.is_made_again(change):
            self._followed = None
            return
        if change.event == CONFIRM:
            self._confirmations.append(change)
        self._take_fields(change, knows_all=knows_all)
        self._existence.add(change)

    def row(self, target: str) -> FoldedRow:
        fields = dict.fromkeys(self._fields.values())
        values = {name: value for one in fields for name, value in one.values()}
        if not fields:  # what its changes said is forgotten
            return FoldedRow(self._kind, target, None, None)
        departure = self._existence.departure
        whole: dict[str, Any] = values | self._existence.fields
        state: dict[str, Any] | None = whole
        if departure is not None and departure.after is None:
            state = None
            if self._kind == "memory":
                whole = whole | {"deleted_at": self._existence.deleted_ms or departure.at_ms}
        elif departure is not None and departure.after is not None:
            gone = {name: departure.after[name] for name in EXISTENCE if name in departure.after}
            whole = values | gone
            bare = {name: departure.after[name] for name in BARE} if _is_bare(departure.after) else {}
            state = whole | bare
            if bare and whole.get("superseded_by") is None:
                whole = whole | {"deleted_at": self._existence.deleted_ms}
        kept = (version for one in fields if isinstance(one, Lines) for version in one.versions())
        kept = (version for version in kept if not self._is_settled(version))
        notices = [notice for one in fields for notice in one.notices()]
        if departure is None:
            notices += self._existence.notices
        return FoldedRow(
            self._kind,
            target,
            state,
            whole,
            kept=tuple(kept),
            notices=tuple(notices),
            statement=self._existence.statement,
        )

    def _begin(self, change: Change) -> None:
        """Begin with the state that the first change began with."""
        if change.before is None:
            return
        self._take_base(change, change.before)
        if not _is_gone(change.before):
            self._existence.signs[UNPLACED] = True

    def _take_fields(self, change: Change, *, knows_all: bool) -> None:
        after = change.after
        if after is None:
            return
        is_whole = self._kind in _WHOLE and not _is_bare(after)
        if _is_bare(after):
            after = {name: value for name, value in after.items() if name not in BARE}
        before = change.before
        if before is None or _is_bare(before):
            before = self._existence.read_by(change)
        if not knows_all:
            self._take_base(change, before)
            for one in self._named(after):
                one.merge(change, before, after)
            self._followed = None
            return
        known, self._followed = self._followed, after if is_whole else None
        if known is not None and known.keys() == after.keys() and change.event != CONFIRM:
            # Most changes follow another and are of a field or two: to follow the others again would change nothing.
            for one in self._named({name: value for name, value in after.items() if value != known[name]}):
                one.follow(change, before, after)
            return
        fields = self._named(after)
        for one in fields:
            one.follow(change, before, after)
        if is_whole:
            # A field that its writer did not read either is of a newer Keepsake, and stays.
            self._fields = {name: one for name, one in self._fields.items() if one in fields or name not in before}

    def _take_base(self, change: Change, before: State) -> None:
        """Take what a writer read of fields whose changes are forgotten or older."""
        if unknown := self._named({name: value for name, value in before.items() if name not in self._fields}):
            base = replace(change, place=UNPLACED, event="", before=None, after=before)
            for one in unknown:
                one.follow(base, {}, before)

    def _named(self, state: State) -> dict[Field, None]:
        """Return the fields that a state has, each once."""
        return dict.fromkeys(self._field(name) for name in state if name not in EXISTENCE)

    def _field(self, name: str) -> Field:
        if name not in self._fields:
            names, make = self._rules.get(name, ((name,), Register))
            self._fields.update(dict.fromkeys(names, make(names)))
        return self._fields[name]

    def _is_undone_already(self, change: Change) -> bool:
        """Note what a change undoes; return whether another did so unknown to it."""
        if change.undoes is None:
            return False
        by = self._undoing.get(change.undoes)
        if by is not None and not change.saw(by) and self._stands(by):
            return True
        self._undoing[change.undoes] = change.place
        return False

    def _is_settled(self, version: KeptVersion) -> bool:
        """Return whether one who knew both texts said which one is to stand."""
        return any(
            one.saw(version.place) and one.saw(version.other) and self._stands(one.place) for one in self._confirmations
        )

    def _stands(self, place: ChangePlace) -> bool:
        undoing = self._undoing.get((place.lane, place.n))
        return undoing is None or not self._stands(undoing)


def _place(change: Change) -> ChangePlace:
    return change.place


def _said(change: Change) -> frozenset[str]:
    """Return the fields that a person or agent changed."""
    changed = frozenset(differing(change.before, change.after)) - _OF_ITSELF
    return changed | {"confidence"} if change.event == CONFIRM else changed


def _is_gone(state: Mapping[str, Any] | None) -> bool:
    return state is None or state.get("deleted_at") is not None


def _is_bare(state: Mapping[str, Any]) -> bool:
    return "archived_at" in state


def _is_superseded(departure: Change | None) -> bool:
    state = None if departure is None else departure.after
    return state is not None and state.get("superseded_by") is not None and not _is_bare(state)
