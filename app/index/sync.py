"""Background work of the index: passages of grown sessions, then vectors of new chunks. Resumable at any point."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import apsw

from app.core.clock import Clock, to_ms
from app.core.text import content_hash
from app.embed.model import Embedder
from app.errors import KeepsakeError
from app.index import repo, vectors
from app.index.chunking import Line, Passage, passages
from app.index.extract import MAX_CHUNK_CHARACTERS, message_text
from app.index.grams import grams
from app.sessions.repo import messages_between
from app.store.store import Store

_log = logging.getLogger(__name__)

EMBED_BATCH = 256
SESSIONS_A_STEP = 100
MESSAGES_A_STEP = 400
_BEYOND = 1 << 62
RETRY_MS = 60_000
_MAX_BACKOFF = 10
_EMBED_CHARACTERS = 8_192  # an embedder reads a few hundred tokens; the rest of a long text has its own passages


@dataclass(frozen=True, slots=True)
class IndexState:
    """How far the index is: chunks in all, chunks without a vector, and the last failure's sentence."""

    chunks: int
    pending: int
    failure: str = ""


class IndexSync:
    """Brings the index up to date whenever it is woken.

    Args:
        store: The vault's database.
        clock: Where the time comes from.
        open_embedder: Makes the embedder; called once, in a worker thread, with the first text.
        progressed: Called with the number of vectors still to make after each step.
        embeds: False where vectors are switched off; passages are made all the same.
        retry_s: Seconds after which what failed is looked at again when nothing else happens.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        open_embedder: Callable[[], Embedder],
        progressed: Callable[[int], None],
        *,
        embeds: bool = True,
        retry_s: float = RETRY_MS / 1000,
    ) -> None:
        self._store = store
        self._embeds = embeds
        self._retry_s = retry_s
        self._clock = clock
        self._open_embedder = open_embedder
        self._progressed = progressed
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._embedder: Embedder | None = None
        self._opening = asyncio.Lock()
        self._generation: vectors.Generation | None = None
        self.failure = ""

    def wake(self) -> None:
        """Say that there may be something to index."""
        self._idle.clear()
        self._wake.set()

    async def wait_idle(self) -> None:
        """Return once nothing is left to index, or what is left cannot be indexed now."""
        await self._idle.wait()

    async def run(self) -> None:
        """Work until cancelled."""
        self._wake.set()
        try:
            while True:
                await self._woken()
                self._wake.clear()
                more = await self._guarded_step()
                if more:
                    self._wake.set()
                elif not self._wake.is_set():
                    self._idle.set()
        except Exception as error:
            # Our bug: nothing is indexed any more, which must show and must not leave anyone waiting.
            self.failure = f"Indexing stopped after an error inside Keepsake ({type(error).__name__}). Restart it."
            _log.exception("indexing broke")
            raise
        finally:
            self._idle.set()

    async def _woken(self) -> None:
        """Return when there may be something to do; after a failure also when it may be tried again."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._retry_s if self.failure else None):
                await self._wake.wait()

    async def _guarded_step(self) -> bool:
        try:
            return await self._step()
        except KeepsakeError as error:
            # Search goes on with words; the failure shows in the status and is tried again after a while.
            self.failure = error.message
            _log.info("indexing stopped: %s", error.code)
            return False

    async def _step(self) -> bool:
        if await self._store.write(self._build_passages):
            return True
        if self._embeds and await self._embed_some():
            return True
        waiting = await self._store.read(repo.pending_count) if self.failure and self._embeds else 0
        if not waiting:
            self.failure = ""
        return False

    async def embedder(self) -> Embedder:
        """Return the embedder, opened at the first call."""
        async with self._opening:
            if self._embedder is None:
                self._embedder = await asyncio.to_thread(self._open_embedder)
        return self._embedder

    async def generation(self) -> vectors.Generation:
        """Return the generation of the embedder's identity."""
        if self._generation is None:
            identity = (await self.embedder()).identity
            self._generation = await self._store.write(
                lambda connection: vectors.open_generation(connection, identity, self._clock.now_ms())
            )
        return self._generation

    async def state(self) -> IndexState:
        """Return how far the index is."""

        def count(connection: apsw.Connection) -> tuple[int, int]:
            return repo.chunk_count(connection), repo.pending_count(connection)

        chunks, pending = await self._store.read(count)
        return IndexState(chunks, pending, self.failure)

    def close(self) -> None:
        """Let the embedder go."""
        if self._embedder is not None:
            self._embedder.close()

    # Vectors --------------------------------------------------------------------------------------------------

    async def _embed_some(self) -> bool:
        find = partial(repo.pending_texts, now_ms=self._clock.now_ms(), limit=EMBED_BATCH)
        texts = await self._store.read(find)
        if not texts:
            return False
        embedder, generation = await self.embedder(), await self.generation()
        try:
            made = await asyncio.to_thread(_embed, embedder, texts)
        except KeepsakeError as error:
            await self._postpone(texts, error)
            raise
        await self._store.write(partial(_store_current, generation=generation, texts=texts, made=made))
        self.failure = ""
        self._progressed(await self._store.read(repo.pending_count))
        return True

    async def _postpone(self, texts: Sequence[repo.PendingText], error: KeepsakeError) -> None:
        attempts = min(max(text.attempts for text in texts), _MAX_BACKOFF)
        retry_ms = self._clock.now_ms() + RETRY_MS * 2**attempts
        ids = [text.chunk_id for text in texts]
        await self._store.write(
            lambda connection: repo.postpone(connection, ids, retry_ms=retry_ms, error=error.message)
        )

    # Passages -------------------------------------------------------------------------------------------------

    @staticmethod
    def _build_passages(connection: apsw.Connection) -> bool:
        found = repo.sessions_without_passages(connection, SESSIONS_A_STEP)
        budget = MESSAGES_A_STEP
        for session_id, covered in found:
            budget -= _extend_passages(connection, session_id, covered, budget)
            if budget <= 0:
                break
        return bool(found)


def _extend_passages(connection: apsw.Connection, session_id: str, covered: int, limit: int) -> int:
    """Extend a session's passages by at most ``limit`` turns after turn ``covered``; return their number."""
    vectors.delete_vectors(connection, repo.drop_last_passage(connection, session_id))
    before = repo.last_passage(connection, session_id)
    last = None if before is None else Passage(*before)
    after = last.seq_end if last is not None else -_BEYOND
    fresh = messages_between(connection, session_id, after=covered, before=_BEYOND, limit=limit)
    dropped = messages_between(connection, session_id, after=after, before=covered + 1, limit=_BEYOND)
    messages = [*dropped, *fresh]
    lines = [
        Line(m.seq, m.author or m.role, message_text(m)[:MAX_CHUNK_CHARACTERS], to_ms(m.created_at)) for m in messages
    ]
    chunks = [
        repo.Chunk(
            kind="passage",
            text=passage.text,
            grams=grams(passage.text),
            content_hash=content_hash(passage.text),
            created_ms=passage.created_ms,
            session_id=session_id,
            seq_start=passage.seq_start,
            seq_end=passage.seq_end,
        )
        for passage in passages(lines, after=last)
    ]
    repo.insert_chunks(connection, chunks)
    repo.note_passages(connection, session_id, fresh[-1].seq if fresh else None)
    return len(fresh)


def _embed(embedder: Embedder, texts: Sequence[repo.PendingText]) -> list[bytes]:
    rows = embedder.embed([text.text[:_EMBED_CHARACTERS] for text in texts])
    return [row.tobytes() for row in rows]


def _store_current(
    connection: apsw.Connection,
    generation: vectors.Generation,
    texts: Sequence[repo.PendingText],
    made: Sequence[bytes],
) -> None:
    current = repo.still_current(connection, texts)
    pairs = [(text.chunk_id, blob) for text, blob in zip(texts, made, strict=True) if text.chunk_id in current]
    vectors.store_vectors(connection, generation, pairs)
