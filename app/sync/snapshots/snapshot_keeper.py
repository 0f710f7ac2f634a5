"""Keeping of snapshots: when one is written, and when segments go that it covers.

Only one machine writes and takes away, the first of those that were heard of lately; two that do so at once do no harm.
Owns the vault's ``sync.covered``, ``sync.sound`` and ``sync.taken`` values.
"""

import json
import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import apsw

from app.core.clock import Clock, to_datetime
from app.core.process.daemon_thread import in_daemon_thread
from app.erasure import erasures
from app.errors import ExchangeNewerError
from app.sentence import Sentence
from app.store import meta
from app.store.store import Store
from app.sync import removal_guard
from app.sync.device_states import DeviceStates
from app.sync.membership import Standing
from app.sync.receiver import Received, Receiver
from app.sync.sealed_exchange import SealedExchange
from app.sync.sealing.device_state import DeviceState
from app.sync.sealing.sealed_object import SNAPSHOT_READER
from app.sync.segments import lane_rows, lane_sealer, lane_segment
from app.sync.segments.capture import LanePart
from app.sync.snapshots import compaction, snapshot_capture, snapshot_format, snapshot_objects
from app.sync.snapshots.snapshot_capture import CapturedChanges
from app.sync.snapshots.snapshot_format import DamagedSnapshotError, PartName, SnapshotHead, SnapshotPart
from app.sync.snapshots.snapshot_objects import SnapshotListing, SnapshotPlace, SnapshotWriter

_log = logging.getLogger(__name__)

_COVERED: Final = "sync.covered"
_SOUND: Final = "sync.sound"
_TAKEN: Final = "sync.taken"
"""The snapshot that is being taken in, and how many of its parts with turns are here."""
_READ_S: Final = 3_600
_DAY_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True)
class CompactionRule:
    """Rule by which snapshots are written, and segments taken away.

    Args:
        segments: So many that no snapshot has make the next one due, if ``growth`` says so too.
        most_segments: So many do in any case.
        growth: So much more than the last snapshot has, as a share of it.
        writer_ms: A machine that was not heard of for so long is not waited for to write one.
        silent_ms: What a machine has not got that was not heard of for so long is taken away all the same.
        look_ms: What is at the place is counted so often.
        repair_ms: A snapshot that is not whole is written anew after so long, for a place may lag. So is one
            for segments of another machine that are gone.
    """

    segments: int = 128
    most_segments: int = 2_048
    growth: float = 0.25
    writer_ms: int = 7 * _DAY_MS
    silent_ms: int = 180 * _DAY_MS
    look_ms: int = 600_000
    repair_ms: int = 3_600_000


class SnapshotKeeper:
    """Takes snapshots in, writes them, and takes away what they cover.

    Belongs to one event loop.

    Args:
        store: The vault's database.
        clock: The source of the time.
        states: Tells how far the other devices are.
        receiver: Takes in what other machines changed.
        rule: When a snapshot is written, and what is taken away.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        states: DeviceStates,
        receiver: Receiver,
        rule: CompactionRule | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._states = states
        self._receiver = receiver
        self.rule = rule or CompactionRule()
        self._place = SnapshotPlace()
        self._listing = SnapshotListing()
        self._unreadable = ""
        self._lacking: tuple[str, int] = ("", 0)
        self._fetched: dict[str, bytes] = {}
        """Parts with changes by their digests, for an attempt after one that was cut off."""
        self._looked_ms: int | None = None
        self._broken_ms: int | None = None
        self._lost_ms: int | None = None
        self._standstill: str = Sentence("")
        self._noted = ""

    @property
    def newest(self) -> str:
        """The name of the newest snapshot that was seen whole, ``""`` without one."""
        head = self._listing.newest
        return "" if head is None else head.name

    @property
    def unreadable(self) -> str:
        """The name of the snapshot that could not be read here, ``""`` for none."""
        return self._unreadable if self._unreadable in self._listing.names else ""

    @property
    def standstill(self) -> str:
        """Sentence on machines for which the place keeps what is old, ``""`` for none."""
        return self._standstill

    async def look(self, joined: SealedExchange) -> None:
        """Look which snapshots are at the place."""
        self._listing = await in_daemon_thread(self._place.listing, joined)
        head = self._listing.newest
        if head is not None and head.name != self._noted:
            await self._store.write(partial(_note_covered, head))
            self._noted = head.name
        if head is None and self._listing.has_any:
            self._note_unread(
                max(filter(snapshot_format.is_head, self._listing.names)), is_damaged=bool(self._listing.damaged)
            )

    def forget_place(self, connection: apsw.Connection) -> None:
        """Forget what snapshots of a former place had."""
        meta.remove(connection, _COVERED)
        meta.remove(connection, _SOUND)
        meta.remove(connection, _TAKEN)
        self._noted = ""

    async def next_head(self) -> SnapshotHead | None:
        """Return a whole snapshot with changes that are not here, ``None`` without one."""

        def marks(connection: apsw.Connection) -> dict[int, int]:
            own = connection.execute("SELECT lane FROM lanes WHERE is_own").get
            return lane_rows.marks(connection) | ({} if own is None else {int(own): 1 << 62})

        here = await self._store.read(marks)
        return next((head for head in reversed(self._listing.whole) if not head.is_within(here)), None)

    async def changes(self, joined: SealedExchange, head: SnapshotHead) -> tuple[list[bytes], Counter[int]]:
        """Return the parts with a snapshot's changes, and how many rows each lane removes.

        Those that the person accepted do not count.

        Raises:
            ExchangeError: They are damaged, or not whole at the place.
            ExchangeNewerError: A newer Keepsake wrote them.
        """
        self._fetched = {part.digest: self._fetched.get(part.digest, b"") for part in head.changes}
        for part in head.changes:
            if not self._fetched[part.digest]:
                self._fetched[part.digest] = await self._text(joined, head, part)
        texts = [self._fetched[part.digest] for part in head.changes]
        return texts, await self._store.read(partial(_removed_by, texts, self._clock.now_ms()), limit_s=_READ_S)

    async def take(
        self,
        joined: SealedExchange,
        head: SnapshotHead,
        texts: list[bytes],
        require_no_import: Callable[[], None],
        tell: Callable[[Received], None],
    ) -> None:
        """Take a snapshot in; cut off, it goes on with the part that was next.

        Args:
            joined: The place.
            head: The snapshot.
            texts: The parts with its changes.
            require_no_import: Refuses while an import runs; called in each transaction.
            tell: Told of what each part changed.
        """
        now_ms = self._clock.now_ms()

        def turns(part: SnapshotPart, number: int, connection: apsw.Connection) -> Received:
            require_no_import()
            meta.write(connection, _TAKEN, json.dumps([head.name, number]))
            return self._receiver.take_turns(connection, part, now_ms)

        def changes(part: SnapshotPart, connection: apsw.Connection) -> Received:
            require_no_import()
            return self._receiver.take_changes(connection, part, now_ms)

        async def unpacked(text: bytes) -> SnapshotPart:
            return await in_daemon_thread(snapshot_format.unpack, text)

        await self._store.write(partial(self._receiver.begin_snapshot, head=head, now_ms=now_ms))
        taken = await self._store.read(partial(_taken, head.name))
        for number, part in enumerate(head.turns[taken:], taken + 1):
            text = await self._text(joined, head, part)
            tell(await self._store.write(partial(turns, await unpacked(text), number)))
        # In transactions of their own, so that who writes at that moment waits for none of them long.
        for text in texts:
            tell(await self._store.write(partial(changes, await unpacked(text))))
        await self._store.write(partial(self._receiver.end_snapshot, head=head))
        self._fetched = {}

    async def covered(self) -> Mapping[int, int]:
        """Return up to which number snapshots had each lane that were seen whole."""
        return await self._store.read(_covered)

    async def forget(self, joined: SealedExchange) -> bool:
        """Write a snapshot without what was forgotten; return whether none has it."""
        await self.look(joined)
        if not self._listing.has_any:
            await in_daemon_thread(snapshot_objects.remove_unended, joined, self._listing)
            return True
        erased = await self._store.read(erasures.last_numbers)
        old = [head for head in self._listing.snapshots if not head.has_forgotten(erased)]
        known = {head.name for head in self._listing.snapshots} | self._listing.damaged
        unknown = set(filter(snapshot_format.is_head, self._listing.names)) - known
        if not old and not unknown and not self._listing.damaged:
            return True
        if unknown:  # still being copied, or sealed with a key that comes with the list of machines
            return False
        head = await self._write(joined)
        if head is None:
            return False
        await self.look(joined)
        await in_daemon_thread(snapshot_objects.remove_former, joined, self._listing, head)
        return True

    async def keep(self, joined: SealedExchange, standing: Standing, *, is_complete: bool) -> None:
        """Write a snapshot if one is due, and take away what all machines have.

        Args:
            joined: The place.
            standing: The standing of this device.
            is_complete: Whether all that is at the place is here.
        """
        now_ms = self._clock.now_ms()
        if self._looked_ms is not None and 0 <= now_ms - self._looked_ms < self.rule.look_ms:
            return
        self._looked_ms = now_ms
        states = {**await self._states.collect(joined.point, standing), standing.keys.id: await self._states.own()}
        silent_ms = {
            device: -1 if device == standing.keys.id else now_ms - _last_seen_ms(standing, states, device)
            for device in standing.members.members
        }
        away = {device for device, silent in silent_ms.items() if silent > self.rule.silent_ms}
        here = standing.members.members.keys() - away
        self._standstill = self._delay(standing, states, away, now_ms)
        near = {device for device in here if silent_ms[device] <= self.rule.writer_ms}
        is_lost = is_complete and await self._is_lost(joined, now_ms)
        if standing.keys.id != min(await self._able(states, near), default="") and not is_lost:
            return
        if is_lost or (is_complete and await self._is_due(joined, standing, states, now_ms)):
            await self._write(joined)
            await self.look(joined)
        if head := self._listing.newest:
            await self._compact(joined, head, [states.get(one) for one in here if one != standing.keys.id])

    def _note_unread(self, head: str, *, is_damaged: bool) -> None:
        """Note that a snapshot could not be read, or may still be on its way."""
        now_ms = self._clock.now_ms()
        if self._lacking[0] != head:
            self._lacking = head, now_ms
        if is_damaged or abs(now_ms - self._lacking[1]) >= self.rule.repair_ms:
            self._unreadable = head

    async def _able(self, states: Mapping[str, DeviceState], here: Collection[str]) -> list[str]:
        """Return the devices that have all that snapshots had, so that they can write one."""
        covered = {f"{lane:016x}": n for lane, n in (await self.covered()).items()}
        return [
            device
            for device in here
            if device in states and all(states[device].marks.get(lane, 0) >= n for lane, n in covered.items())
        ]

    async def _is_due(
        self, joined: SealedExchange, standing: Standing, states: Mapping[str, DeviceState], now_ms: int
    ) -> bool:
        head, covered = self._listing.newest, snapshot_objects.covered_by(self._listing.whole)
        if any(n > covered.get(lane, 0) for lane, n in (await self.covered()).items()):
            # One is lost or damaged, or the place lags.
            self._broken_ms = self._broken_ms or now_ms
            return abs(now_ms - self._broken_ms) >= self.rule.repair_ms or bool(self._listing.damaged)
        self._broken_ms = None
        if head is not None and (
            any(
                snapshot_format.number_of(states[device].unreadable) >= head.number
                for device in standing.members.members
                if device in states
            )
            or not await self._is_sound(joined, head)
        ):
            return True
        count = await in_daemon_thread(compaction.count_beyond, joined, covered)
        if head is None or count < self.rule.segments:
            return count >= self.rule.segments
        rows = await self._store.read(snapshot_capture.rows_of)
        return count >= self.rule.most_segments or rows - head.rows >= self.rule.growth * head.rows

    async def _is_lost(self, joined: SealedExchange, now_ms: int) -> bool:
        """Return whether the place lacks for long what another machine wrote and this one has.

        Who wrote it adds it again, unless its vault was put back to before it.
        """
        marks, covered = await self._store.read(_marks_of_others), snapshot_objects.covered_by(self._listing.whole)
        if not await in_daemon_thread(compaction.are_lost, joined, marks, covered):
            self._lost_ms = None
            return False
        self._lost_ms = self._lost_ms or now_ms
        if abs(now_ms - self._lost_ms) < self.rule.repair_ms:
            return False
        _log.warning("segments of another machine are lost; a snapshot gives them back")
        return True

    async def _is_sound(self, joined: SealedExchange, head: SnapshotHead) -> bool:
        """Return whether a snapshot is as it was written; it is read once for it."""
        if await self._store.read(partial(meta.read, key=_SOUND)) == head.name:
            return True
        is_sound = await in_daemon_thread(snapshot_objects.is_sound, joined, head)
        if is_sound:
            await self._store.write(partial(meta.write, key=_SOUND, value=head.name))
        return is_sound

    async def _write(self, joined: SealedExchange) -> SnapshotHead | None:
        """Write a snapshot of all that is here and in the exchange.

        Returns ``None`` where it was not to be: a snapshot at the place has more, or something is being forgotten.
        """
        at_ms = self._clock.now_ms()
        captured = await self._store.read(snapshot_capture.changes_of, limit_s=_READ_S, is_background=True)
        if captured is None or not captured.lanes:
            return None
        marks = {lane: end.n for lane, end in captured.lanes.items()}
        if not all(head.is_within(marks) for head in self._listing.whole):
            return None
        writer = SnapshotWriter(joined, snapshot_objects.next_number(self._listing.names))
        changes = [await in_daemon_thread(writer.add, text) for text in captured.parts]
        turns: list[PartName] = []
        cursor: snapshot_capture.TurnCursor | None = snapshot_capture.START
        while cursor is not None:
            text, cursor = await self._store.read(
                partial(snapshot_capture.turns_after, cursor=cursor), limit_s=_READ_S, is_background=True
            )
            if text is not None:
                turns.append(await in_daemon_thread(writer.add, text))
        # What was forgotten meanwhile may stand in a part; without a head nobody reads it, and it goes.
        if await self._store.read(erasures.last_numbers) != captured.erased:
            await in_daemon_thread(writer.drop)
            return None
        head = await in_daemon_thread(writer.end, partial(_head, captured, tuple(changes), tuple(turns), at_ms))
        if head is not None:
            _log.info("a snapshot of what the machines share was written")
        return head

    async def _compact(self, joined: SealedExchange, head: SnapshotHead, others: list[DeviceState | None]) -> None:
        """Take away what a snapshot covers and all machines have that are here.

        A machine has to have seen the snapshot too, so that in a folder that lags no segment goes before it.
        """
        states = [state for state in others if state is not None]
        if len(states) < len(others) or any(
            state.reader < SNAPSHOT_READER or state.snapshot != head.name for state in states
        ):
            return
        if not await self._is_sound(joined, head):
            return
        marks = await self._store.read(lane_rows.marks)
        await in_daemon_thread(snapshot_objects.remove_former, joined, self._listing, head)
        for lane, end in head.lanes.items():
            least = min([marks.get(lane, 0), *(state.marks.get(f"{lane:016x}", 0) for state in states)])
            if least >= end.n:
                await in_daemon_thread(compaction.cover, joined, lane, end)

    async def _text(self, joined: SealedExchange, head: SnapshotHead, part: PartName) -> bytes:
        try:
            text = await in_daemon_thread(snapshot_objects.text_of, joined, part)
        except DamagedSnapshotError:
            self._note_unread(head.name, is_damaged=True)
            raise
        if text is None:
            self._note_unread(head.name, is_damaged=False)
            raise lane_sealer.not_whole()
        return text

    def _delay(self, standing: Standing, states: Mapping[str, DeviceState], away: set[str], now_ms: int) -> Sentence:
        """Return what the person is to know of machines that what is old waits for."""
        names = standing.names
        old = [
            device
            for device in standing.members.members.keys() - away
            if device in states and states[device].reader < SNAPSHOT_READER and device != standing.keys.id
        ]
        if old:
            return Sentence(
                "Nothing old is taken away from the place until Keepsake is updated on: {machines}.",
                machines=", ".join(sorted(names.get(device, device) for device in old)),
            )
        if away:
            return Sentence(
                "Not heard of for half a year: {machines}. The place keeps no changes for such a machine one by one; it"
                " takes them from the snapshot there when it comes back, and nothing that it wrote is lost.",
                machines=", ".join(sorted(names.get(device, device) for device in away)),
            )
        waiting = {
            device: _last_seen_ms(standing, states, device) + self.rule.silent_ms
            for device in standing.members.members
            if device != standing.keys.id
            and now_ms - _last_seen_ms(standing, states, device) > self.rule.silent_ms // 6
        }
        if not waiting:
            return Sentence("")
        return Sentence(
            "The place keeps every change until {date} for: {machines}. After that such a machine takes them from a"
            " snapshot when it comes back, and nothing that it wrote is lost.",
            machines=", ".join(sorted(names.get(device, device) for device in waiting)),
            date=to_datetime(max(waiting.values())).date().isoformat(),
        )


def _head(
    captured: CapturedChanges, changes: tuple[PartName, ...], turns: tuple[PartName, ...], at_ms: int, name: str
) -> SnapshotHead:
    return SnapshotHead(name, at_ms, captured.lanes, captured.erased, captured.rows, changes, turns)


def _last_seen_ms(standing: Standing, states: Mapping[str, DeviceState], device: str) -> int:
    added_ms = standing.members.members[device].added_at_ms
    return max(added_ms, states[device].at_ms) if device in states else added_ms


def _covered(connection: apsw.Connection) -> dict[int, int]:
    return {int(lane, 16): int(n) for lane, n in json.loads(meta.read(connection, _COVERED) or "{}").items()}


def _taken(head: str, connection: apsw.Connection) -> int:
    """Return how many parts with turns of a snapshot are here."""
    name, number = json.loads(meta.read(connection, _TAKEN) or '["", 0]')
    return int(number) if name == head else 0


def _marks_of_others(connection: apsw.Connection) -> dict[int, int]:
    rows = connection.execute("SELECT lane, shared_n FROM lanes WHERE NOT was_own AND shared_n > 0").fetchall()
    return {int(str(lane)): int(str(n)) for lane, n in rows}


def _note_covered(head: SnapshotHead, connection: apsw.Connection) -> None:
    before = _covered(connection)
    after = before | {lane: max(end.n, before.get(lane, 0)) for lane, end in head.lanes.items()}
    if after != before:
        meta.write(connection, _COVERED, json.dumps({f"{lane:016x}": n for lane, n in after.items()}))


def _removed_by(texts: list[bytes], now_ms: int, connection: apsw.Connection) -> Counter[int]:
    """Return how many rows changes remove by lanes; refuse what cannot be followed."""
    marks = lane_rows.marks(connection)
    removed: Counter[int] = Counter()
    for text in texts:
        part = LanePart(0, 0, 0, changes=tuple(snapshot_format.beyond(snapshot_format.unpack(text).changes, marks)))
        if not lane_rows.is_understood(part):
            raise ExchangeNewerError(
                "Another machine writes with a newer Keepsake. Update Keepsake here to see its changes."
            )
        lane_segment.require_plausible(part, now_ms)
        # The changes of a row stand together, so that the last of them says what becomes of it.
        last = {(change.target_kind, change.target): change for change in part.changes}.values()
        for lane in {change.place.lane for change in last}:
            changes = tuple(
                change
                for change in last
                if change.place.lane == lane and not removal_guard.is_accepted(connection, lane, change.place.n)
            )
            removed[lane] += removal_guard.removed_by(connection, LanePart(lane, 0, 0, changes=changes))
    return removed
