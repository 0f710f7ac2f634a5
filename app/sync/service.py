"""Synchronisation of a vault with the person's other machines, through an exchange point.

Each machine adds the changes of its own lane and takes those of the others in. All steps may be cut off at any moment:
the next time goes on where the last one was.
"""

import asyncio
import logging
import platform
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import apsw

from app.changes import ChangeSet
from app.core.clock import Clock, optional_datetime
from app.core.error_location import error_location
from app.core.ids import new_vault_id
from app.core.process.daemon_thread import in_daemon_thread, stoppable
from app.erasure import erasures
from app.erasure.model import ErasureTarget
from app.errors import (
    CallStoppedError,
    CancelledByPersonError,
    ExchangeError,
    ExchangeNewerError,
    InputError,
    KeepsakeError,
    MachineError,
    NotFoundError,
)
from app.sentence import Sentence
from app.store import lanes, meta
from app.store.store import Store
from app.sync import lane_holes, removal_guard
from app.sync.device_states import DeviceStates
from app.sync.exchanges.exchange_places import place_of, without_password
from app.sync.joined_place import PLACE_KEY, VAULT_KEY, JoinedPlace, PlaceReach
from app.sync.lane_holes import MISSING, LaneHoles
from app.sync.membership import Membership, Standing
from app.sync.model import DeviceLane, HeldRemovals, SyncReport, SyncState
from app.sync.own_lanes import HeldOpenError, OwnLanes
from app.sync.receiver import Received, Receiver
from app.sync.sealed_exchange import SealedExchange
from app.sync.sealing.signed_text import TornError
from app.sync.segments import lane_chain, lane_rows, lane_sealer, lane_segment, turn_log
from app.sync.segments.lane_sealer import RemovedWriterError
from app.sync.segments.lane_segment import Segment, SegmentPlace
from app.sync.snapshots.snapshot_keeper import SnapshotKeeper

_log = logging.getLogger(__name__)

OPERATION: Final = "device.sync"
ACTOR: Final = "sync"
_SETTLED: Final = "sync.settled"
_PAUSED: Final = "sync.paused"

_NOTHING: Final = Sentence("")
_UNREADABLE: Final = Sentence("Changes of another machine cannot be read.")
_HELD: Final = Sentence("Another machine removed much at once, which waits for you.")
_NO_KEYRING: Final = Sentence(
    "This machine has no keyring: the keys that open what lies there are in a file that programs of yours can read."
)
_ONE_AT_A_TIME: Final = Sentence(
    "This server cannot tell two machines apart that write at the same moment: add, rename and remove machines on one"
    " machine at a time."
)

Forget = Callable[[Sequence[ErasureTarget], str], Awaitable[None]]


@dataclass(slots=True)
class _Pull:
    """Outcome of taking in, as far as it has come.

    Args:
        standing: The standing of this device.
        taken: How many segments and snapshots were taken in.
        reasons: Why more of a lane waits, an empty sentence for nothing.
        removed: How many rows each lane removed.
        held: What waits for the person, by lane.
        holes: Holes in lanes that were met.
    """

    standing: Standing
    holes: LaneHoles
    taken: int = 0
    reasons: list[Sentence] = field(default_factory=list)
    removed: Counter[int] = field(default_factory=Counter)
    held: dict[int, HeldRemovals] = field(default_factory=dict)


class SyncService:
    """Joins a vault to an exchange point and keeps both the same.

    Args:
        store: The vault's database.
        clock: The source of the time.
        membership: The standing of this device among the machines.
        states: Tells the other devices of this one.
        receiver: Takes in what other machines changed.
        snapshots: Takes snapshots in and writes them.
        forget: Forgets for ever what another machine forgot.
        publish: Tells everyone who listens of a change.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        membership: Membership,
        states: DeviceStates,
        receiver: Receiver,
        snapshots: SnapshotKeeper,
        forget: Forget,
        publish: Callable[[ChangeSet], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._membership = membership
        self._states = states
        self._receiver = receiver
        self.snapshots = snapshots
        self._own_lanes = OwnLanes(store, snapshots)
        self._forget = forget
        self._publish = publish
        self._one_at_a_time = asyncio.Lock()
        self._has_begun = asyncio.Event()
        self._reach = PlaceReach(store, membership)
        self.calls = self._reach.calls
        self._synced_ms: int | None = None
        self._problem: str = _NOTHING
        self._held: tuple[HeldRemovals, ...] = ()
        self._gives_names_once = True

    @stoppable
    async def join(self, address: str, *, fills_anew: bool) -> SyncState:
        """Share the vault at an address, as the first machine or as a member.

        What the vault has is added to what is there; nothing is removed on either side.

        Args:
            address: The path of a folder that is there, or the address of a database.
            fills_anew: Whether a vault that was shared before may fill an empty place: the one that it knew was lost.

        Raises:
            InputError: The vault shares its changes elsewhere, is no member there, or there can be no such place.
            MachineError: The place is not there, or cannot be read or written; or the keyring is locked.
        """
        place = place_of(address)
        there = await in_daemon_thread(place.vault)
        known = await self._store.read(partial(meta.read, key=VAULT_KEY))
        if not (fills_anew and there is None):
            await self.require_place_of(there)
        vault = there or known or new_vault_id()
        if not await self._membership.is_member(vault):
            if there is not None:
                raise InputError(
                    "Other machines share their memory there. Make an invitation on one of them, and join with its"
                    " words.",
                    field="place",
                )
            await self._membership.found(vault, machine_name())
        await in_daemon_thread(place.make_vault, vault)
        shown = without_password(place.address)
        await self._membership.keep_address(place.address, shown)

        def work(connection: apsw.Connection) -> None:
            meta.write(connection, VAULT_KEY, vault)
            meta.write(connection, PLACE_KEY, shown)
            self.snapshots.forget_place(connection)

        await self._store.write(work)
        await self._begin_anew()
        return await self.state()

    async def require_place_of(self, vault: str | None) -> None:
        """Refuse where this vault is shared as another one.

        Args:
            vault: The id of the vault that a place is for, ``None`` for an empty one.

        Raises:
            InputError: It is.
        """
        known = await self._store.read(partial(meta.read, key=VAULT_KEY))
        if known is not None and known != vault:
            raise InputError(
                "This vault shares its changes through another place. If that one was moved, name the place where"
                " it is now. If it was lost, say that this one is to be filled anew.",
                field="place",
            )

    async def leave(self) -> SyncState:
        """Stop sharing the vault; joining the same place again goes on."""
        self.calls.give_up()
        async with self._one_at_a_time:
            await self._store.write(lambda connection: meta.remove(connection, PLACE_KEY))
            await self._reach.let_go()
            self._synced_ms, self._problem, self._held = None, _NOTHING, ()
        return await self.state()

    async def pause(self) -> SyncState:
        """Exchange nothing until ``go_on``; what is written meanwhile is added then."""
        self.calls.give_up()
        async with self._one_at_a_time:
            await self._store.write(lambda connection: meta.write(connection, _PAUSED, "1"))
            self._problem = _NOTHING
        return await self.state()

    async def go_on(self) -> SyncState:
        """End a pause."""
        await self._store.write(lambda connection: meta.remove(connection, _PAUSED))
        self._has_begun.set()
        return await self.state()

    async def until_begun(self) -> None:
        """Return once the vault is joined to an exchange point and not paused."""
        while await self.joined() is None or await self.is_paused():
            self._has_begun.clear()
            await self._has_begun.wait()

    @stoppable
    async def hear(self, seconds: float) -> bool | None:
        """Wait until another machine adds something, or some seconds.

        Returns whether it did, ``None`` where the place does not tell, so that one has to look.

        Raises:
            MachineError: The place cannot be reached.
        """
        return await self._reach.hear(seconds)

    async def is_near(self) -> bool:
        """Return whether looking for what others added costs nothing."""
        joined = await self.joined()
        return joined is not None and joined.point.is_near

    async def state(self) -> SyncState:
        """Return where the vault's changes are shared, and how far each lane is known."""
        joined = await self.joined()

        def work(connection: apsw.Connection) -> list[DeviceLane]:
            rows = connection.execute(
                "SELECT lane, is_own, was_own, n, shared_n, began_at FROM lanes"
                " WHERE n > 0 OR is_own ORDER BY began_at, lane"
            )
            return [
                DeviceLane(f"{lane:016x}", bool(is_own), bool(was_own), n, shared if was_own else n)
                for lane, is_own, was_own, n, shared, _ in rows
            ]

        found = await self._store.read(work)
        address, vault = ("", "") if joined is None else (joined.address, joined.vault)
        return SyncState(
            place=without_password(address),
            vault=vault,
            lanes=tuple(found),
            is_paused=await self.is_paused(),
            synced_at=optional_datetime(self._synced_ms),
            problem=self._problem,
            held=self._held,
            notes=() if joined is None else await self._notes(),
            snapshots=self.snapshots.standstill if address else "",
        )

    @stoppable
    async def sync(self) -> SyncReport:
        """Seal what was written here, take in what others changed, and add what they lack.

        While an import runs, nothing is done.

        Raises:
            InputError: The vault is joined to no exchange point.
            ExchangeError: The place is not there, or two copies of the vault wrote to it.
            MachineError: The exchange point cannot be read or written.
        """
        try:
            report = await self._sync()
        except CallStoppedError:
            raise
        except KeepsakeError as error:
            self._problem = error.sentence
            raise
        self._problem, self._held = report.waiting, report.held
        if not report.waiting:
            self._synced_ms = self._clock.now_ms()
        return report

    async def _sync(self) -> SyncReport:
        async with self._one_at_a_time:
            joined = await self.joined()
            if joined is None:
                raise InputError("This vault shares its changes with no other machine. Name a place first.")
            await in_daemon_thread(joined.point.require_there)
            standing, sealer = await self._membership.refreshed(joined.point, joined.vault)
            sealed = SealedExchange(joined.point, sealer)
            try:
                await self._seal()
                pulled = await self._pull(sealed, standing)
                await self._obey()
                await self._seal()
            except HeldOpenError:
                return SyncReport(waiting=Sentence("An import is running. The exchange goes on when it has ended."))
            await self._own_lanes.rewind(sealed)
            added = await self._own_lanes.push(sealed)
            await self._own_lanes.rewrite(sealed)
            await self.snapshots.keep(sealed, standing, is_complete=not pulled.waiting)
            await self._states.publish(joined.point, standing, self.snapshots.newest, self.snapshots.unreadable)
            self._gives_names_once = await in_daemon_thread(joined.point.gives_names_once)
            return replace(pulled, added=added)

    async def _notes(self) -> tuple[Sentence, ...]:
        """Return what the place or this machine lacks."""
        device = await self._membership.device()
        has_keyring = await asyncio.to_thread(self._membership.key_store.has_keyring, device)
        lacks = (*(() if has_keyring else (_NO_KEYRING,)), *(() if self._gives_names_once else (_ONE_AT_A_TIME,)))
        return (*lacks, *await self._store.read(lane_holes.lost))

    async def accept(self, lane: str, last: int) -> SyncState:
        """Let what another machine removed go here too, at the next time.

        Args:
            lane: The lane that waits.
            last: The number of its last change that waits.

        Raises:
            NotFoundError: Nothing of it waits up to there.
        """
        if not any((held.lane, held.last) == (lane, last) for held in self._held):
            raise NotFoundError("Nothing of that machine waits for you up to that change.")
        await self._store.write(partial(removal_guard.accept, lane=int(lane, 16), n=last))
        self._held = tuple(held for held in self._held if held.lane != lane)
        return await self.state()

    async def is_paused(self) -> bool:
        """Return whether nothing is exchanged for now."""
        return await self._store.read(lambda connection: meta.read(connection, _PAUSED)) is not None

    async def joined(self) -> JoinedPlace | None:
        """Return the place where the vault is shared, ``None`` where it is not."""
        return await self._reach.joined()

    async def close(self) -> None:
        """End the connections to the place."""
        await self._reach.let_go()

    async def _begin_anew(self) -> None:
        """Begin at the place that was just named; calls to the former are given up."""
        self.calls.give_up()
        await self._reach.let_go()
        self._problem = _NOTHING
        with self.calls.begun():
            joined = await self.joined()
            if joined is not None:
                self._gives_names_once = await in_daemon_thread(joined.point.gives_names_once)
                await self._membership.refreshed(joined.point, joined.vault)
        self._has_begun.set()

    def _require_no_import(self) -> None:
        """Refuse to seal while an import runs; to be called in the transaction that seals."""
        if not self._store.may_seal:
            raise HeldOpenError

    async def _seal(self) -> None:
        now_ms = self._clock.now_ms()

        def work(connection: apsw.Connection) -> Received:
            self._require_no_import()
            turn_log.number_turns(connection, now_ms)
            own = lanes.own(connection)
            settled = int(meta.read(connection, _SETTLED) or 0)
            received = self._receiver.settle_own(connection, min(settled, own.n if own else 0), now_ms)
            meta.write(connection, _SETTLED, str(own.n if own else 0))
            lanes.seal(connection)
            return received

        self._tell(await self._store.write(work))

    async def _pull(self, joined: SealedExchange, standing: Standing) -> SyncReport:
        """Take in all that can be; return how much, and why more waits."""
        holes = LaneHoles(self._store, self._clock, self._states, self.snapshots.rule.repair_ms)
        pull, before = _Pull(standing, holes), (-1, 0)
        await self.snapshots.look(joined)
        await self._own_lanes.leave_copied(joined)
        if not await self._store.read(lane_rows.has_others):
            await self._take_snapshot(joined, pull)
        while (pull.taken, len(holes.ended)) > before:
            before, pull.reasons = (pull.taken, len(holes.ended)), []
            for name in await in_daemon_thread(joined.point.lanes):
                pull.reasons.append(await self._pull_lane(joined, int(name, 16), pull))
            if (pull.taken, len(holes.ended)) == before and not pull.held:
                pull.reasons.append(await self._take_snapshot(joined, pull))
        waiting = min(filter(None, pull.reasons), key=_follows, default=_NOTHING)
        return SyncReport(pull.taken, 0, waiting, tuple(pull.held.values()))

    async def _pull_lane(self, joined: SealedExchange, lane: int, pull: _Pull) -> Sentence:
        """Take in all of a lane that can be; return why more of it waits."""
        if lane in pull.held:
            return _HELD
        try:
            while not isinstance(segment := await self._next(joined, lane, pull), Sentence | None):
                count = pull.removed[lane] + await self._removed_by(segment)
                if await self._store.read(partial(removal_guard.is_too_much, removed=count)):
                    pull.held[lane] = HeldRemovals(f"{lane:016x}", segment.part.last, count)
                    return _HELD
                self._tell(await self._store.write(partial(self._take, segment, self._clock.now_ms())))
                pull.removed[lane] = count
                pull.taken += 1
        except HeldOpenError:
            raise
        except Exception as error:
            if isinstance(error, MachineError | CancelledByPersonError) and not isinstance(error, ExchangeError):
                raise
            return _reason(error)
        return segment or _NOTHING

    async def _take_snapshot(self, joined: SealedExchange, pull: _Pull) -> Sentence:
        """Take in a snapshot with more than the segments; return why that waits."""
        head = await self.snapshots.next_head()
        if head is None:
            return _NOTHING
        try:
            texts, removed = await self.snapshots.changes(joined, head)
            if await self._store.read(partial(removal_guard.is_too_much, removed=removed.total())):
                [(lane, count)] = removed.most_common(1)
                pull.held[lane] = HeldRemovals(f"{lane:016x}", head.lanes[lane].n, count)
                return _HELD
            await self.snapshots.take(joined, head, texts, self._require_no_import, self._tell)
        except ExchangeError as error:
            return error.sentence
        pull.taken += 1
        return _NOTHING

    async def _removed_by(self, segment: Segment) -> int:
        """Return how many rows a segment removes that the person did not accept."""

        def work(connection: apsw.Connection) -> int:
            part = segment.part
            is_accepted = removal_guard.is_accepted(connection, part.lane, part.last)
            return 0 if is_accepted else removal_guard.removed_by(connection, part)

        return await self._store.read(work)

    def _take(self, segment: Segment, now_ms: int, connection: apsw.Connection) -> Received:
        self._require_no_import()
        return self._receiver.take(connection, segment, now_ms)

    async def _next(self, joined: SealedExchange, lane: int, pull: _Pull) -> Segment | Sentence | None:
        """Return the next segment of a lane, or why it waits; ``None`` without one."""

        def mark(connection: apsw.Connection) -> tuple[int, str, bool]:
            own = lanes.own(connection)
            return (*lane_rows.mark(connection, lane), own is not None and own.lane == lane)

        after, digest, is_own = await self._store.read(mark)
        if is_own:
            return None
        objects = await in_daemon_thread(lane_chain.objects_of, joined.point, lane)
        if not any(one.last > after for one in objects):
            return None
        following = [one for one in objects if one.first == after + 1]
        place = SegmentPlace(joined.sealer.vault, lane, after, digest)
        # Where the place fails, nothing is known of the segment, and the others need not be read for it.
        name = following[-1].name if following else ""
        data = await in_daemon_thread(joined.point.get, name) if name else None
        try:
            segment = await in_daemon_thread(joined.opened, name, data, place)
        except TornError:
            return Sentence("Changes of another machine are still being copied.")
        except ExchangeNewerError as error:
            raise _newer(lane, objects[-1].last - after) from error
        except ExchangeError:
            segment = await self._over(joined, lane, after)
            if segment is None:
                raise
        if segment is None and (segment := await self._over(joined, lane, after)) is None:
            later = [one.name for one in objects if one.last > after]
            return await self._hole(joined, lane, after, later, pull)
        if not lane_rows.is_understood(segment.part):
            raise _newer(lane, objects[-1].last - after)
        lane_segment.require_plausible(segment.part, self._clock.now_ms())
        return await self._lacking(joined, segment, pull) or segment

    @staticmethod
    async def _hole(joined: SealedExchange, lane: int, after: int, later: list[str], pull: _Pull) -> Sentence:
        """Return why changes before later segments are missing, if they are to come."""
        if lane in pull.holes.ended or await in_daemon_thread(joined.are_of_removed, later):
            return _NOTHING
        return await pull.holes.reason(joined.point, pull.standing, lane, after)

    async def _lacking(self, joined: SealedExchange, segment: Segment, pull: _Pull) -> Sentence:
        """Return why something is not here that the writer of a segment knew."""
        for lane, n in (await self._store.read(partial(lane_rows.lacking, part=segment.part))).items():
            if lane in pull.holes.ended:
                continue
            objects = await in_daemon_thread(lane_chain.objects_of, joined.point, lane)
            if any(one.last > n for one in objects):
                return MISSING  # which the reason of that lane tells of
            if reason := await pull.holes.reason(joined.point, pull.standing, lane, n):
                return reason
        return _NOTHING

    async def _over(self, joined: SealedExchange, lane: int, after: int) -> Segment | None:
        """Return the segment with the next change of a lane that was cut anew."""
        link = await in_daemon_thread(lane_chain.link_over, joined.point, joined.sealer, lane, after + 1)
        segment = None if link is None else await in_daemon_thread(joined.segment, link.found.name, link.place)
        if segment is not None and not await self._store.read(partial(lane_rows.agrees, part=segment.part)):
            raise ExchangeError(
                "Two copies of one vault wrote as the same machine; what the second one wrote is not taken in.",
                lane=f"{lane:016x}",
            )
        return segment

    async def _obey(self) -> None:
        """Forget for ever what another machine forgot."""
        targets = await self._store.read(erasures.all_targets)
        await self._forget(targets, ACTOR)
        await self._store.write(lane_rows.learn)

    def _tell(self, received: Received) -> None:
        if received.areas:
            self._publish(ChangeSet(received.areas, received.ids, ACTOR, OPERATION))


def machine_name() -> str:
    """Return the name of this machine, as the system calls it."""
    return platform.node().partition(".")[0] or "This machine"


def _follows(reason: Sentence) -> bool:
    """Return whether a lane waits for another lane or a snapshot, which has a reason."""
    return reason in (MISSING, lane_sealer.not_whole().sentence)


def _reason(error: Exception) -> Sentence:
    """Return why a lane waits, an empty sentence where nothing of it is to come."""
    if isinstance(error, RemovedWriterError):
        return _NOTHING
    if isinstance(error, ExchangeError):
        return error.sentence
    _log.warning("a lane of another machine waits: %s", error_location(error))
    return _UNREADABLE


def _newer(lane: int, n: int) -> ExchangeNewerError:
    """Return the error for changes that only a newer Keepsake understands.

    Args:
        lane: The lane.
        n: How many of its changes wait in the exchange.
    """
    return ExchangeNewerError(
        Sentence(
            "Another machine writes with a newer Keepsake. Update Keepsake here to see what it wrote (changes that"
            " wait: {n}).",
            n=n,
        ),
        lane=f"{lane:016x}",
        waiting=n,
    )
