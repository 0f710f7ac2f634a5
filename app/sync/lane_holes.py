"""Holes in lanes: changes that the place lost.

Who has them adds them again, or writes a snapshot. Where no member has them they are lost, and what others wrote that
knew of them is taken in without them. Owns the vault's ``sync.holes`` value.
"""

import json
from dataclasses import astuple, dataclass, field
from functools import partial
from typing import Final

import apsw

from app.core.clock import Clock, to_datetime
from app.core.time_rules.hybrid_clock import COUNTER_BITS
from app.sentence import Sentence
from app.store import meta
from app.store.store import Store
from app.sync.device_states import DeviceStates
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.membership import Standing

_HOLES: Final = "sync.holes"
MISSING: Final = Sentence("Changes of another machine are missing.")
"""Reason of a lane that waits for another lane, whose own reason is told first."""


@dataclass(frozen=True, slots=True)
class _Hole:
    """Hole in a lane.

    Args:
        after: The last number before it.
        since_ms: When it was first seen.
        is_lost: Whether no machine has what is missing.
    """

    after: int
    since_ms: int
    is_lost: bool = False


@dataclass(slots=True)
class LaneHoles:
    """Holes that were met in one synchronisation.

    Args:
        store: The vault's database.
        clock: The source of the time.
        states: Tells how far the other machines are.
        wait_ms: A hole is waited for so long, for a place may lag.
    """

    store: Store
    clock: Clock
    states: DeviceStates
    wait_ms: int
    ended: set[int] = field(default_factory=set)
    """Lanes that end before a hole, for what is missing there is lost."""

    async def reason(self, point: ExchangePoint, standing: Standing, lane: int, n: int) -> Sentence:
        """Return why changes of a lane are missing; an empty sentence where they are lost.

        Args:
            point: The exchange point.
            standing: The standing of this device.
            lane: The lane.
            n: The number of its last change before the hole.
        """
        states = await self.states.collect(point, standing)
        owners = [
            standing.names.get(device, device)
            for device in standing.members.members
            if device in states and states[device].marks.get(f"{lane:016x}", 0) > n
        ]
        now_ms = self.clock.now_ms()
        since_ms = await self.store.write(partial(_seen_first, lane, n, now_ms))
        if owners:
            return Sentence(
                "Changes are missing at the place that are on: {machines}. They come here once such a machine meets the"
                " others. If it is gone for good, remove it here.",
                machines=", ".join(sorted(owners)),
            )
        if abs(now_ms - since_ms) < self.wait_ms:
            return MISSING
        await self.store.write(partial(_note, lane, _Hole(n, since_ms, is_lost=True)))
        self.ended.add(lane)
        return Sentence("")


def lost(connection: apsw.Connection) -> list[Sentence]:
    """Return sentences about changes that are lost for good, as far as is known."""
    known = {lane: (n, hlc) for lane, n, hlc in connection.execute("SELECT lane, n, hlc FROM lanes")}
    return [
        Sentence(
            "What one of your machines wrote after {time} UTC is lost: neither the place nor a machine has it.",
            time=f"{to_datetime(int(hlc) >> COUNTER_BITS):%Y-%m-%d %H:%M}",
        )
        if hlc
        else Sentence("What one of your machines wrote is lost: neither the place nor a machine has it.")
        for lane, hole in _holes(connection).items()
        for n, hlc in [known.get(lane, (0, 0))]
        if hole.is_lost and n == hole.after
    ]


def _seen_first(lane: int, n: int, now_ms: int, connection: apsw.Connection) -> int:
    """Note a hole, and return when it was first seen."""
    known = _holes(connection).get(lane)
    if known is not None and known.after == n:
        return known.since_ms
    _note(lane, _Hole(n, now_ms), connection)
    return now_ms


def _holes(connection: apsw.Connection) -> dict[int, _Hole]:
    holes = json.loads(meta.read(connection, _HOLES) or "{}")
    return {int(lane, 16): _Hole(*hole) for lane, hole in holes.items()}


def _note(lane: int, hole: _Hole, connection: apsw.Connection) -> None:
    holes = {**_holes(connection), lane: hole}
    meta.write(connection, _HOLES, json.dumps({f"{lane:016x}": astuple(hole) for lane, hole in holes.items()}))
