"""Real vaults of one person that share a folder, and what they must agree on."""

import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import apsw

from app.core.clock import Clock, SystemClock
from app.host import Host
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.folding.row_settler import folded
from app.sync.model import SyncReport, SyncState
from app.sync.sealing.device_keys import DeviceKeys
from app.sync.sealing.key_manifest import SNAPSHOTS
from app.sync.segments.lane_sealer import LaneSealer
from app.sync.snapshots.snapshot_keeper import CompactionRule
from app.sync.sync_loop import SyncTiming
from tests.helpers.engine import engine_of
from tests.helpers.vaults import make_vault

if TYPE_CHECKING:
    from app.sync.joined_place import JoinedPlace

QUIET = {
    "embedding.model": "hashed",
    "backup.daily": False,
    "schedule.poll": 3600,
    "decay.enabled": False,
    "retention.enabled": False,
    "housekeeping.enabled": False,
    "consolidation.enabled": False,
    "enrichment.enabled": False,
    "reflection.enabled": False,
}
COMPACT_AT_ONCE = CompactionRule(segments=1, growth=0.0, look_ms=0, repair_ms=0)
"""Each segment makes a snapshot due, and goes as soon as all machines have it."""
COMPACT_ALONE = CompactionRule(segments=1, growth=0.0, look_ms=0, repair_ms=0, silent_ms=-1)
"""The others count as away for long, so that segments go that they have not got."""
AGREED = {
    "sessions": "SELECT id, title, agent, channel, trust, created_at, first_seen, forgotten_at, attributes"
    " FROM sessions",
    "aliases": "SELECT alias, session_id FROM session_aliases",
    "turns": "SELECT m.session_id, l.lane, coalesce(m.origin_seq, m.seq), m.role, m.author, m.content, m.tool_call_id,"
    " m.tool_name, m.tool_calls, m.payload, m.importance, m.tokens, m.created_at FROM messages m"
    " JOIN lanes l ON l.number = m.origin",
    "withheld": "SELECT m.session_id, l.lane, coalesce(m.origin_seq, m.seq), m.content FROM withheld_messages m"
    " JOIN lanes l ON l.number = m.origin",
    "summaries": "SELECT session_id, summary FROM session_state",
    "memories": "SELECT id, kind, title, content, facts, files, people, category, key, type, store, source, session_id,"
    " decay_rate, pinned, tokens, content_hash, event_time, created_at, updated_at, valid_until,"
    " expires_at, superseded_by, (SELECT json_group_array(json_array(key, value)) FROM"
    " (SELECT key, value FROM json_each(attributes) ORDER BY key)) FROM memories",
    "tags": "SELECT * FROM memory_tags",
    "archive": "SELECT id, kind, archived_at, reason FROM memory_archive",
    "entities": "SELECT id, canonical_name, type, summary, protected, merged_into, attributes FROM entities"
    " WHERE touched",
    "claims": "SELECT owner_kind, to_id FROM entity_claims",
    "relations": "SELECT subject_id, predicate, object_id, weight, source, created_at FROM relations",
    "schedules": "SELECT schedule_id, user_id, name, goal, cadence_json, notification_policy, status, created_at"
    " FROM schedules WHERE deleted_at IS NULL AND user_id <> 'keepsake'",
    "searches": "SELECT id, name, query FROM saved_searches WHERE deleted_at IS NULL",
    "rules": "SELECT agent, kind, action FROM inbox_rules",
    "history": "SELECT h.lane, h.n, h.hlc, h.target_kind, h.target, h.event, h.actor, h.run_id, h.at, u.lane, u.n"
    " FROM memory_history h LEFT JOIN memory_history u ON u.id = h.undone_by WHERE h.target_kind <> 'proposal'",
    "erasures": "SELECT lane, n, target_kind, target FROM erasures",
    "knowledge": "SELECT k.lane, k.n, k.of_lane, k.known FROM lane_knowledge k JOIN lanes l ON l.lane = k.lane"
    " WHERE k.n <= l.n",
}
_CONFIDENCES = (
    "SELECT id, confidence, EXISTS (SELECT 1 FROM confidence_runs r JOIN confidence_changes c ON c.run = r.number"
    " WHERE c.memory = m.rowid AND r.at = m.decayed_at AND c.after = m.confidence) FROM memories m"
)
"""Each memory's confidence, and whether it is lower for want of use on this machine."""


class Machine:
    """A vault of the person on one machine."""

    works_by_itself = True

    def __init__(
        self, vault: Path, folder: Path, clock: Clock | None = None, overrides: Mapping[str, object] | None = None
    ) -> None:
        self.vault = vault
        self.folder = folder
        self.clock = clock or SystemClock()
        self.overrides = {**QUIET, **(overrides or {})}
        self.folder.mkdir(exist_ok=True)
        if not self.vault.exists():
            make_vault(self.vault)
        self.start()

    def start(self) -> None:
        """Open the vault."""
        safe_mode = not self.works_by_itself
        self.host = Host(self.vault, serve=False, overrides=self.overrides, clock=self.clock, safe_mode=safe_mode)
        self.host.start()
        hasten(self.host)

    def stop(self) -> None:
        """Close the vault."""
        with suppress(Exception):
            self.host.ask("vault.settle")
        self.host.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def ask(self, operation: str, **arguments: Any) -> Any:
        """Call an operation as the person."""
        return self.host.ask(operation, **arguments)

    def share(self, place: Path | str | None = None, *, fills_anew: bool = False) -> SyncState:
        """Share the vault in its folder, or in another place."""
        self._pause()
        joining = engine_of(self.host).sync.service.join(str(place or self.folder), fills_anew=fills_anew)
        state: SyncState = self.host.submit(joining).result()
        return state

    def join(self, member: "Machine", place: Path | str | None = None) -> SyncState:
        """Share the vault where another machine does, which lets this one in."""
        self._pause()
        return let_in(self.host, member.host, str(place or self.folder), self.vault.name)

    def _pause(self) -> None:
        """Have it synchronise only when the test says so."""
        self.host.submit(engine_of(self.host).sync.service.pause()).result()

    def sync(self) -> SyncReport:
        """Take in what the others changed, and add what they lack."""
        report: SyncReport = self.host.submit(engine_of(self.host).sync.service.sync()).result()
        return report

    def point(self) -> ExchangePoint:
        """Return the place where the vault is shared."""
        joined: JoinedPlace = self.host.submit(engine_of(self.host).sync.service.joined()).result()
        return joined.point

    def sealer(self) -> tuple[DeviceKeys, LaneSealer]:
        """Return the keys of this machine, and what seals with them."""
        sync = engine_of(self.host).sync

        async def refreshed() -> tuple[DeviceKeys, LaneSealer]:
            joined = await sync.service.joined()
            assert joined is not None
            standing, sealer = await sync.membership.refreshed(joined.point, joined.vault)
            return standing.keys, sealer

        keys, sealer = self.host.submit(refreshed()).result()
        return keys, sealer

    def shared_texts(self) -> list[bytes]:
        """Return what all segments and snapshots at the place say, as a member reads it."""
        (_, sealer), point, texts = self.sealer(), self.point(), []
        for name in (name for prefix in (*point.lanes(), SNAPSHOTS) for name in point.names(prefix)):
            if "/k-" not in name:
                data = point.get(name)
                assert data is not None
                text = sealer.text(name, data)
                texts.append(text if "/h-" in name else zlib.decompress(text))
        return texts

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return what a query finds."""

        def work(connection: apsw.Connection) -> list[tuple[Any, ...]]:
            return connection.execute(sql, values).fetchall()

        rows: list[tuple[Any, ...]] = self.host.submit(engine_of(self.host).store.read(work)).result()
        return rows

    def agreed(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return all that the machines must agree on."""
        agreed = {name: sorted(self.rows(sql), key=repr) for name, sql in AGREED.items()}
        return agreed | {"confidences": self.confidences()}

    def confidences(self) -> list[tuple[Any, ...]]:
        """Return what was said of the confidence in each memory, without what the want of use on this machine took."""

        def work(connection: apsw.Connection) -> list[tuple[Any, ...]]:
            rows = connection.execute(_CONFIDENCES).fetchall()
            return sorted((row[0], _said(connection, str(row[0])) if row[2] else row[1]) for row in rows)

        confidences: list[tuple[Any, ...]] = self.host.submit(engine_of(self.host).store.read(work)).result()
        return confidences

    def contents(self) -> list[str]:
        """Return the texts of the memories that are there."""
        return [row[0] for row in self.rows("SELECT content FROM memories WHERE valid_until IS NULL ORDER BY content")]


M = TypeVar("M", bound=Machine)


@contextmanager
def machines_of(kind: type[M], folder: Path, *names: str) -> Iterator[list[M]]:
    """Open machines of a kind that have one folder to share, and close them in the end."""
    with ExitStack() as stack:
        machines: list[M] = []
        for name in names:
            machines.append(kind(folder / name, folder / "shared"))
            stack.enter_context(machines[-1])
        yield machines


def machines_in(folder: Path, *names: str) -> AbstractContextManager[list[Machine]]:
    """Open machines that have one folder to share, and close them in the end."""
    return machines_of(Machine, folder, *names)


def _said(connection: apsw.Connection, memory: str) -> Any:
    return (folded(connection, "memory", memory).whole or {})["confidence"]


def hasten(host: Host) -> None:
    """Let a vault look often for an answer to its request to join, and for what is new."""
    engine_of(host).sync.devices.look_s = 0.02
    engine_of(host).sync.loop.timing = SyncTiming(quiet=0.1, look=0.2, hear=0.2)


def compact(host: Host, rule: CompactionRule) -> None:
    """Let a vault write snapshots, and take segments away, by a rule."""
    engine_of(host).sync.service.snapshots.rule = rule


def let_in(host: Host, member: Host, place: str, name: str) -> SyncState:
    """Let a vault share where a member does, by the words of an invitation."""
    devices = engine_of(member).sync.devices
    words = member.submit(devices.invite()).result().words
    joining = host.submit(engine_of(host).sync.devices.join(words, place, name))
    while not joining.done():
        for request in member.submit(devices.requests()).result():
            member.submit(devices.approve(request.id)).result()
        time.sleep(0.02)
    state: SyncState = joining.result()
    return state


def share(first: Machine, *others: Machine) -> None:
    """Let the first machine share its vault in its folder, and all others join it."""
    first.share()
    for other in others:
        other.join(first)


def meet(*machines: Machine, rounds: int = 4) -> None:
    """Let all machines hear of all changes, and of what the others heard."""
    for _ in range(rounds):
        for machine in machines:
            machine.sync()


def settle(*machines: Machine, rounds: int = 3) -> None:
    """Let all machines hear of all changes, and check that they agree."""
    meet(*machines, rounds=rounds)
    first, *others = (machine.agreed() for machine in machines)
    for other in others:
        for name, found in first.items():
            assert other[name] == found, (name, set(other[name]) ^ set(found))
