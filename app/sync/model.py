"""Values of synchronisation: lanes of machines, and what a run of it did."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class DeviceLane:
    """Changes of one machine since it joined, or since its vault was put back.

    Args:
        lane: The lane.
        is_own: Whether it is written here.
        was_own: Whether it is or was written here.
        known: The number of the last change that is known here.
        shared: The number of the last change that the others can have.
    """

    lane: str
    is_own: bool
    was_own: bool
    known: int
    shared: int


@dataclass(frozen=True, slots=True)
class HeldRemovals:
    """Changes of another machine that wait for the person, for they remove much.

    Args:
        lane: The lane.
        last: The number of the last change that waits.
        removed: How many memories and conversations that are here would go.
    """

    lane: str
    last: int
    removed: int


@dataclass(frozen=True, slots=True)
class SyncState:
    """Place where a vault's changes are shared, and how far each lane is known.

    Args:
        place: The address of the place, ``""`` where the vault shares its changes with no other machine.
        vault: The id that all machines call the vault by.
        lanes: The lanes, oldest first.
        is_paused: Whether nothing is exchanged for now.
        synced_at: When all went well last since the vault was opened, ``None`` while it did not.
        problem: Why this machine or another does not hear of everything, ``""`` for nothing.
        held: What waits for the person.
        notes: Sentences about what the place or this machine lacks.
        snapshots: What comes of changes that a machine has not got which is away or too old, ``""`` for nothing.
    """

    place: str = ""
    vault: str = ""
    lanes: tuple[DeviceLane, ...] = ()
    is_paused: bool = False
    synced_at: datetime | None = None
    problem: str = ""
    held: tuple[HeldRemovals, ...] = ()
    notes: tuple[str, ...] = ()
    snapshots: str = ""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Outcome of one synchronisation.

    Args:
        taken: How many segments and snapshots of other machines were taken in.
        added: How many of this one were added.
        waiting: Why more of the others is to come, ``""`` for nothing.
        held: What waits for the person.
    """

    taken: int = 0
    added: int = 0
    waiting: str = ""
    held: tuple[HeldRemovals, ...] = ()
