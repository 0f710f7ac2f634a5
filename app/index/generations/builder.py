"""Resumable builder of a generation in the background, while another one is active."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import apsw

from app.changes import ChangeSet, Event
from app.core.clock import Clock
from app.core.error_location import error_location
from app.errors import InputError, KeepsakeError
from app.index import repo
from app.index.generations import generation_repo
from app.index.generations.active import ActiveEmbedding, GenerationManager
from app.index.generations.active_ann_cache import ActiveAnnCache
from app.index.vectors.vector_repo import HAS_VECTOR
from app.jobs import Job, Jobs
from app.sentence import Sentence
from app.store.store import Store
from app.trace.trace import Trace

if TYPE_CHECKING:
    from app.index.vectors.vector_repo import Generation

_log = logging.getLogger(__name__)

JOB: Final = "embedding"
ACTOR: Final = "embedding"
BATCH: Final = 256
RETRY_S: Final = 60.0
CLEANUP_S: Final = 3_600.0
_REST_S: Final = 0.25


class GenerationBuilder:
    """Background worker that builds, activates and drops generations.

    A generation that was inactive for a week is dropped.

    Args:
        store: The vault's database.
        clock: The clock.
        generations: The active generation and the one being built.
        jobs: Lists the build as a job; cancelling that pauses it.
        publish: Receives an event when another generation becomes active.
        ann_cache: The approximate vector index of the active generation, and that of the one being built.
        batch: The number of texts embedded at once.
        retry_s: Seconds after which a failed build is tried again.
        trace: Receives batches and switches.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        generations: GenerationManager,
        jobs: Jobs,
        publish: Callable[[Event], None],
        ann_cache: ActiveAnnCache,
        *,
        batch: int = BATCH,
        retry_s: float = RETRY_S,
        trace: Trace | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._generations = generations
        self._jobs = jobs
        self._publish = publish
        self._ann_cache = ann_cache
        self._batch = batch
        self._retry_s = retry_s
        self._trace = trace or Trace()
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._is_over = False
        self.failure = ""
        generations.on_build_started = self.wake

    def wake(self) -> None:
        """Wake the builder, because there may be something to build."""
        if not self._is_over:  # the builder would never become idle again
            self._idle.clear()
        self._wake.set()

    async def wait_idle(self) -> None:
        """Return when nothing is left to build, or the build is paused or fails."""
        await self._idle.wait()

    async def run(self) -> None:
        """Work until cancelled."""
        self._is_over = False
        self.wake()
        try:
            while True:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._retry_s if self.failure else CLEANUP_S):
                        await self._wake.wait()
                self._wake.clear()
                await self._guarded_round()
                if not self._wake.is_set():
                    self._idle.set()
        except Exception as error:
            self.failure = Sentence(
                "Building the vectors stopped after an error in Keepsake ({error}). Restart it.",
                error=type(error).__name__,
            )
            _log.error("building vectors broke: %s", error_location(error))
            raise
        finally:
            self._is_over = True
            self._idle.set()

    async def _guarded_round(self) -> None:
        try:
            while await self._store.write(
                lambda connection: generation_repo.drop_one_expired(connection, self._clock.now_ms())
            ):
                self._trace.event("embedding.dropped")
            building = await self._generations.building()
            # The event of the start was handled by this round.
            self._wake.clear()
            if building is not None and not await self._store.read(generation_repo.is_paused, is_background=True):
                await self._build(building)
            self.failure = ""
        except KeepsakeError as error:
            self.failure = error.sentence
            _log.info("building vectors stopped: %s", error.code)
            self._trace.event("embedding.failed", error=error.code)

    async def _build(self, building: ActiveEmbedding) -> None:
        try:
            job = self._jobs.begin(f"Preparing search by meaning with {building.source.model}", "texts", JOB)
        except InputError:
            return  # the round under way checks again what to build
        state = "failed"
        try:
            state = await self._build_all(building, job)
        except asyncio.CancelledError:
            state = "cancelled"
            raise
        finally:
            self._jobs.end(job, state)

    async def _build_all(self, building: ActiveEmbedding, job: Job) -> str:
        """Build the generation, activate it, and return the job's final state."""
        may_send = self._generations.builds_private()
        total, done = await self._store.read(partial(_extent, generation=building.generation, may_send=may_send))
        after, is_again, is_warm = 0, False, False
        job.advance(done, total)
        while True:
            if (ended := await self._stopped(building, job)) is not None:
                return ended
            find = partial(
                generation_repo.chunks_without_vector,
                generation=building.generation,
                limit=self._batch,
                may_send=may_send,
            )
            texts, after = await self._store.read(partial(find, after=after), is_background=True)
            if texts:
                done, is_again = done + len(texts), False
                await self._store_some(building, texts)
                job.advance(min(done, total), total)
            elif is_again:
                break
            else:
                # Once more from the first chunk, for texts that were added or restored meanwhile.
                after, is_again = 0, True
                is_warm = is_warm or await self._prepare_ann_cache(building)
        await self._complete(building, done)
        return "finished"

    async def _prepare_ann_cache(self, building: ActiveEmbedding) -> bool:
        """Build the approximate vector index, and return whether it was built.

        A generation that waits for a switch has none.
        """
        if await self._store.read(partial(generation_repo.waits_for_switch, generation=building.generation)):
            return False
        await self._ann_cache.prepare(building.generation)
        return True

    async def _complete(self, building: ActiveEmbedding, done: int) -> None:
        """Activate a complete generation, unless it waits for a switch."""
        if await self._store.write(partial(generation_repo.note_ready, generation=building.generation)):
            self._trace.event("embedding.ready", texts=done)
        elif await self._generations.switch():
            self._trace.event("embedding.switched", texts=done)
        else:
            return
        self._publish(ChangeSet(frozenset({"index"}), (), ACTOR))

    async def _stopped(self, building: ActiveEmbedding, job: Job) -> str | None:
        """Return the final state if the build must stop now, ``None`` if it goes on."""
        if job.is_cancelled():
            # When Keepsake quits, the build stops here.
            await asyncio.sleep(0)
            await self._store.write(partial(generation_repo.pause, is_paused=True))
        if await self._store.read(generation_repo.is_paused, is_background=True):
            return "cancelled"
        current = await self._generations.building()
        return None if current is not None and current.embedder is building.embedder else "cancelled"

    async def _store_some(self, building: ActiveEmbedding, texts: Sequence[repo.PendingText]) -> None:
        begun = time.monotonic()
        vectors = await asyncio.to_thread(building.embed, [text.text for text in texts])
        store = partial(generation_repo.store_built, generation=building.generation, texts=texts, made=vectors)
        stored = await self._store.write(store, is_derived=True)
        await self._ann_cache.add_prepared(building.generation, stored)
        self._trace.event("embedding.batch", texts=len(texts))
        # Searches and writes get half of the time.
        await asyncio.sleep(min(time.monotonic() - begun, _REST_S))


def _extent(connection: apsw.Connection, generation: "Generation", *, may_send: bool) -> tuple[int, int]:
    done = generation_repo.count(connection, generation)
    sql = f"SELECT count(*) FROM chunks WHERE {HAS_VECTOR} AND (? OR store <> 'private')"
    return max(done, int(connection.execute(sql, (may_send,)).get)), done
