"""Index worker: passages of sessions and vectors of new chunks, in the background.

The work can be resumed at any point.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import apsw

from app.core.clock import Clock
from app.core.error_location import error_location
from app.errors import KeepsakeError
from app.index import long_memories, repo, session_reindex
from app.index.generations import generation_repo
from app.index.generations.active import ActiveEmbedding, GenerationManager
from app.index.generations.active_ann_cache import ActiveAnnCache
from app.index.indexer import Indexer
from app.index.model import IndexState, StepSize
from app.index.passage_builder import build_passages
from app.index.vectors import vector_repo
from app.sentence import Sentence
from app.store.store import Store
from app.trace.trace import Trace

if TYPE_CHECKING:
    from app.index.vectors.ann_cache import AnnCache

_log = logging.getLogger(__name__)

EMBED_BATCH = 256
RETRY_MS = 60_000
PAUSE_S = 0.1
LONGEST_REST_S = 0.25
LONGEST_DELAY_S = 30.0
"""Longest time that an import delays passages and vectors."""
_MAX_BACKOFF = 10
_PREPARE_LIMIT_S = 600.0


class IndexWorker:
    """Background worker that brings the index up to date whenever it is woken.

    Args:
        store: The vault's database.
        clock: The clock.
        generations: The active embedder and its vectors.
        progressed: Called after each step with the number of new vectors, and of those still missing.
        embeds: False if vectors are switched off; passages are built all the same.
        retry_s: Seconds after which a failed step is repeated.
        batch: The number of texts embedded at once.
        trace: Receives each batch and failure.
        rest: Waits for a number of seconds.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        generations: GenerationManager,
        progressed: Callable[[int, int], None],
        *,
        embeds: bool = True,
        retry_s: float = RETRY_MS / 1000,
        batch: int = EMBED_BATCH,
        trace: Trace | None = None,
        rest: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._rest = rest
        self._embeds = embeds
        self._retry_s = retry_s
        self._batch = batch
        self._trace = trace or Trace()
        self._clock = clock
        self._progressed = progressed
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._is_broken = False
        self._due_ms: int | None = None
        self._hurry = asyncio.Event()
        self._delays = 0
        self._may_work = asyncio.Event()
        self._may_work.set()
        self.generations = generations
        self.active_ann_cache = ActiveAnnCache(store, generations)
        generations.on_activated = self._on_activated
        self.is_paused: Callable[[], bool] = lambda: False
        self._prepared: long_memories.Prepared | None = None
        self.failure = ""

    def wake(self) -> None:
        """Wake the worker, because there may be something to index."""
        if not self._is_broken:  # the worker would never become idle again
            self._idle.clear()
        self._wake.set()

    async def wait_idle(self) -> None:
        """Start at once, and return when nothing can be indexed any more."""
        self._hurry.set()
        await self._idle.wait()

    async def wait_quiet(self) -> None:
        """Return when the worker is idle, without making it start at once."""
        await self._idle.wait()

    @contextlib.contextmanager
    def delayed(self) -> Iterator[None]:
        """Delay passages and vectors until the end of a block that writes much.

        They wait for ``LONGEST_DELAY_S`` at most, and not while someone awaits the index.
        """
        self._delays += 1
        self._may_work.clear()
        end = asyncio.get_running_loop().call_later(LONGEST_DELAY_S, self._may_work.set)
        try:
            yield
        finally:
            end.cancel()
            self._delays -= 1
            if not self._delays:
                self._may_work.set()

    async def run(self) -> None:
        """Work until cancelled."""
        self._is_broken = False
        self._wake.set()
        done = StepSize.NOTHING
        try:
            while True:
                await self._woken()
                if not self._may_work.is_set():
                    await self._delay_over()
                if done is not StepSize.PART:
                    await self._pause()
                self._wake.clear()
                begun = time.monotonic()
                done = await self._guarded_step()
                if done is StepSize.PART:
                    self._wake.set()
                    await self._store.yield_to_readers(min(time.monotonic() - begun, LONGEST_REST_S), self._rest)
                elif done is StepSize.REST:
                    self._wake.set()  # Something may have come meanwhile.
                elif not self._wake.is_set():
                    self._hurry.clear()
                    self._idle.set()
        except Exception as error:
            self._is_broken = True
            # A bug stops all indexing: it must be visible, and callers of ``wait_idle`` must return.
            self.failure = Sentence(
                "Indexing stopped after an error inside Keepsake ({error}). Restart it.", error=type(error).__name__
            )
            _log.error("indexing broke: %s", error_location(error))
            raise
        finally:
            self._idle.set()

    async def _woken(self) -> None:
        """Wait for a wake, for the retry of a failed step, or a grace period."""
        wait_s = self._retry_s if self.failure else None
        if wait_s is None and self._due_ms is not None:
            wait_s = max(0, self._due_ms - self._clock.now_ms()) / 1000
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._wake.wait()

    async def _delay_over(self) -> None:
        """Wait for the end of a delay, unless someone awaits the index."""
        waits = [asyncio.ensure_future(event.wait()) for event in (self._may_work, self._hurry)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _pause(self) -> None:
        """Wait a moment, unless someone awaits the index.

        A burst of writes is then indexed in few steps.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PAUSE_S):
                await self._hurry.wait()

    async def _guarded_step(self) -> StepSize:
        try:
            return await self._step()
        except KeepsakeError as error:
            # Lexical search still works; the status shows the failure, and the step is repeated later.
            self.failure = error.sentence
            _log.info("indexing stopped: %s", error.code)
            self._trace.event("index.failed", error=error.code)
            return StepSize.NOTHING

    async def _step(self) -> StepSize:
        self._due_ms = None
        if self._store.read_only is not None or self.is_paused():
            return StepSize.NOTHING
        if await self._store.read(partial(long_memories.is_waiting, prepared=self._prepared), is_background=True):
            prepare = Indexer().long_memory_prepared
            self._prepared = await self._store.read(prepare, limit_s=_PREPARE_LIMIT_S, is_background=True)
        done = await self._store.write(self._move_or_build, is_derived=True)
        if done is StepSize.PART:
            return done
        if self._embeds:
            done = max(done, await self._embed_some())
        if done is not StepSize.NOTHING:
            return done
        if self._embeds:
            await self.active_ann_cache.refresh()
        waiting = await self._store.read(repo.pending_count, is_background=True) if self.failure and self._embeds else 0
        if not waiting:
            self.failure = ""
        self._due_ms = await self._store.read(session_reindex.next_due, is_background=True)
        return StepSize.NOTHING

    async def serving(self, within_s: float | None = None) -> ActiveEmbedding:
        """Return the active embedder and generation; see ``GenerationManager.serving``."""
        return await self.generations.serving(within_s)

    def ann_cache(self) -> "AnnCache | None":
        """Return the approximate vector index; ``None`` before it is ready, while the database answers."""
        return self.active_ann_cache.current

    async def discard_ann_cache(self) -> None:
        """Delete the vectors cached outside the database, because something was erased."""
        await self.active_ann_cache.discard()
        self.wake()

    def _on_activated(self) -> None:
        self.active_ann_cache.activate()
        self.wake()

    async def state(self) -> IndexState:
        """Return the progress of the index."""

        def count(connection: apsw.Connection) -> IndexState:
            withheld = generation_repo.withheld_count(connection)
            pending = repo.pending_count(connection) if self._embeds else 0
            return IndexState(repo.chunk_count(connection), pending, self.failure, withheld)

        return await self._store.read(count)

    def close(self) -> None:
        """Close all embedders."""
        self.generations.close()

    # Vectors --------------------------------------------------------------------------------------------------

    async def _embed_some(self) -> StepSize:
        find = partial(repo.pending_texts, now_ms=self._clock.now_ms(), limit=self._batch)
        texts = await self._store.read(find, is_background=True)
        if not texts:
            return StepSize.NOTHING
        done = StepSize.PART if len(texts) == self._batch else StepSize.REST
        serving = await self.serving()
        if self.generations.keeps_private() and (texts := await self._without_private(texts)) == []:
            return done
        try:
            vectors = await asyncio.to_thread(serving.embed, [text.text for text in texts])
        except KeepsakeError as error:
            await self._postpone(texts, error)
            raise
        store = partial(_store_current, generation=serving.generation, texts=texts, made=vectors)
        stored = await self._store.write(store, is_derived=True)
        if stored is None:
            # Another generation was activated meanwhile; the texts are still queued for that one.
            await self.generations.reload()
            return StepSize.PART
        await self.active_ann_cache.add(serving.generation, stored)
        self.failure = ""
        pending = await self._store.read(repo.pending_count, is_background=True)
        self._trace.event("index.batch", texts=len(texts), pending=pending)
        self._progressed(len(texts), pending)
        return done

    async def _without_private(self, texts: Sequence[repo.PendingText]) -> list[repo.PendingText]:
        """Return the texts that may be sent to a service; the others get no vector."""
        private = [text.chunk_id for text in texts if text.store == "private"]
        if private:
            await self._store.write(partial(generation_repo.withhold, chunk_ids=private), is_derived=True)
        return [text for text in texts if text.store != "private"]

    async def _postpone(self, texts: Sequence[repo.PendingText], error: KeepsakeError) -> None:
        attempts = min(max(text.attempts for text in texts), _MAX_BACKOFF)
        retry_ms = self._clock.now_ms() + RETRY_MS * 2**attempts
        ids = [text.chunk_id for text in texts]
        await self._store.write(
            lambda connection: repo.postpone(connection, ids, retry_ms=retry_ms, error=error.message)
        )

    # Passages -------------------------------------------------------------------------------------------------

    def _move_or_build(self, connection: apsw.Connection) -> StepSize:
        is_moving = (
            session_reindex.step(connection, Indexer().messages_stored, self._clock.now_ms())
            or vector_repo.drop_tool_vectors(connection)
            or self._continue_long(connection)
        )
        return StepSize.PART if is_moving else build_passages(connection)

    def _continue_long(self, connection: apsw.Connection) -> bool:
        is_more = long_memories.step(connection, self._prepared)
        if not is_more:
            self._prepared = None
        return is_more


def _store_current(
    connection: apsw.Connection,
    generation: vector_repo.Generation,
    texts: Sequence[repo.PendingText],
    made: Sequence[bytes],
) -> list[tuple[int, bytes]] | None:
    """Store and return the vectors of unchanged texts, ``None`` if another generation is active."""
    serving = generation_repo.active_generation(connection)
    if serving is None or serving.generation != generation:
        return None
    pairs = repo.current_vectors(connection, texts, made)
    vector_repo.store_vectors(connection, generation, pairs)
    repo.note_embedded(connection, [chunk_id for chunk_id, _ in pairs])
    return pairs
