"""Parts of synchronisation with a person's other machines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.changes import ChangeSet
from app.devices.service import DeviceService
from app.entities.entity_settler import EntitySettler
from app.erasure.service import ErasureService
from app.inbox.rule_history import RULE_HISTORY, record_unrecorded
from app.index.indexer import Indexer
from app.memories.memory_settler import MemorySettler
from app.part import BackgroundTask, Part
from app.retrieval.saved.saved_search_settler import SavedSearchSettler
from app.runtime import Runtime
from app.schedule.schedule_applier import ScheduleApplier, make_received
from app.sessions.session_applier import SessionApplier
from app.sessions.turn_receiver import TurnReceiver
from app.sync.device_states import DeviceStates
from app.sync.folding.row_settler import StateSettler
from app.sync.leases.job_turns import JobTurns
from app.sync.membership import Membership
from app.sync.receiver import Receiver
from app.sync.sealing.key_store import KeyStore
from app.sync.service import SyncService
from app.sync.snapshots.snapshot_keeper import SnapshotKeeper
from app.sync.sync_loop import SyncLoop

if TYPE_CHECKING:
    from app.sync.folding.row_settler import RowSettler


@dataclass(frozen=True, slots=True)
class SyncParts(Part):
    """Parts of synchronisation.

    Args:
        membership: The standing of this device among the machines.
        service: Joins the vault to others, and keeps them the same.
        devices: Lets machines in, names and removes them.
        loop: Does so in the background.
        turns: Says whose turn it is at work that one machine does for all.
    """

    membership: Membership
    service: SyncService
    devices: DeviceService
    loop: SyncLoop
    turns: JobTurns

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the synchronisation in the background."""
        return (*self.loop.tasks(), BackgroundTask("join requests", self.devices.watch, is_essential=False))

    @property
    def failures(self) -> Sequence[str]:
        """Why the other machines do not hear of this one, or the reverse."""
        return self.loop.failures

    def on_change(self, changes: ChangeSet) -> None:
        """Note a change of the vault."""
        self.loop.on_change(changes)

    async def close(self) -> None:
        """End the connections to where the changes are shared."""
        self.turns.close()
        self.membership.key_store.close()
        await self.service.close()


def build(runtime: Runtime, indexer: Indexer, erasure: ErasureService) -> SyncParts:
    """Build the parts of synchronisation.

    Args:
        runtime: What all parts share.
        indexer: Indexes what comes from other machines.
        erasure: Forgets for ever what another machine forgot.
    """
    entities = EntitySettler()
    # In this order, so that entities find the texts that they are claimed in.
    settlers: dict[str, RowSettler] = {
        "session": StateSettler("session", SessionApplier(indexer), _at_last),
        "memory": MemorySettler(indexer),
        "entity": entities,
        "schedule": StateSettler("schedule", ScheduleApplier(), _now, make_received),
        "saved_search": SavedSearchSettler(),
        "inbox_rule": StateSettler("inbox_rule", RULE_HISTORY, _at_last),
    }
    receiver = Receiver(settlers, TurnReceiver(indexer), entities, record_unrecorded)
    membership = Membership(runtime.store, runtime.clock, KeyStore())
    states = DeviceStates(runtime.store, runtime.clock, membership)
    snapshots = SnapshotKeeper(runtime.store, runtime.clock, states, receiver)
    service = SyncService(
        runtime.store, runtime.clock, membership, states, receiver, snapshots, erasure.obey, runtime.publish
    )
    devices = DeviceService(runtime.store, runtime.clock, membership, states, service, runtime.publish)
    turns = JobTurns(runtime.store, service, membership)
    return SyncParts(membership, service, devices, SyncLoop(service, runtime.publish), turns)


def _at_last(last_ms: int, _now_ms: int) -> int:
    return last_ms


def _now(_last_ms: int, now_ms: int) -> int:
    # A schedule that comes from another machine makes up for nothing.
    return now_ms
