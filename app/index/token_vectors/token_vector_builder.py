"""Background worker that makes token vectors for late interaction, after all other indexing.

It can be resumed at any point.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Final

import apsw

from app.core.clock import Clock
from app.core.error_location import error_location
from app.core.process.lazy_module import LazyModule
from app.errors import KeepsakeError, ModelUnavailableError
from app.index.token_vectors import token_repo
from app.index.token_vectors.model import TokenVectorState
from app.index.token_vectors.token_repo import TokenGeneration
from app.jobs import BackgroundJob
from app.store.store import Store
from app.trace.trace import Trace

if TYPE_CHECKING:
    from app.embed.late_interaction import LateInteractionModel
    from app.embed.model import TextInContext
    from app.index.token_vectors import token_codes
else:
    token_codes = LazyModule("app.index.token_vectors.token_codes")  # loads numpy

_log = logging.getLogger(__name__)

BATCH: Final = 32
_RETRY_S: Final = 60.0
_CLEANUP_S: Final = 3_600.0
_LONGEST_REST_S: Final = 0.25


class TokenVectorBuilder:
    """Worker that makes the token vectors of new texts when woken.

    It does so where the settings name a late interaction model. Vectors of another model are dropped a week after
    that was left.

    Args:
        store: The vault's database.
        clock: The clock.
        model: The model that the settings name; ``None`` for none.
        ready: Returns once more urgent indexing is done.
        job: Told how far it has come; pauses it.
        trace: Receives each batch and failure.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        model: "LateInteractionModel | None",
        ready: Callable[[], Awaitable[None]],
        job: BackgroundJob,
        trace: Trace,
    ) -> None:
        self._store = store
        self._clock = clock
        self.model = model
        self._ready = ready
        self._job = job
        self._trace = trace
        self._generation: TokenGeneration | None = None
        self._is_used: bool | None = None if model is not None else False
        self._lock = asyncio.Lock()
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._is_over = False
        self.failure = ""

    def wake(self) -> None:
        """Wake the worker, because there may be new texts."""
        if not self._is_over:  # it would never become idle again
            self._idle.clear()
        self._wake.set()

    async def wait_idle(self) -> None:
        """Return when no text can be read any more."""
        await self._idle.wait()

    async def run(self) -> None:
        """Work until cancelled; return at once where there is nothing to make or to drop."""
        self._is_over = False
        self.wake()
        try:
            while await self._round():
                if not self._wake.is_set():
                    self._idle.set()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_RETRY_S if self.failure else _CLEANUP_S):
                        await self._wake.wait()
        except Exception as error:
            self.failure = (
                f"Making token vectors stopped after an error inside Keepsake ({type(error).__name__}). Restart it."
            )
            _log.error("making token vectors broke: %s", error_location(error))
            raise
        finally:
            self._is_over = True
            self._idle.set()

    async def is_used(self) -> bool:
        """Return whether the settings name a late interaction model.

        Raises:
            KeepsakeError: fastembed is not installed, or does not know the model.
        """
        if self._is_used is None and self.model is not None:
            self._is_used = await asyncio.to_thread(self.model.model.is_late_interaction)
        return bool(self._is_used)

    async def generation(self) -> TokenGeneration | None:
        """Return the vectors of the model, which is opened for it.

        A read-only vault may have none.

        Raises:
            KeepsakeError: The model cannot be opened.
        """
        async with self._lock:
            if self._generation is None and self.model is not None:
                identity, form = await asyncio.to_thread(self.model.identity), token_codes.FORM
                find = partial(token_repo.find_generation, identity=identity, form=form)
                self._generation = await self._store.read(find, is_background=True)
                if self._generation is None and self._store.read_only is None:
                    create = partial(
                        token_repo.open_generation, identity=identity, form=form, now_ms=self._clock.now_ms()
                    )
                    self._generation = await self._store.write(create, is_bookkeeping=True)
            return self._generation

    async def generation_within(self, seconds: float) -> TokenGeneration | None:
        """Return the vectors of the model; see ``generation``.

        Raises:
            KeepsakeError: The model cannot be opened, or not in time, as while it is downloaded.
        """
        if self._generation is not None:
            return self._generation
        opening = asyncio.ensure_future(self.generation())
        # Where it fails later nobody waits any more; the worker meets the same failure.
        opening.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(opening)
        except TimeoutError:
            raise ModelUnavailableError("The late interaction model is still being opened.") from None

    async def state(self) -> TokenVectorState | None:
        """Return the progress; ``None`` where the settings name no late interaction model."""
        if self.model is None or not self._is_used:
            return None
        name, generation = self.model.model.name, self._generation
        if generation is None:
            return TokenVectorState(name, 0, 0, self.failure)
        counts = await self._store.read(partial(token_repo.counts, generation=generation))
        return TokenVectorState(name, counts.texts, counts.waiting, self.failure)

    def close(self) -> None:
        """Free the model."""
        if self.model is not None:
            self.model.close()

    async def _round(self) -> bool:
        """Make all vectors that can be made; return whether anything may follow."""
        self._wake.clear()
        if self._store.read_only is not None:
            return False
        try:
            is_used = await self.is_used()
            if await self._store.read(token_repo.has_generations, is_background=True):
                while await self._store.write(self._drop_expired, is_derived=True):
                    self._trace.event("token_vectors.dropped")
            if is_used:
                await self._build()
            self.failure = ""
        except KeepsakeError as error:
            # Searches go on without them; the status shows the failure, and it is tried again later.
            self.failure = error.message
            _log.info("making token vectors stopped: %s", error.code)
            self._trace.event("token_vectors.failed", error=error.code)
            return True
        return is_used or await self._store.read(token_repo.has_generations, is_background=True)

    def _drop_expired(self, connection: apsw.Connection) -> bool:
        if not self._is_used:
            token_repo.retire(connection, self._clock.now_ms())
        return token_repo.drop_one_expired(connection, self._clock.now_ms())

    async def _build(self) -> None:
        await self._ready()
        generation = await self.generation()
        while generation is not None and not self._job.is_paused and (count := await self._build_some(generation)):
            counts = await self._store.read(partial(token_repo.counts, generation=generation), is_background=True)
            self._trace.event("token_vectors.batch", texts=count, waiting=counts.waiting)
            self._job.advance(count, counts.waiting)
            await self._ready()

    async def _build_some(self, generation: TokenGeneration) -> int:
        """Make the vectors of some texts, and return how many were read."""
        model = self.model
        begun = time.monotonic()

        def read(connection: apsw.Connection) -> "dict[int, TextInContext]":
            return token_repo.texts_of(connection, token_repo.waiting_chunks(connection, generation, BATCH))

        texts = await self._store.read(read, is_background=True)
        if not texts or model is None:
            self._job.finish()
            return 0
        codes = await asyncio.to_thread(lambda: [token_codes.encode(rows) for rows in model.embed([*texts.values()])])
        store = partial(token_repo.store_codes, generation=generation, texts=texts, codes=codes)
        await self._store.write(store, is_derived=True)
        await self._store.yield_to_readers(min(time.monotonic() - begun, _LONGEST_REST_S))
        return len(texts)
