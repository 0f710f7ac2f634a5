"""Status, statistics, check, backup and rebuilding of a vault."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import apsw

from app import __version__
from app.changes import Changed, ChangeSet
from app.index.sync import IndexSync
from app.jobs import Jobs
from app.memories.model import Facet
from app.store.store import Store
from app.upkeep import rebuild
from app.upkeep.check import findings
from app.upkeep.model import CheckReport, VaultStats, VaultStatus

if TYPE_CHECKING:
    from pathlib import Path

_NO_LIMIT_S = 24 * 3600.0


class CareService:
    """Looks after one vault.

    Args:
        store: Its database.
        sync: The index's background work.
        jobs: Long work under way.
        embedder: The name of what makes vectors.
        failures: Gives sentences about background work that failed.
    """

    def __init__(
        self, store: Store, sync: IndexSync, jobs: Jobs, embedder: str, failures: Callable[[], Sequence[str]]
    ) -> None:
        self._store = store
        self._sync = sync
        self._jobs = jobs
        self._embedder = embedder
        self._failures = failures

    async def status(self) -> VaultStatus:
        """Return how the vault stands."""
        index = await self._sync.state()
        sessions, memories = await self._store.read(_heads)
        return VaultStatus(
            vault=str(self._store.vault),
            version=__version__,
            schema=self._store.schema,
            embedder=self._embedder,
            sessions=sessions,
            memories=memories,
            total_chunks=index.chunks,
            pending_vectors=index.pending,
            jobs=tuple(self._jobs.all()),
            notes=(*((index.failure,) if index.failure else ()), *self._failures()),
        )

    async def stats(self) -> VaultStats:
        """Return what the vault holds."""
        index = await self._sync.state()
        sessions, memories = await self._store.read(_heads)
        messages, kinds = await self._store.read(_counts)
        return VaultStats(
            sessions=sessions,
            messages=messages,
            memories=memories,
            kinds=kinds,
            chunks=index.chunks,
            embedded=index.chunks - index.pending,
            pending=index.pending,
            disk_bytes=sum(path.stat().st_size for path in self._store.vault.glob("memory.db*")),
        )

    async def check(self) -> CheckReport:
        """Return what is wrong with the vault."""
        begun = time.perf_counter()
        vault: Path = self._store.vault
        found = await self._store.read(lambda connection: findings(connection, vault), limit_s=_NO_LIMIT_S)
        words = await self._store.write(rebuild.words_are_sound)
        found += [] if words is None else [words]
        sound = not any(item.severity == "error" for item in found)
        return CheckReport(sound, tuple(found), time.perf_counter() - begun)

    async def back_up(self, reason: str) -> str:
        """Copy the vault's database into its ``backups`` and return the copy's path."""
        return str(await self._store.back_up(reason))

    async def reindex(self, actor: str) -> Changed[int]:
        """Rebuild everything derived from turns and memories, in short transactions.

        Returns:
            How many turns and memories were indexed.
        """
        await self._store.write(rebuild.clear)
        done = 0
        position: rebuild.Position | None = rebuild.START
        while position is not None:
            position, count = await self._store.write(rebuild.next_step(position))
            done += count
        self._sync.wake()
        return Changed(done, ChangeSet(frozenset({"index"}), (), actor))


def _heads(connection: apsw.Connection) -> tuple[int, int]:
    return (
        int(connection.execute("SELECT count(*) FROM sessions WHERE forgotten_at IS NULL").get),
        int(connection.execute("SELECT count(*) FROM memories WHERE valid_until IS NULL").get),
    )


def _counts(connection: apsw.Connection) -> tuple[int, tuple[Facet, ...]]:
    messages = connection.execute("SELECT coalesce(sum(message_count), 0) FROM sessions WHERE forgotten_at IS NULL").get
    kinds = connection.execute(
        "SELECT kind, count(*) FROM memories WHERE valid_until IS NULL GROUP BY kind ORDER BY count(*) DESC, kind"
    )
    return int(messages), tuple(Facet(name, count) for name, count in kinds)
