"""Status, statistics, check, repair and rebuilding of a vault."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path

import apsw

from app import __version__
from app.changes import Area, Changed, ChangeSet
from app.core.clock import Clock, to_datetime
from app.core.facets import Facet
from app.core.files import from_os
from app.core.ids import uuid7
from app.core.stores import STORES
from app.entities.model import EntityFilter
from app.entities.queries import entity_lists
from app.errors import KeepsakeError, VaultDamagedError
from app.index import rebuild
from app.index.worker import IndexWorker
from app.jobs import Jobs
from app.sentence import Sentence, counted_sentence
from app.store import meta
from app.store.store import Store
from app.upkeep.backups.backup_service import first_write
from app.upkeep.checks import repair
from app.upkeep.checks.integrity_check import backup_findings, findings
from app.upkeep.checks.word_index_check import is_word_index_sound, word_index_damage
from app.upkeep.model import CheckReport, FileSize, Finding, RepairReport, VaultStats, VaultStatus

_NO_LIMIT_S = 24 * 3600.0


class UpkeepService:
    """Looks after one vault.

    Args:
        store: Its database.
        sync: The index's background work.
        jobs: Long work under way.
        embedder: Gives the name of what makes vectors.
        failures: Gives sentences about background work that failed.
        clock: Where the time comes from.
        settings: Gives what is wrong with the settings.
    """

    def __init__(
        self,
        store: Store,
        sync: IndexWorker,
        jobs: Jobs,
        embedder: Callable[[], str],
        failures: Callable[[], Sequence[str]],
        clock: Clock,
        settings: Callable[[], Sequence[Finding]],
    ) -> None:
        self._store = store
        self._clock = clock
        self._settings = settings
        self._rebuilding = asyncio.Lock()
        self._rebuild_failure = ""
        self._sync = sync
        self._jobs = jobs
        self._embedder = embedder
        self._failures = failures

    async def status(self) -> VaultStatus:
        """Return how the vault stands."""
        index = await self._sync.state()
        sessions, memories = await self._store.read(_content_counts)
        return VaultStatus(
            vault=str(self._store.vault),
            version=__version__,
            schema=self._store.schema,
            embedder=self._embedder(),
            sessions=sessions,
            memories=memories,
            total_chunks=index.chunks,
            pending_vectors=index.pending,
            jobs=tuple(self._jobs.all()),
            read_only=self._store.read_only.sentence if self._store.read_only is not None else "",
            notes=tuple(
                filter(None, (index.failure, self._rebuild_failure, _withheld(index.withheld), *self._failures()))
            ),
        )

    async def stats(self) -> VaultStats:
        """Return the counts of all that the vault holds, and its size on disk."""
        index = await self._sync.state()
        sessions, memories = await self._store.read(_content_counts)
        messages, kinds, stores, entities = await self._store.read(_counts)
        files = await asyncio.to_thread(_file_sizes, self._store.vault)
        return VaultStats(
            sessions=sessions,
            messages=messages,
            memories=memories,
            kinds=kinds,
            stores=stores,
            entities=entities,
            chunks=index.chunks,
            embedded=index.chunks - index.pending - index.withheld,
            pending=index.pending,
            disk_bytes=sum(file.bytes for file in files if file.name.startswith("memory.db")),
            files=files,
        )

    async def check(self) -> CheckReport:
        """Return what is wrong with the vault."""
        begun = time.perf_counter()
        vault: Path = self._store.vault
        all_findings = await self._store.read(lambda connection: findings(connection, vault), limit_s=_NO_LIMIT_S)
        if self._store.read_only is not None:
            all_findings.append(_unchecked_words())
        elif not await self._store.read(rebuild.is_unfinished):
            words = await self._words()
            all_findings += [] if words is None else [words]
        since = await self._store.read(first_write)
        all_findings += await asyncio.to_thread(self._settings)
        all_findings += await asyncio.to_thread(lambda: list(backup_findings(vault, since, self._now())))
        sound = not any(item.severity == "error" for item in all_findings)
        return CheckReport(sound, tuple(all_findings), time.perf_counter() - begun)

    async def _words(self) -> Finding | None:
        try:
            return await self._store.write(is_word_index_sound, is_stoppable=True)
        except VaultDamagedError as error:
            # So damaged that not even the end of the transaction can look at it.
            return word_index_damage(str(error.data.get("sqlite", "")))

    async def repair(self, actor: str, reread: Callable[[], Awaitable[None]]) -> Changed[RepairReport]:
        """Rebuild the derived data that a check finds wrong, and check again.

        Args:
            actor: Who asked.
            reread: Lets everything be read for names again.

        Raises:
            VaultDamagedError: The damage is not only in derived data; nothing was changed.
        """
        before = await self.check()
        deep = [item.what for item in before.findings if item.area == "database" and not item.is_mended_by_repair]
        if deep:
            raise repair.refusal(deep[0])
        wrong = {item.area for item in before.findings if item.is_mended_by_repair}
        done: list[str] = []
        if wrong - {"files"}:
            for step in repair.STEPS:
                done += await self._store.write(repair.guarded(step), is_stoppable=True)
        if wrong & {"words", "vectors", "references"}:
            count = (await self.reindex(actor)).value
            await reread()
            done.append(
                counted_sentence(
                    count,
                    "Made the search index of 1 message or memory anew.",
                    "Made the search index of {count} messages and memories anew.",
                )
            )
        if "files" in wrong:
            done += await self._close_files()
        await self._sync.wait_idle()
        after = await self.check()
        remaining = tuple(item for item in after.findings if item.severity == "error" or not item.is_mended_by_repair)
        areas: frozenset[Area] = frozenset({"sessions", "messages", "memories", "tags", "links", "entities", "index"})
        return Changed(
            RepairReport(after.ok, tuple(done), remaining), ChangeSet(areas if done else frozenset(), (), actor)
        )

    async def _close_files(self) -> list[str]:
        try:
            return await asyncio.to_thread(repair.permissions, self._store.vault)
        except OSError as error:
            raise from_os(error, self._store.vault) from error

    async def reindex(self, actor: str) -> Changed[int]:
        """Rebuild everything derived from messages and memories, in short transactions.

        Returns:
            How many messages and memories were indexed.
        """
        async with self._rebuilding:
            done = await self._rebuild(await self._store.write(rebuild.begin, is_stoppable=True))
        return Changed(done, ChangeSet(frozenset({"index"}), (), actor))

    async def begin(self, reread: Callable[[], Awaitable[None]]) -> None:
        """Prepare a vault after opening: give a new one its id, resume a rebuild.

        Args:
            reread: Lets everything be read for names again.
        """
        try:
            async with self._rebuilding:
                await self._store.write(_identify)
                position = await self._store.write(rebuild.unfinished, is_stoppable=True)
                if position is not None:
                    await self._rebuild(position)
                    await reread()
            self._rebuild_failure = ""
        except KeepsakeError as error:
            self._rebuild_failure = Sentence("The search index could not be made anew: {why}", why=error.sentence)

    async def wait_rebuilt(self) -> None:
        """Return once no rebuild is under way."""
        async with self._rebuilding:
            pass

    async def _rebuild(self, position: rebuild.RebuildPosition | None) -> int:
        done = 0
        while position is not None:
            position, count = await self._store.write(rebuild.next_step(position), is_stoppable=True)
            done += count
        self._sync.wake()
        return done

    def _now(self) -> datetime:
        return to_datetime(self._clock.now_ms())


def _unchecked_words() -> Finding:
    what = Sentence("The words of the search index were not checked: that needs a vault that can be written.")
    return Finding("words", "warning", what, Sentence("Free some space or make the folder writable, and check again."))


def _withheld(count: int) -> str:
    if not count:
        return ""
    return counted_sentence(
        count,
        "1 private text is not sent to the embedding service and found by words only; the"
        " setting embedding.send_private changes that.",
        "{count} private texts are not sent to the embedding service and found by words only;"
        " the setting embedding.send_private changes that.",
    )


def _identify(connection: apsw.Connection) -> None:
    meta.read_or_write(connection, "vault_id", uuid7())


def _content_counts(connection: apsw.Connection) -> tuple[int, int]:
    return (
        int(connection.execute("SELECT count(*) FROM sessions WHERE forgotten_at IS NULL").get),
        int(connection.execute("SELECT count(*) FROM memories WHERE valid_until IS NULL").get),
    )


def _counts(connection: apsw.Connection) -> tuple[int, tuple[Facet, ...], tuple[Facet, ...], int]:
    messages = connection.execute("SELECT coalesce(sum(message_count), 0) FROM sessions WHERE forgotten_at IS NULL").get
    entities = entity_lists.count(connection, EntityFilter(), stores=STORES)
    return int(messages), _memory_counts(connection, "kind"), _memory_counts(connection, "store"), entities


def _memory_counts(connection: apsw.Connection, column: str) -> tuple[Facet, ...]:
    rows = connection.execute(
        f"SELECT {column}, count(*) FROM memories WHERE valid_until IS NULL GROUP BY {column}"
        f" ORDER BY count(*) DESC, {column}"
    )
    return tuple(Facet(str(name), int(str(count))) for name, count in rows)


def _file_sizes(vault: Path) -> tuple[FileSize, ...]:
    """Return the size of each file and folder of the vault.

    What vanishes meanwhile is left out.
    """
    sizes = [FileSize(path.name, _size(path)) for path in vault.iterdir() if not path.is_symlink()]
    return tuple(sorted(sizes, key=lambda file: (-file.bytes, file.name)))


def _size(path: Path) -> int:
    """Return the bytes of a file, or of all files below a folder.

    Links count nothing.
    """
    try:
        if path.is_dir():
            return sum(_size(child) for child in path.iterdir() if not child.is_symlink())
        return path.lstat().st_size
    except (FileNotFoundError, PermissionError):  # the check names what cannot be read
        return 0
