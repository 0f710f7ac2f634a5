"""State of this device for the others, and theirs as it is known here.

Once all have forgotten the same, a new epoch begins. Owns the vault's ``sync.states`` value, which has the last states
of the others.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Final

import apsw

from app.core.clock import Clock
from app.core.process.daemon_thread import in_daemon_thread
from app.erasure import erasures
from app.store import meta
from app.store.store import Store
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.membership import Membership, Standing
from app.sync.sealing import device_state, primitives, sealed_object
from app.sync.sealing.device_state import DeviceState
from app.sync.sealing.member_list import MemberList

_STATES: Final = "sync.states"
REWRITTEN: Final = "sync.rewritten"
"""Number of erasures for which the segments of this device were rewritten."""
LONGEST_MS: Final = 3_600_000
"""A device that does nothing says so often that it is there."""


class DeviceStates:
    """States of all devices: publishes that of this one, and keeps the others.

    Args:
        store: The vault's database.
        clock: The source of the time.
        membership: The standing of this device among the machines.
    """

    def __init__(self, store: Store, clock: Clock, membership: Membership) -> None:
        self._store = store
        self._clock = clock
        self._membership = membership
        self._published: tuple[int, DeviceState] = (0, DeviceState(0))

    async def publish(self, point: ExchangePoint, standing: Standing, snapshot: str, unreadable: str) -> None:
        """Publish how far this device is; begin a new epoch once all forgot the same.

        Args:
            point: The exchange point.
            standing: The standing of this device.
            snapshot: The newest snapshot that it saw whole, ``""`` for none.
            unreadable: The snapshot that it could not read, ``""`` for none.
        """
        receiving = primitives.public_receiving_key(standing.keys.receiving[-1]).hex()
        state = replace(
            await self._store.read(_own_state),
            receiving=receiving,
            reader=sealed_object.FORMAT,
            snapshot=snapshot,
            unreadable=unreadable,
        )
        epoch, former = self._published
        now_ms = self._clock.now_ms()
        is_due = abs(now_ms - former.at_ms) >= LONGEST_MS
        if is_due or epoch != standing.members.epoch or replace(former, at_ms=0) != state:
            state = replace(state, at_ms=now_ms)
            await in_daemon_thread(device_state.publish, point, standing.keys, standing.members, state)
            self._published = standing.members.epoch, state
        forgotten = digest_of(state.erased)
        if state.erased and forgotten != standing.members.forgotten:
            await self._begin_epoch(point, standing, forgotten)

    async def collect(self, point: ExchangePoint, standing: Standing) -> Mapping[str, DeviceState]:
        """Return the last states of all members, at the place or known from before."""
        states = await in_daemon_thread(device_state.states_of, point, standing.keys, standing.members)
        return await self._store.write(partial(_kept, states))

    async def own(self) -> DeviceState:
        """Return how far this device is."""
        return await self._store.read(_own_state)

    async def known(self) -> Mapping[str, DeviceState]:
        """Return the last states of members as they are known here."""
        return await self._store.read(_known)

    async def is_forgotten_by_all(self, standing: Standing) -> bool:
        """Return whether all members have forgotten everything that this one has."""
        numbers = await self._store.read(erasures.last_numbers)
        return digest_of({f"{lane:016x}": n for lane, n in numbers.items()}) == standing.members.forgotten

    async def _begin_epoch(self, point: ExchangePoint, standing: Standing, forgotten: str) -> None:
        """Begin a new epoch where all members carried out the same erasures."""
        states = await self.collect(point, standing)
        # One device alone begins it: at a place whose copies become the same later, two would part the list.
        if standing.keys.id != min(standing.members.members) or any(
            identity not in states or digest_of(states[identity].erased) != forgotten
            for identity in standing.members.members
        ):
            return

        def change(members: MemberList, _names: dict[str, str]) -> MemberList | None:
            if members.forgotten == forgotten or members.members.keys() != standing.members.members.keys():
                return None
            return replace(members, forgotten=forgotten)

        await self._membership.change(point, standing.members.vault, change, begins_epoch=True)


def digest_of(erased: Mapping[str, int]) -> str:
    """Return the digest of erasures that were carried out, ``""`` for none."""
    if not erased:
        return ""
    return hashlib.sha256(json.dumps(dict(erased), sort_keys=True).encode()).hexdigest()


def _own_state(connection: apsw.Connection) -> DeviceState:
    rows = connection.execute("SELECT lane, CASE WHEN was_own THEN shared_n ELSE n END FROM lanes").fetchall()
    marks = {f"{int(str(lane)):016x}": int(str(n)) for lane, n in rows if n}
    receipts = erasures.receipts_digest(connection)
    count = erasures.count(connection)
    if receipts is None or int(meta.read(connection, REWRITTEN) or 0) != count:
        return DeviceState(0, marks)
    erased = {f"{lane:016x}": n for lane, n in erasures.last_numbers(connection).items()}
    return DeviceState(0, marks, erased, receipts)


def _known(connection: apsw.Connection) -> dict[str, DeviceState]:
    kept = json.loads(meta.read(connection, _STATES) or "{}")
    return {identity: DeviceState(**fields) for identity, fields in kept.items()}


def _kept(states: Mapping[str, DeviceState], connection: apsw.Connection) -> dict[str, DeviceState]:
    before = _known(connection)
    after = {**before, **states}
    if after != before:
        meta.write(connection, _STATES, json.dumps({name: asdict(state) for name, state in after.items()}))
    return after
