"""Index worker: passages of sessions and vectors of new chunks, in the background.

The work can be resumed at any point.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING

import apsw

from app.core.clock import Clock, to_ms
from app.core.error_location import error_location
from app.core.lazy_module import LazyModule
from app.core.text import content_hash
from app.embed.model import Embedder
from app.errors import KeepsakeError
from app.index import long_memories, repo, session_reindex
from app.index.chunking import Passage, PassageLine, passages
from app.index.cjk_ngrams import ngrams_of
from app.index.generations import generation_repo
from app.index.generations.active import ActiveEmbedding, GenerationManager
from app.index.indexer import Indexer
from app.index.passage_dedup import insert_passages
from app.index.searchable_text import MAX_CHUNK_CHARACTERS, message_text
from app.index.vectors import vector_repo
from app.sessions.repo import messages_between
from app.store.store import Store
from app.trace.trace import Trace

if TYPE_CHECKING:
    from app.index.vectors import ann_cache as ann_caches
    from app.index.vectors.ann_cache import AnnCache
else:
    ann_caches = LazyModule("app.index.vectors.ann_cache")  # loads numpy

_log = logging.getLogger(__name__)

EMBED_BATCH = 256
SESSIONS_A_STEP = 100
MESSAGES_A_STEP = 400
_BEYOND = 1 << 62
RETRY_MS = 60_000
PAUSE_S = 0.1
LONGEST_REST_S = 0.25
LONGEST_DELAY_S = 30.0
"""Longest time that an import delays passages and vectors."""
_MAX_BACKOFF = 10
ANN_MIN_VECTORS = 5_000
"""The number of chunks from which vectors are searched through an ``AnnCache``."""
_REFRESH_LIMIT_S = 600.0
_EMBED_CHARACTERS = 8_192  # an embedder reads a few hundred tokens; passages cover the rest of a long text


class StepSize(IntEnum):
    """How much a step found to do: nothing, all that waited, or a part of it."""

    NOTHING = 0
    REST = 1
    PART = 2


@dataclass(frozen=True, slots=True)
class IndexState:
    """Progress of the index.

    Args:
        chunks: The number of chunks.
        pending: The number of chunks that wait for a vector, none while vectors are off.
        failure: The message of the last failure.
        withheld: The number of chunks without a vector because private text is not sent to a remote service.
    """

    chunks: int
    pending: int
    failure: str = ""
    withheld: int = 0


class IndexWorker:
    """Background worker that brings the index up to date whenever it is woken.

    Args:
        store: The vault's database.
        clock: The clock.
        open_embedder: Opens the embedder; called once, in a worker thread, before the first text.
        progressed: Called after each step with the number of new vectors, and of those still missing.
        embeds: False if vectors are switched off; passages are built all the same.
        retry_s: Seconds after which a failed step is repeated.
        batch: The number of texts embedded at once.
        trace: Receives each batch and failure.
        generations: The active vectors; only those of ``open_embedder`` when not given.
        rest: Waits for a number of seconds.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        open_embedder: Callable[[], Embedder],
        progressed: Callable[[int, int], None],
        *,
        embeds: bool = True,
        retry_s: float = RETRY_MS / 1000,
        batch: int = EMBED_BATCH,
        trace: Trace | None = None,
        generations: GenerationManager | None = None,
        rest: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._rest = rest
        self._embeds = embeds
        self._retry_s = retry_s
        self._batch = batch
        self._trace = trace or Trace()
        self._clock = clock
        self._open_embedder = open_embedder
        self._progressed = progressed
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._is_broken = False
        self._due_ms: int | None = None
        self._hurry = asyncio.Event()
        self._delays = 0
        self._may_work = asyncio.Event()
        self._may_work.set()
        self.generations = generations or GenerationManager(store, clock, self._opened)
        self.generations.on_activated = self._on_activated
        self.is_paused: Callable[[], bool] = lambda: False
        self._prepared: long_memories.Prepared | None = None
        self._ann_cache: AnnCache | None = None
        self._next_ann_cache: AnnCache | None = None
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
        """Let passages and vectors wait for the end of the block.

        It writes much that has to be indexed. They wait for ``LONGEST_DELAY_S`` at most, and not while someone awaits
        the index.
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
            self.failure = f"Indexing stopped after an error inside Keepsake ({type(error).__name__}). Restart it."
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
            for one in waits:
                one.cancel()

    async def _pause(self) -> None:
        """Wait a moment, so that a burst of writes is indexed in few steps; not while someone awaits the index."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PAUSE_S):
                await self._hurry.wait()

    async def _guarded_step(self) -> StepSize:
        try:
            return await self._step()
        except KeepsakeError as error:
            # Lexical search still works; the status shows the failure, and the step is repeated later.
            self.failure = error.message
            _log.info("indexing stopped: %s", error.code)
            self._trace.event("index.failed", error=error.code)
            return StepSize.NOTHING

    async def _step(self) -> StepSize:
        self._due_ms = None
        if self._store.read_only is not None or self.is_paused():
            return StepSize.NOTHING
        if await self._store.read(partial(long_memories.is_waiting, prepared=self._prepared), is_background=True):
            prepare = Indexer().long_memory_prepared
            self._prepared = await self._store.read(prepare, limit_s=_REFRESH_LIMIT_S, is_background=True)
        done = await self._store.write(self._move_or_build, is_derived=True)
        if done is StepSize.PART:
            return done
        if self._embeds:
            done = max(done, await self._embed_some())
        if done is not StepSize.NOTHING:
            return done
        if self._embeds:
            await self._refresh_ann_cache()
        waiting = await self._store.read(repo.pending_count, is_background=True) if self.failure and self._embeds else 0
        if not waiting:
            self.failure = ""
        self._due_ms = await self._store.read(session_reindex.next_due, is_background=True)
        return StepSize.NOTHING

    async def serving(self, within_s: float | None = None) -> ActiveEmbedding:
        """Return the active embedder and generation; see ``GenerationManager.serving``."""
        return await self.generations.serving(within_s)

    def _opened(self) -> Embedder:
        return self._open_embedder()

    async def embedder(self) -> Embedder:
        """Return the embedder of the active vectors, opened at the first call."""
        return (await self.serving()).embedder

    async def generation(self) -> vector_repo.Generation:
        """Return the active generation."""
        return (await self.serving()).generation

    def ann_cache(self) -> "AnnCache | None":
        """Return the approximate vector index; ``None`` before it is ready, while the database answers."""
        return self._ann_cache

    async def discard_ann_cache(self) -> None:
        """Delete the vectors cached outside the database, because something was erased."""
        self._next_ann_cache = None
        ann_cache = self._ann_cache or ann_caches.AnnCache(self._store.vault, ANN_MIN_VECTORS)
        await asyncio.to_thread(ann_cache.discard)
        self.wake()

    async def prepare_ann_cache(self, generation: vector_repo.Generation) -> None:
        """Build the cache of a generation that is activated next.

        It is used from then on.
        """
        count = await self._store.read(repo.chunk_count)
        if count < ANN_MIN_VECTORS:
            return
        ann_cache = ann_caches.AnnCache(self._store.vault, ANN_MIN_VECTORS)
        if ann_cache.needs_refresh(generation, count):
            await self._store.read(partial(ann_cache.refresh, generation=generation), limit_s=_REFRESH_LIMIT_S)
            self._next_ann_cache = ann_cache

    def add_built_vectors(self, generation: vector_repo.Generation, stored: Sequence[tuple[int, bytes]]) -> None:
        """Add vectors that were built after ``prepare_ann_cache``."""
        if self._next_ann_cache is not None:
            self._next_ann_cache.add(generation, stored)

    def _on_activated(self) -> None:
        if self._next_ann_cache is not None:
            self._ann_cache, self._next_ann_cache = self._next_ann_cache, None
        self.wake()

    async def _refresh_ann_cache(self) -> None:
        """Bring the approximate vector index up to date, if there are enough vectors for one."""
        count = await self._store.read(repo.chunk_count, is_background=True)
        if count < ANN_MIN_VECTORS:
            return
        generation = (await self.serving()).generation
        ann_cache = self._ann_cache or ann_caches.AnnCache(self._store.vault, ANN_MIN_VECTORS)
        if ann_cache.needs_refresh(generation, count):
            refresh = partial(ann_cache.refresh, generation=generation)
            await self._store.read(refresh, limit_s=_REFRESH_LIMIT_S, is_background=True)
            self._ann_cache = ann_cache

    async def pending(self) -> int:
        """Return how many chunks wait for a vector; none while vectors are off."""
        return await self._store.read(repo.pending_count) if self._embeds else 0

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
            made = await asyncio.to_thread(_embed, serving.embedder, texts)
        except KeepsakeError as error:
            await self._postpone(texts, error)
            raise
        store = partial(_store_current, generation=serving.generation, texts=texts, made=made)
        stored = await self._store.write(store, is_derived=True)
        if stored is None:
            # Another generation was activated meanwhile; the texts are still queued for that one.
            await self.generations.reload()
            return StepSize.PART
        if self._ann_cache is not None:
            await asyncio.to_thread(self._ann_cache.add, serving.generation, stored)
        self.failure = ""
        pending = await self._store.read(repo.pending_count, is_background=True)
        self._trace.event("index.batch", texts=len(texts), pending=pending)
        self._progressed(len(texts), pending)
        return done

    async def _without_private(self, texts: Sequence[repo.PendingText]) -> list[repo.PendingText]:
        """Return the texts that may be sent to a remote service.

        The others get no vector.
        """
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
        return StepSize.PART if is_moving else self._build_passages(connection)

    def _continue_long(self, connection: apsw.Connection) -> bool:
        is_more = long_memories.step(connection, self._prepared)
        if not is_more:
            self._prepared = None
        return is_more

    @staticmethod
    def _build_passages(connection: apsw.Connection) -> StepSize:
        found = repo.sessions_without_passages(connection, SESSIONS_A_STEP)
        budget = MESSAGES_A_STEP
        for session_id, covered in found:
            budget -= _extend_passages(connection, session_id, covered, budget)
            if budget <= 0:
                return StepSize.PART
        return StepSize.PART if len(found) == SESSIONS_A_STEP else StepSize.REST if found else StepSize.NOTHING


def _extend_passages(connection: apsw.Connection, session_id: str, covered: int, limit: int) -> int:
    """Extend a session's passages by at most ``limit`` messages after ``covered``; return their number."""
    repo.delete_last_passage(connection, session_id)
    before = repo.last_passage(connection, session_id)
    last = None if before is None else Passage(*before)
    after = last.seq_end if last is not None else -_BEYOND
    fresh = messages_between(connection, session_id, after=covered, before=_BEYOND, limit=limit)
    dropped = messages_between(connection, session_id, after=after, before=covered + 1, limit=_BEYOND)
    messages = [*dropped, *fresh]
    lines = [
        PassageLine(m.seq, m.author or m.role, message_text(m)[:MAX_CHUNK_CHARACTERS], to_ms(m.created_at))
        for m in messages
    ]
    answers = {m.seq for m in messages if m.role == "tool"}
    chunks = [
        repo.Chunk(
            kind="passage",
            text=passage.text,
            grams=ngrams_of(passage.text),
            content_hash=content_hash(passage.text),
            created_at=passage.created_ms,
            session_id=session_id,
            seq_start=passage.seq_start,
            seq_end=passage.seq_end,
            role="tool" if passage.seq_start == passage.seq_end and passage.seq_start in answers else "",
        )
        for passage in passages(lines, after=last)
    ]
    insert_passages(connection, chunks)
    repo.note_passages(connection, session_id, fresh[-1].seq if fresh else None)
    return len(fresh)


def _embed(embedder: Embedder, texts: Sequence[repo.PendingText]) -> list[bytes]:
    rows = embedder.embed([text.text[:_EMBED_CHARACTERS] for text in texts])
    return [row.tobytes() for row in rows]


def _store_current(
    connection: apsw.Connection,
    generation: vector_repo.Generation,
    texts: Sequence[repo.PendingText],
    made: Sequence[bytes],
) -> list[tuple[int, bytes]] | None:
    """Store the vectors of unchanged texts and return them.

    ``None`` if another generation is active by now.
    """
    serving = generation_repo.active_generation(connection)
    if serving is None or serving.generation != generation:
        return None
    current = repo.still_current(connection, texts)
    pairs = [(text.chunk_id, blob) for text, blob in zip(texts, made, strict=True) if text.chunk_id in current]
    vector_repo.store_vectors(connection, generation, pairs)
    repo.note_embedded(connection, current)
    return pairs
