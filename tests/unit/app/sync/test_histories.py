"""Random histories of devices keep every promise; a fold with a planted mistake breaks one."""

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import pytest

from app.core.time_rules import hybrid_clock
from app.history.state_diff import differing
from app.sync.folding import field_rules
from app.sync.folding.fold import FoldedRow, fold_row
from app.sync.folding.inverse import Inverse, inverse
from app.sync.segments.change import ERASE, Change, State
from tests.unit.app.sync.devices import GONE, MEMORY, Device, exchange
from tests.unit.app.sync.histories import History, check_all, check_memory

MOST_HISTORIES = 60
"""So many are made to find a planted mistake."""


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_devices_agree_and_nothing_is_lost(first: int) -> None:
    check_all(range(first, first + 20))


def breaks(make: Callable[[int, int], Device], promise: str) -> bool:
    """Return whether one of the histories breaks a promise of these words."""
    for seed in range(MOST_HISTORIES):
        try:
            History(seed, make).check()
        except AssertionError as error:
            if promise in str(error):
                return True
    return False


class LastWriterWins(Device):
    def fold(self, changes: Collection[Change]) -> FoldedRow:
        folded = fold_row(changes)
        last = max(changes, key=lambda change: change.place)
        if folded.is_erased or last.event == GONE:
            return folded
        return replace(folded, state=last.after, whole=last.after or last.before, kept=())


class WallClock(Device):
    def tick(self, at_ms: int) -> int:
        return hybrid_clock.at_wall(at_ms + self.skew_ms)


class SameLane(Device):
    def begin_lane(self) -> None:
        self.n = self.seen.get(self.lane, 0)


class AbsentIsDeleted(Device):
    def pull(self, lanes: Mapping[int, list[Change]], visible: Callable[[int], int] = lambda count: count) -> None:
        super().pull(lanes, visible)
        listed = {change.target for lane in lanes.values() for change in lane[: visible(len(lane))]}
        for (kind, target), row in list(self.folded.items()):
            if kind == "memory" and row.is_live and target not in listed:
                self.write(hybrid_clock.MOST_MS // 2, kind, target, "DELETE", None)


class KeepsMine(Device):
    def fold(self, changes: Collection[Change]) -> FoldedRow:
        own = hybrid_clock.at_wall(hybrid_clock.MOST_MS)
        return fold_row(
            replace(change, place=replace(change.place, hlc=change.place.hlc + own))
            if change.place.lane in self.lanes
            else change
            for change in changes
        )


class ErasesByClock(Device):
    def forgotten(self, change: Change, erasure: Change) -> Change:
        return change if change.place > erasure.place else super().forgotten(change, erasure)

    def fold(self, changes: Collection[Change]) -> FoldedRow:
        erased = max((change.place for change in changes if change.event == ERASE), default=None)
        later = [change for change in changes if erased is not None and change.place > erased]
        return fold_row(later or changes)


class UndoesAllSince(Device):
    def inverse(self, changes: Sequence[Change], change: Change, now: State | None) -> Inverse | None:
        return Inverse(change.before)


class UndoesByOrder(Device):
    def inverse(self, changes: Sequence[Change], change: Change, now: State | None) -> Inverse | None:
        later = next((one for one in changes if one.place > change.place and one.undoes is None), None)
        return inverse(changes, change.place, now) if later is None else Inverse(now, later)


class UndoesOnlyTheState(Device):
    def inverse(self, changes: Sequence[Change], change: Change, now: State | None) -> Inverse | None:
        return None if differing(now, change.after) else Inverse(change.before)


@pytest.mark.parametrize(
    ("make", "promise"),
    [
        (LastWriterWins, "is in a text"),
        (WallClock, "what was written is what is there"),
        (SameLane, "all devices have the fold of all changes"),
        (AbsentIsDeleted, "what no person deleted is there"),
        (KeepsMine, "all devices have the fold of all changes"),
        (ErasesByClock, "what is forgotten stays forgotten"),
        (UndoesAllSince, "an undo takes away what its change wrote alone"),
        (UndoesByOrder, "only a change that knew it is in the way of an undo"),
        (UndoesOnlyTheState, "a change of a row that is there can be undone, or one that knew it is in the way"),
    ],
)
def test_a_planted_mistake_is_found(make: type[Device], promise: str) -> None:
    assert breaks(make, promise)


def test_tags_that_a_removal_wins_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    merge = field_rules.ItemSet.merge

    def removal_wins(self: field_rules.ItemSet, change: Change, before: State, after: State) -> None:
        merge(self, change, before, after)
        for item in set(map(str, before.get(self.names[0]) or ())) - set(map(str, after.get(self.names[0]) or ())):
            self.items.pop(item, None)
            self.added.pop(item, None)

    monkeypatch.setattr(field_rules.ItemSet, "merge", removal_wins)
    assert breaks(Device, "an added tag is there")


def test_every_order_of_a_few_changes_keeps_the_promises() -> None:
    """Of two devices, four changes and two rows: all orders, with an exchange before each or none."""
    acts: list[Callable[[Device, str], object]] = [
        lambda device, row: _edit(device, row, content=f"{device.lane}\n{_content(device, row)}"),
        lambda device, row: _edit(device, row, tags=["x"]),
        lambda device, row: _edit(device, row, tags=[]),
        lambda device, row: _is_live(device, row) and device.write(0, "memory", row, "DELETE", None),
    ]
    begun = Device(1), Device(2)
    for row in ("a", "b"):
        begun[0].write(0, "memory", row, "ADD", {**MEMORY, "content": "text", "tags": ["x"]})
    exchange(*begun)
    for order in itertools.permutations(acts):
        # Devices and rows are alike, so that the first change may always be of the first of each.
        for others in itertools.product(itertools.product((0, 1), "ab"), repeat=3):
            for exchanged in range(4):
                _run(tuple(device.backup() for device in begun), order, ((0, "a"), *others), exchanged)


def _run(
    devices: tuple[Device, ...],
    acts: tuple[Callable[[Device, str], object], ...],
    places: tuple[tuple[int, str], ...],
    exchanged: int,
) -> None:
    """Let two devices act, with one exchange after the acts of that number; 0 for none."""
    departed: set[str] = set()
    for step, (act, (number, row)) in enumerate(zip(acts, places, strict=True), 1):
        if act(devices[number], row):
            departed.add(row)
        if step == exchanged:
            exchange(*devices)
    exchange(*devices)
    assert devices[0].folded == devices[1].folded
    for (_, row), changes in devices[0].rows.items():
        check_memory(devices[0].folded["memory", row], changes, is_departed=row in departed)


def _content(device: Device, row: str) -> str:
    return str((device.state("memory", row) or {}).get("content"))


def _is_live(device: Device, row: str) -> bool:
    return device.folded["memory", row].is_live


def _edit(device: Device, row: str, **fields: object) -> None:
    if _is_live(device, row) and device.state("memory", row) != (device.state("memory", row) or {}) | fields:
        device.edit(0, row, **fields)
