"""Receiving of what other machines changed.

A part of a lane is taken in whole, together with the mark that says so: history, conversations and turns first, then
each row that was touched becomes what all its changes make of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import apsw

from app.changes import MAX_NAMED, Area
from app.erasure import erasures
from app.history.undo import AREAS
from app.sync.folding.row_settler import RowSettler
from app.sync.segments import capture, lane_rows
from app.sync.segments.change import Change
from app.sync.segments.lane_rows import Row
from app.sync.segments.lane_segment import Segment
from app.sync.segments.turn_log import LaneTurn
from app.sync.snapshots import snapshot_format
from app.sync.snapshots.snapshot_format import SnapshotHead, SnapshotPart

_GROUPED: Final = ("memory", "entity", "saved_search")
"""Kinds of rows that depend on others of their kind."""


class TurnSink(Protocol):
    """Sink of conversations and turns."""

    def add_session(self, connection: apsw.Connection, begun: Mapping[str, Any], now_ms: int) -> bool:
        """Add a conversation, unless it is here; return whether it is new."""

    def add_turns(self, connection: apsw.Connection, session: str, turns: Sequence[LaneTurn], now_ms: int) -> int:
        """Add turns that are not here yet, and return how many there were."""


class NameSink(Protocol):
    """Sink of entities that others name by id."""

    def add_named(self, connection: apsw.Connection, names: Mapping[str, tuple[str, str]], now_ms: int) -> None:
        """Add entities that others name by id, unless they are here."""


@dataclass(slots=True)
class _Outcome:
    """Areas and ids that were changed so far."""

    areas: set[Area] = field(default_factory=set)
    ids: dict[str, None] = field(default_factory=dict)

    def add(self, identity: str, *areas: Area) -> None:
        self.ids[identity] = None
        self.areas.update(areas)

    def received(self) -> "Received":
        return Received(frozenset(self.areas), tuple(self.ids) if len(self.ids) <= MAX_NAMED else ())


@dataclass(frozen=True, slots=True)
class Received:
    """Outcome of a part that was taken in.

    Args:
        areas: The areas of the vault that changed.
        ids: The ids of what was changed, none where they are very many. What is as before counts too: its history and
            the texts beside its own may be others.
    """

    areas: frozenset[Area] = frozenset()
    ids: tuple[str, ...] = ()


class Receiver:
    """Takes parts of other lanes in.

    Args:
        settlers: For each kind of row, who settles it.
        turns: Where conversations and turns go.
        names: Where entities go that others name.
        record_unrecorded: Records rows that were here before the history told of their kind, given the time.
    """

    def __init__(
        self,
        settlers: Mapping[str, RowSettler],
        turns: TurnSink,
        names: NameSink,
        record_unrecorded: Callable[[apsw.Connection, int], None],
    ) -> None:
        self._settlers = settlers
        self._turns = turns
        self._names = names
        self._record_unrecorded = record_unrecorded

    def take(self, connection: apsw.Connection, segment: Segment, now_ms: int) -> Received:
        """Take a segment in, with the mark that it was.

        Args:
            connection: The writer's connection, inside a transaction.
            segment: The next of its lane, of which all is here that its writer knew.
            now_ms: The time, milliseconds UTC.
        """
        part = segment.part
        lane_rows.seal(connection)
        lane_rows.add_lane(connection, part, now_ms)
        lane_rows.set_mark(connection, part.lane, part.last, segment.digest)
        outcome = _Outcome()
        self._add_turns(connection, part.sessions, part.turns, now_ms, outcome)
        touched = self._add_changes(connection, part.changes, part.names or {}, now_ms)
        self._settle_touched(connection, touched, now_ms, outcome)
        lane_rows.learn(connection)
        return outcome.received()

    def take_turns(self, connection: apsw.Connection, part: SnapshotPart, now_ms: int) -> Received:
        """Take a part of a snapshot in that has turns; done again, it adds nothing.

        Args:
            connection: The writer's connection, inside a transaction.
            part: The part.
            now_ms: The time, milliseconds UTC.
        """
        lane_rows.add_lanes(connection, {turn.lane for turn in part.turns}, now_ms)
        outcome = _Outcome()
        self._add_turns(connection, part.sessions, part.turns, now_ms, outcome)
        return outcome.received()

    def begin_snapshot(self, connection: apsw.Connection, head: SnapshotHead, now_ms: int) -> None:
        """Make the lanes of a snapshot known, before any part of it is taken in.

        What is written here from then on comes after all that it has.
        """
        lane_rows.seal(connection)
        lane_rows.add_lanes(connection, head.lanes, now_ms)
        for lane, end in head.lanes.items():
            lane_rows.follow(connection, lane, end.hlc)

    def take_changes(self, connection: apsw.Connection, part: SnapshotPart, now_ms: int) -> Received:
        """Take in a part of a snapshot that has changes.

        Those that are here are passed over. A change that is written before the whole snapshot is here counts as one
        whose writer did not know it.

        Args:
            connection: The writer's connection, inside a transaction.
            part: The part.
            now_ms: The time, milliseconds UTC.
        """
        lane_rows.seal(connection)
        outcome = _Outcome()
        self._add_turns(connection, part.sessions, (), now_ms, outcome)
        lane_rows.add_knowledge(connection, part.knowledge)
        changes = snapshot_format.beyond(part.changes, lane_rows.marks(connection))
        touched = self._add_changes(connection, changes, part.names, now_ms)
        self._settle_touched(connection, touched, now_ms, outcome)
        return outcome.received()

    def end_snapshot(self, connection: apsw.Connection, head: SnapshotHead) -> None:
        """Note that all of a snapshot is here."""
        lane_rows.seal(connection)
        for lane, end in head.lanes.items():
            lane_rows.reach(connection, lane, end.n, end.digest)
        lane_rows.learn(connection)

    def settle_own(self, connection: apsw.Connection, after: int, now_ms: int) -> Received:
        """Record what the history lacks; settle what depends on rows that were changed here.

        Args:
            connection: The writer's connection, inside a transaction.
            after: The number of the last own change that was settled.
            now_ms: The time, milliseconds UTC.
        """
        self._record_unrecorded(connection, now_ms)
        if not lane_rows.has_others(connection):
            return Received()
        touched = [row for row in lane_rows.rows_of_own(connection, after) if row[0] in _GROUPED]
        changed = self._settle(connection, touched, now_ms)
        areas = frozenset(area for kind, ids in changed.items() if ids for area in AREAS[kind])
        ids = tuple(one for ids in changed.values() for one in ids)
        return Received(areas, ids if len(ids) <= MAX_NAMED else ())

    def _add_turns(
        self,
        connection: apsw.Connection,
        sessions: Iterable[Mapping[str, Any]],
        turns: Sequence[LaneTurn],
        now_ms: int,
        outcome: _Outcome,
    ) -> None:
        for begun in sessions:
            if not erasures.is_erased(connection, str(begun["id"])) and self._turns.add_session(
                connection, begun, now_ms
            ):
                outcome.add(str(begun["id"]), "sessions")
        for session, said in _by_session(turns).items():
            if not erasures.is_erased(connection, session) and self._turns.add_turns(connection, session, said, now_ms):
                outcome.add(session, "sessions", "messages", "index")

    def _add_changes(
        self,
        connection: apsw.Connection,
        changes: Iterable[Change],
        names: Mapping[str, tuple[str, str]],
        now_ms: int,
    ) -> list[Row]:
        """Keep changes that are not forgotten; return the rows that they change."""
        kept = lane_rows.add_erasures(connection, changes)
        named = capture.named_in(kept)
        self._names.add_named(connection, {entity: said for entity, said in names.items() if entity in named}, now_ms)
        return lane_rows.add_changes(connection, kept)

    def _settle_touched(
        self, connection: apsw.Connection, touched: Sequence[Row], now_ms: int, outcome: _Outcome
    ) -> None:
        outcome.ids.update((target, None) for _, target in touched)
        for kind, changed in self._settle(connection, touched, now_ms).items():
            outcome.ids.update(dict.fromkeys(changed))
            outcome.areas |= AREAS[kind]

    def _settle(self, connection: apsw.Connection, touched: Sequence[Row], now_ms: int) -> dict[str, Sequence[str]]:
        by_kind: dict[str, list[str]] = {}
        for kind, target in touched:
            by_kind.setdefault(kind, []).append(target)
        # Kinds are met in a fixed order, so that entities find the memories that they are claimed in.
        return {
            kind: self._settlers[kind].settle(connection, by_kind[kind], now_ms)
            for kind in self._settlers
            if kind in by_kind
        }


def _by_session(turns: Sequence[LaneTurn]) -> dict[str, list[LaneTurn]]:
    found: dict[str, list[LaneTurn]] = {}
    for turn in turns:
        found.setdefault(turn.session, []).append(turn)
    return found
