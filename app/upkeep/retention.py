"""Retention: old observations become digests, move to the archive, and leave it after a year."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from app.changes import Changed
from app.core.access import Access
from app.core.clock import DAY_MS, Clock
from app.core.item_batches import batched
from app.memories.archive.service import ArchiveService
from app.memories.digests.clusters import Cluster
from app.memories.digests.compression import ACTOR, CompressionService
from app.memories.digests.digest_writer import DigestWriter
from app.memories.queries.memory_queries import MemoryQueries
from app.schedule.model import Cadence, JobResult, Sharing
from app.sentence import Sentence, counted_sentence, joined
from app.upkeep.upkeep_job import PlannedChange, UpkeepPlan, UpkeepRun, daily

_SHOWN = 100
_STAGES = ("compressed", "archived", "deleted")
_TOGETHER = 10  # memories moved in one transaction


@dataclass(frozen=True, slots=True)
class RetentionOptions:
    """Settings ``retention.*``; see there."""

    is_enabled: bool
    time: str
    compress_after_days: int
    min_cluster_size: int
    archive_after_days: int
    delete_archive_after_days: int
    max_rows_per_run: int


@dataclass(slots=True)
class _Progress:
    done: int = 0
    total: int = 0
    cost: float = 0.0
    turns: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("digests", *_STAGES), 0))


class Retention:
    """The nightly retention of observations, in three stages of at most ``max_rows_per_run`` rows each.

    Similar observations become a digest, idle ones go to the archive, and what lies there for long is deleted; the
    history keeps a copy of that, by which the run can be undone. Notes, facts, reflections, digests and pinned
    observations are left alone, except that other things than notes leave the archive like observations.

    Args:
        compression: Makes digests.
        writer: Writes them by a language model, where there is one.
        archive: The archive.
        queries: Reads memories.
        clock: The source of the time.
        options: Returns the settings that count now.
    """

    name = ACTOR
    title = "Retention"
    goal = "Compress similar old observations, archive idle ones, and clean up the archive."
    unit = "memories"
    sharing: Sharing = "one"

    def __init__(
        self,
        compression: CompressionService,
        writer: DigestWriter,
        archive: ArchiveService,
        queries: MemoryQueries,
        clock: Clock,
        options: Callable[[], RetentionOptions],
    ) -> None:
        self._compression = compression
        self._writer = writer
        self._archive = archive
        self._queries = queries
        self._clock = clock
        self._options = options

    def cadences(self) -> tuple[Cadence, ...]:
        """Return its time of day; see ``UpkeepJob``."""
        return (daily(self._options().time),)

    def is_enabled(self) -> bool:
        """Return whether the settings let it run by itself."""
        return self._options().is_enabled

    def is_harmless(self) -> bool:
        """Return True where no model is asked: rules make one digest of the same observations."""
        return not self._writer.is_available

    async def plan(self) -> UpkeepPlan:
        """Return the digests it would write and what it would move and delete; see ``UpkeepJob``."""
        clusters = await self._clusters()
        compressed = {memory_id for cluster in clusters for memory_id in cluster.ids}
        archived = [identity for identity in await self._idle() if identity not in compressed]
        deleted = await self._outdated()
        changes = [
            PlannedChange("compress", cluster.ids[0], cluster.title, _into_one_digest(len(cluster.ids)))
            for cluster in clusters[:_SHOWN]
        ]
        room = _SHOWN - len(changes)
        rows = {
            row.id: row
            for row in await self._queries.rows(Access.everything(ACTOR, "upkeep.retention"), archived[:room])
        }
        changes += [
            PlannedChange(
                "archive",
                identity,
                rows[identity].title or rows[identity].preview if identity in rows else "",
                Sentence("to the archive"),
            )
            for identity in archived[:room]
        ]
        for change in deleted[: _SHOWN - len(changes)]:
            there = (await self._archive.get(Access.everything(ACTOR, "upkeep.retention"), change)).memory
            changes.append(
                PlannedChange("delete", change, there.title or there.content[:100], Sentence("from the archive"))
            )
        counts = dict(zip(_STAGES, (len(compressed), len(archived), len(deleted)), strict=True))
        notes = (
            (
                Sentence(
                    "What is deleted leaves the archive; only the history keeps it, by which an undo brings it back."
                ),
            )
            if deleted
            else ()
        )
        total = len(clusters) + len(archived) + len(deleted)
        summary = _summary(counts | {"digests": len(clusters)}, is_plan=True)
        return UpkeepPlan(self.name, summary, total, tuple(changes), notes)

    async def apply(self, run: UpkeepRun) -> JobResult:
        """Compress, archive and clean up; see ``UpkeepJob``."""
        done = _Progress()
        await self._compress(run, done)
        idle = await self._idle()
        await self._each(run, done, "archived", idle, self._put)
        await self._each(run, done, "deleted", await self._outdated(), self._clean)
        return JobResult(_summary(done.counts), done.turns, done.cost, counts=done.counts)

    async def _compress(self, run: UpkeepRun, done: _Progress) -> None:
        before = self._before(self._options().compress_after_days)
        clusters = await self._clusters()
        done.total += sum(len(cluster.ids) for cluster in clusters)
        for cluster in clusters:
            if run.job.is_cancelled():
                return
            text = None
            if self._writer.is_available:
                text, cost = await self._writer.statements(await self._compression.observations(cluster))
                done.turns, done.cost = done.turns + 1, done.cost + cost
            summary = await self._compression.compress(cluster, before, text, run.id)
            if summary.value is not None:
                done.counts["digests"] += 1
                done.counts["compressed"] += len(cluster.ids)
                run.publish(summary.changes)
            _advance(run, done, len(cluster.ids))
            await asyncio.sleep(0)

    async def _each(
        self,
        run: UpkeepRun,
        done: _Progress,
        stage: str,
        ids: list[str],
        work: Callable[[list[str], str], Awaitable[Changed[int]]],
    ) -> None:
        done.total += len(ids)
        for batch in batched(ids, _TOGETHER):
            if run.job.is_cancelled():
                return
            moved = await work(batch, run.id)
            done.counts[stage] += moved.value
            run.publish(moved.changes)
            _advance(run, done, len(batch))
            await asyncio.sleep(0)

    async def _put(self, ids: list[str], run_id: str) -> Changed[int]:
        why = f"idle for {self._options().archive_after_days} days"
        moved = await self._archive.put(Access.everything(ACTOR, "upkeep.retention", run_id), ids, why)
        return Changed(len(moved.value.ids), moved.changes)

    async def _clean(self, ids: list[str], run_id: str) -> Changed[int]:
        return await self._archive.clean_recorded(Access.everything(ACTOR, "upkeep.retention", run_id), ids)

    async def _clusters(self) -> list[Cluster]:
        options = self._options()
        before = self._before(options.compress_after_days)
        return await self._compression.clusters(before, options.min_cluster_size, options.max_rows_per_run)

    async def _idle(self) -> list[str]:
        options = self._options()
        return await self._archive.old_observations(options.archive_after_days, options.max_rows_per_run)

    async def _outdated(self) -> list[str]:
        options = self._options()
        return await self._archive.to_clean(options.delete_archive_after_days, options.max_rows_per_run)

    def _before(self, days: int) -> int:
        return self._clock.now_ms() - days * DAY_MS


def _advance(run: UpkeepRun, done: _Progress, count: int) -> None:
    done.done += count
    run.job.advance(done.done, done.total)


def _summary(counts: dict[str, int], *, is_plan: bool = False) -> str:
    parts = {
        "compressed": _compressed(counts["compressed"], counts["digests"], is_plan=is_plan),
        "archived": _archived(counts["archived"], is_plan=is_plan),
        "deleted": _deleted(counts["deleted"], is_plan=is_plan),
    }
    if not any(counts[name] for name in parts):
        return Sentence("No observation is old enough.") if is_plan else Sentence("No observation was old enough.")
    return joined(part for name, part in parts.items() if counts[name])


def _compressed(count: int, digest_count: int, *, is_plan: bool) -> Sentence:
    digests = counted_sentence(digest_count, "1 digest", "{count} digests")
    if is_plan:
        return counted_sentence(
            count,
            "Would compress 1 observation into {digests}.",
            "Would compress {count} observations into {digests}.",
            digests=digests,
        )
    return counted_sentence(
        count,
        "Compressed 1 observation into {digests}.",
        "Compressed {count} observations into {digests}.",
        digests=digests,
    )


def _archived(count: int, *, is_plan: bool) -> Sentence:
    if is_plan:
        return counted_sentence(count, "Would archive 1 observation.", "Would archive {count} observations.")
    return counted_sentence(count, "Archived 1 observation.", "Archived {count} observations.")


def _deleted(count: int, *, is_plan: bool) -> Sentence:
    if is_plan:
        return counted_sentence(
            count,
            "Would delete 1 observation after its time in the archive.",
            "Would delete {count} observations after their time in the archive.",
        )
    return counted_sentence(
        count,
        "Deleted 1 observation after its time in the archive.",
        "Deleted {count} observations after their time in the archive.",
    )


def _into_one_digest(count: int) -> Sentence:
    return counted_sentence(count, "1 observation into one digest", "{count} observations into one digest")
