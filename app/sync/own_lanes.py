"""Lanes that are or were written here, and what of them is in the exchange."""

import logging
from functools import partial

import apsw

from app.core.process.daemon_thread import in_daemon_thread
from app.erasure import erasures
from app.errors import ExchangeError
from app.store import lanes, meta
from app.store.lane_identity import was_written_here
from app.store.store import Store
from app.sync.device_states import REWRITTEN
from app.sync.membership import UNPROVEN
from app.sync.sealed_exchange import SealedExchange
from app.sync.sealing.signed_text import TornError
from app.sync.segments import lane_chain, lane_rows
from app.sync.segments.lane_sealer import OtherEpochError
from app.sync.segments.lane_segment import Forgotten
from app.sync.snapshots.snapshot_keeper import SnapshotKeeper

_log = logging.getLogger(__name__)


class HeldOpenError(Exception):
    """An import runs, so that nothing can be sealed."""


class OwnLanes:
    """Keeps what was written here whole in the exchange.

    Args:
        store: The vault's database.
        snapshots: Tells what no segment needs to have.
    """

    def __init__(self, store: Store, snapshots: SnapshotKeeper) -> None:
        self._store = store
        self._snapshots = snapshots

    async def leave_copied(self, joined: SealedExchange) -> None:
        """Begin a new lane where the exchange knows the own one better than this vault.

        Then the vault was copied, or put back from a backup, and its former lane is pulled like that of others.
        """

        def own(connection: apsw.Connection) -> tuple[int, int, str]:
            lane = lanes.own(connection)
            return (0, 0, "") if lane is None else (lane.lane, *lane_rows.mark(connection, lane.lane))

        lane, after, digest = await self._store.read(own)
        if not lane:
            return
        for found in await in_daemon_thread(lane_chain.objects_of, joined.point, lane):
            if found.last <= after:
                continue
            data = await in_daemon_thread(joined.point.get, found.name)
            try:
                theirs = None if data is None else joined.sealer.header(found.name, data).digest
            except OtherEpochError:
                raise
            except (TornError, ExchangeError):
                theirs = None
            ours = await self._store.read(partial(joined.digest, lane, after, found.last, digest))
            if theirs is None or ours != theirs:
                _log.warning("the exchange knows more of this vault's lane than the vault; a new lane begins")
                if not await self._store.begin_lane():
                    raise HeldOpenError
                return
            # It was put there before the vault could note so.
            after, digest = found.last, theirs
            await self._store.write(partial(_set_mark, lane, after, digest))

    async def rewind(self, joined: SealedExchange) -> None:
        """Go back to the last whole segment of each own lane that lost some.

        Where this device has other keys than before, also to the last one that opens.
        """

        def shared(connection: apsw.Connection) -> list[tuple[int, int]]:
            rows = connection.execute("SELECT lane, shared_n FROM lanes WHERE was_own AND shared_n > 0")
            return [(int(str(lane)), int(str(n))) for lane, n in rows]

        covered = await self._snapshots.covered()
        is_unproven = await self._store.read(partial(meta.read, key=UNPROVEN)) is not None
        last_whole = lane_chain.last_opening if is_unproven else lane_chain.last_whole
        for lane, n in await self._store.read(shared):
            objects = await in_daemon_thread(lane_chain.objects_of, joined.point, lane)
            has_all = lane_chain.is_without_gap(objects, n, covered.get(lane, 0))
            if has_all and not is_unproven:
                continue
            last, digest = await in_daemon_thread(last_whole, joined.point, joined.sealer, lane)
            if has_all and last >= n:
                continue
            _log.warning("segments of a lane that was written here are lost; they are written anew")
            for one in objects:
                if one.first > last and one.last <= n:  # it is here as a whole
                    await in_daemon_thread(joined.point.remove, one.name)
            await self._store.write(partial(_set_mark, lane, min(last, n), digest))
        if is_unproven:
            await self._store.write(partial(meta.remove, key=UNPROVEN))

    async def push(self, joined: SealedExchange) -> int:
        """Add the sealed changes of all lanes that were written here; return how many segments."""
        added = 0

        def unsent(connection: apsw.Connection) -> list[tuple[int, int, str]]:
            rows = connection.execute(
                "SELECT lane, shared_n, digest FROM lanes WHERE was_own AND shared_n < sealed ORDER BY number"
            )
            return [(int(str(lane)), int(str(n)), str(digest)) for lane, n, digest in rows]

        for lane, shared, previous in await self._store.read(unsent):
            after, digest = shared, previous
            while (made := await self._store.read(partial(joined.sealed, lane, after, digest))) is not None:
                name, data, following, last = made
                if not await in_daemon_thread(joined.keep, name, data):
                    raise ExchangeError(
                        "Two copies of this vault wrote to one place at the same time. The next time sets it right.",
                        lane=f"{lane:016x}",
                    )
                after, digest, added = last, following, added + 1
                await self._store.write(partial(_set_mark, lane, after, digest))
        return added

    async def rewrite(self, joined: SealedExchange) -> None:
        """Write the segments of own lanes and of removed devices anew without what was forgotten."""

        def work(connection: apsw.Connection) -> tuple[dict[int, int], str, str | None]:
            rows = connection.execute("SELECT lane, n, was_own FROM lanes").fetchall()
            # A vault that was put back does not know as its own what was written after its copy was made.
            own = {int(str(lane)): int(str(n)) for lane, n, was in rows if was or was_written_here(int(str(lane)))}
            return own, str(erasures.count(connection)), meta.read(connection, REWRITTEN)

        own, count, done = await self._store.read(work)
        if count == (done or "0"):
            return
        for lane in await in_daemon_thread(joined.lanes_of_removed):
            own.setdefault(lane, 0)
        is_done = True
        for lane, n in own.items():
            forgotten = await self._store.read(partial(_forgotten, lane))
            is_done &= await in_daemon_thread(lane_chain.rewrite, joined.point, joined.sealer, lane, n, forgotten)
        is_done &= await self._snapshots.forget(joined)
        if is_done:
            await self._store.write(lambda connection: meta.write(connection, REWRITTEN, count))


def _forgotten(lane: int, connection: apsw.Connection) -> Forgotten:
    ids = frozenset(target.id for target in erasures.all_targets(connection) if target.kind != "entity")
    known = connection.execute("SELECT n FROM lanes WHERE lane = ?", (lane,)).get or 0
    return Forgotten(ids, erasures.entities_until(connection, lane), int(known))


def _set_mark(lane: int, n: int, digest: str, connection: apsw.Connection) -> None:
    lane_rows.set_mark(connection, lane, n, digest)
