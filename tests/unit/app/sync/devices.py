"""Model of a person's devices: logs of changes in memory, and an exchange that keeps the lanes of all."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from app.core.time_rules import hybrid_clock
from app.store.lanes import ChangePlace
from app.sync.folding.fold import FoldedRow, fold_row
from app.sync.folding.inverse import Inverse, inverse
from app.sync.segments.change import ERASE, Change, State

Dot = tuple[int, int]
Row = tuple[str, str]
GONE = "GONE"
"""The event of a change of which only its name is left, for its row is forgotten for ever."""

MEMORY: Mapping[str, Any] = {
    "kind": "note",
    "title": "",
    "content": "",
    "store": "shared",
    "created_at": 1,
    "updated_at": 1,
    "tags": [],
    "facts": [],
    "category": "",
    "key": "",
    "confidence": 1.0,
    "decay_rate": 0.0,
    "mention_count": 1,
    "tokens": 1,
    "version": 1,
    "pinned": False,
    "superseded_by": None,
    "deleted_at": None,
    "attributes": {},
    "files": [],
    "people": [],
    "sources": [],
}
ENTITY: Mapping[str, Any] = {
    "name": "",
    "type": "person",
    "summary": "",
    "merged_into": None,
    "attributes": {},
    "aliases": [],
    "claims": [],
    "relations": [],
}


def dot(change: Change) -> Dot:
    return change.place.lane, change.place.n


class Device:
    """An installation: the lane it writes and all changes it knows.

    Args:
        number: Its number, of which the numbers of its lanes follow.
        skew_ms: How much its wall clock is wrong.
    """

    def __init__(self, number: int, skew_ms: int = 0) -> None:
        self.skew_ms = skew_ms
        self.hlc = 0
        self.log: dict[Dot, Change] = {}
        self.seen: dict[int, int] = {}
        self.rows: dict[Row, list[Change]] = {}
        self.folded: dict[Row, FoldedRow] = {}
        self.seqs: dict[str, list[Dot]] = {}
        """Of each conversation its messages in order of arrival: the local numbers."""
        self.lane = number * 1_000
        self.lanes = {self.lane}
        """The lanes that it writes or wrote."""
        self.n = 0

    def fold(self, changes: Collection[Change]) -> FoldedRow:
        return fold_row(changes)

    def inverse(self, changes: Sequence[Change], change: Change, now: State | None) -> Inverse | None:
        return inverse(changes, change.place, now)

    def tick(self, at_ms: int) -> int:
        self.hlc = max(hybrid_clock.at_wall(at_ms + self.skew_ms), self.hlc + 1)
        return self.hlc

    def state(self, kind: str, target: str) -> dict[str, Any] | None:
        row = self.folded.get((kind, target))
        return None if row is None or row.state is None else dict(row.state)

    def write(
        self,
        at_ms: int,
        kind: str,
        target: str,
        event: str,
        after: Mapping[str, Any] | None,
        *,
        before: Mapping[str, Any] | None = None,
        undoes: Dot | None = None,
        run_id: str | None = None,
    ) -> Change:
        """Record that a row was changed into ``after``; ``before`` is what this device has of it unless given."""
        known = self.state(kind, target) if before is None else dict(before)
        self.n += 1
        place = ChangePlace(self.tick(at_ms), self.lane, self.n)
        seen = dict(self.seen)
        change = Change(place, seen, at_ms, "me", run_id, kind, target, event, known, after, undoes)
        if event == ERASE:
            change = replace(change, before=None)
        self._put(change)
        if before is None and kind in ("memory", "entity"):
            assert self.state(kind, target) == after, "what was written is what is there"
        return change

    def edit(self, at_ms: int, target: str, *, kind: str = "memory", event: str = "UPDATE", **fields: Any) -> Change:
        """Change fields of a row that is there."""
        state = self.state(kind, target)
        assert state is not None
        return self.write(at_ms, kind, target, event, state | fields)

    def apply(self, change: Change) -> None:
        """Take in a change of another lane."""
        for erasure in self.rows.get((change.target_kind, change.target), ()):
            if erasure.event == ERASE:
                change = self.forgotten(change, erasure)
        self.hlc = max(self.hlc, change.place.hlc)
        self._put(change)

    def forgotten(self, change: Change, erasure: Change) -> Change:
        """Return what an erasure leaves of a change of its row."""
        return change if change.event == ERASE else replace(change, before=None, after=None, event=GONE)

    def _put(self, change: Change) -> None:
        row = (change.target_kind, change.target)
        self.log[dot(change)] = change
        self.seen[change.place.lane] = change.place.n
        changes = self.rows.setdefault(row, [])
        changes.append(change)
        if change.event == ERASE:
            changes[:] = [self.forgotten(one, change) for one in changes]
            self.log.update((dot(one), one) for one in changes)
        if change.target_kind == "message" and change.event == "ADD":
            self.seqs.setdefault(change.target.split("#")[0], []).append(dot(change))
        self.folded[row] = self.fold(changes)

    def pull(self, lanes: Mapping[int, list[Change]], visible: Callable[[int], int] = lambda count: count) -> None:
        """Apply what other lanes have that this device does not, each change after all that its writer knew.

        Args:
            lanes: The exchange.
            visible: Of a lane's length, how much of it is shown; each lane is asked for once.
        """
        shown = {lane: changes[: visible(len(changes))] for lane, changes in lanes.items() if lane != self.lane}
        while any(self._pull_lane(lane, changes) for lane, changes in shown.items()):
            pass

    def _pull_lane(self, lane: int, changes: list[Change]) -> bool:
        start = known = self.seen.get(lane, 0)
        while known < len(changes) and self._knows(changes[known].seen, lane):
            self.apply(changes[known])
            known += 1
        return known > start

    def _knows(self, seen: Mapping[int, int], lane: int) -> bool:
        return all(self.seen.get(other, 0) >= n for other, n in seen.items() if other not in (lane, self.lane))

    def push(self, lanes: dict[int, list[Change]]) -> None:
        """Put what this device wrote into the exchange, which never replaces what it has.

        Of what is forgotten for ever the device leaves the names alone.
        """
        for own in self.lanes & set(lanes):
            lanes[own][:] = [
                self.log[dot(one)] if dot(one) in self.log and self.log[dot(one)].event == GONE else one
                for one in lanes[own]
            ]
        lane = lanes.setdefault(self.lane, [])
        lane.extend(self.log[self.lane, n] for n in range(len(lane) + 1, self.n + 1))

    def backup(self) -> "Device":
        """Return a copy of the vault."""
        made = copy(self)
        made.log, made.seen, made.folded = dict(self.log), dict(self.seen), dict(self.folded)
        made.rows = {row: list(changes) for row, changes in self.rows.items()}
        made.seqs = {session: list(dots) for session, dots in self.seqs.items()}
        return made

    def restore(self, backup: "Device") -> None:
        """Put a backup back: what is written from now on is a new lane, whose name is kept outside of the vault."""
        kept = {"skew_ms": self.skew_ms, "lane": self.lane, "n": self.n, "lanes": self.lanes}
        vars(self).update(vars(backup.backup()) | kept)
        self.begin_lane()

    def begin_lane(self) -> None:
        """Write a new lane from now on."""
        self.lane, self.n = self.lane + 1, 0
        self.lanes = {*self.lanes, self.lane}


def exchange(*devices: Device) -> None:
    """Let devices hear all of one another."""
    lanes: dict[int, list[Change]] = {}
    for device in devices:
        for change in sorted(device.log.values(), key=lambda one: one.place.n):
            lane = lanes.setdefault(change.place.lane, [])
            if len(lane) < change.place.n:
                lane.append(change)
    for device in devices:
        device.pull(lanes)


def union(devices: Iterable[Device]) -> dict[Row, list[Change]]:
    """Return all changes of all devices by row."""
    log = {name: change for device in devices for name, change in device.log.items()}
    rows: dict[Row, list[Change]] = {}
    for change in log.values():
        rows.setdefault((change.target_kind, change.target), []).append(change)
    return rows
