"""Manager of the active embedding generation and of the one to replace it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

import apsw

from app.core.clock import Clock
from app.embed.embedder_source import EmbedderSource
from app.embed.model import Embedder, EmbeddingIdentity
from app.errors import KeepsakeError, ModelUnavailableError
from app.index.generations import generation_repo
from app.index.vectors import vector_repo
from app.index.vectors.vector_repo import Generation
from app.sentence import Sentence
from app.store.store import Store

_log = logging.getLogger(__name__)

_GRACE_S: Final = 60.0
"""Seconds for which a replaced embedder is kept open, for searches under way."""
_EMBEDDED_CHARACTERS: Final = 8_192  # an embedder reads a few hundred tokens; passages cover the rest of a long text


@dataclass(frozen=True, slots=True)
class ActiveEmbedding:
    """An open embedder with the generation of its vectors."""

    embedder: Embedder
    generation: Generation
    source: EmbedderSource

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of the beginnings of texts, float32 little-endian."""
        return [row.tobytes() for row in self.embedder.embed([text[:_EMBEDDED_CHARACTERS] for text in texts])]


def hide_folder(error: ModelUnavailableError) -> ModelUnavailableError:
    """Return a model's error without its folder, for callers who did not name that."""
    folder = error.data.get("folder")
    if not folder:
        return error
    template, values = error.sentence.template, error.sentence.values
    hidden = Sentence("Its folder") if template.startswith("{folder}") else Sentence("its folder")
    sentence = Sentence(template, **{name: hidden if str(value) == folder else value for name, value in values.items()})
    if folder in sentence:
        text = sentence.replace(folder, "its folder")
        sentence = Sentence(text[:1].upper() + text[1:])
    reason = {name: value for name, value in error.data.items() if name == "reason"}
    return ModelUnavailableError(sentence, **reason)


def _refuse_reopening(_source: EmbedderSource) -> Embedder:
    raise ModelUnavailableError("The model that made the vectors so far is no longer available.")


class GenerationManager:
    """Manager of the active generation and of the one being built.

    If the settings name another model than the one that made the vectors, the old one stays active, as long as it can
    be opened, until the vectors of the new one are complete.

    Args:
        store: The vault's database.
        clock: The clock.
        open_wanted: Opens the embedder that the settings name; called in a worker thread.
        reopen: Opens an embedder that was active before.
        wanted: Returns the source of the embedder that ``open_wanted`` opens.
        may_send: Returns whether private texts may be sent to a remote service.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        open_wanted: Callable[[], Embedder],
        *,
        reopen: Callable[[EmbedderSource], Embedder] = _refuse_reopening,
        wanted: Callable[[], EmbedderSource] | None = None,
        may_send: Callable[[], bool] = lambda: False,
    ) -> None:
        self._store = store
        self._clock = clock
        self._open_wanted = open_wanted
        self._reopen = reopen
        self._wanted = wanted
        self._may_send = may_send
        self._lock = asyncio.Lock()
        self._serving: ActiveEmbedding | None = None
        self._building: ActiveEmbedding | None = None
        self._leaving: list[Embedder] = []
        self._timers: list[asyncio.TimerHandle] = []
        self._target_unopened = False  # the model in the settings is yet to be opened
        self.note = ""
        self.on_build_started: Callable[[], None] = lambda: None
        self.on_activated: Callable[[], None] = lambda: None

    async def serving(self, within_s: float | None = None) -> ActiveEmbedding:
        """Return the active embedder and generation, opened at the first call.

        Args:
            within_s: The longest wait in seconds while another task opens it, which may include a download.

        Raises:
            KeepsakeError: Neither the model of the vectors nor the one in the settings can be opened in time.
        """
        if (serving := self._serving) is not None:
            return serving
        try:
            async with asyncio.timeout(within_s):
                await self._lock.acquire()
        except TimeoutError:
            raise ModelUnavailableError("The embedding model is still being opened.") from None
        try:
            return self._current() or await self._open()
        finally:
            self._lock.release()

    def _current(self) -> ActiveEmbedding | None:
        return self._serving

    async def building(self) -> ActiveEmbedding | None:
        """Return the generation to build, or ``None`` if the settings name the active one.

        Raises:
            KeepsakeError: The new model cannot be opened; ``note`` then explains that.
        """
        if self._serving is None and not await self._is_mismatched():
            # The settings no longer name the model that was being built.
            await self._store.write(generation_repo.abandon_building, is_bookkeeping=True)
            return None
        await self.serving()
        if self._target_unopened:
            # Outside the lock, because a download takes long and searches go on meanwhile.
            try:
                embedder = await asyncio.to_thread(self._open_wanted)
            except KeepsakeError as error:
                self.note = Sentence("{why} Until then the vectors made so far answer searches.", why=error.sentence)
                raise
            await self._set_opened_target(embedder)
        return self._building

    async def _set_opened_target(self, embedder: Embedder) -> None:
        async with self._lock:
            if self._target_unopened:
                await self._prepare(embedder, self._serving)
            else:
                # Another model was chosen meanwhile.
                embedder.close()

    async def _is_mismatched(self) -> bool:
        row = await self._store.read(generation_repo.active_generation)
        return row is not None and self._differs_from_settings(row)

    def _differs_from_settings(self, row: generation_repo.GenerationRow) -> bool:
        """Return whether the settings name another model than that of ``row``."""
        return self._wanted is not None and row.source != self._wanted()

    async def _open(self) -> ActiveEmbedding:
        row = await self._store.read(generation_repo.active_generation, is_background=True)
        if self._store.read_only is not None:
            return await self._open_read_only(row)
        if row is not None and self._differs_from_settings(row):
            old = await self._reopen_previous(row)
            if old is not None:
                self._serving = old
                self._target_unopened = True
                self.on_build_started()
                return old
        wanted = await asyncio.to_thread(self._open_wanted)
        if row is not None and not self.note and row.identity != wanted.identity:
            self.note = Sentence(
                "{model} is not the same model as before; the vectors are made anew.", model=row.source.model
            )
        return await self._prepare(wanted, None)

    async def _open_read_only(self, row: generation_repo.GenerationRow | None) -> ActiveEmbedding:
        """Open the model of the existing vectors, for a read-only vault."""
        if row is None:
            raise ModelUnavailableError("This vault is open for reading only and has no vectors yet.")
        opened = partial(self._reopen, row.source) if self._differs_from_settings(row) else self._open_wanted
        embedder = await asyncio.to_thread(opened)
        if embedder.identity != row.identity:
            embedder.close()
            raise ModelUnavailableError("The model that made this vault's vectors is no longer available.")
        self._serving = ActiveEmbedding(embedder, row.generation, row.source)
        return self._serving

    async def _prepare(
        self, wanted: Embedder, old: ActiveEmbedding | None, *, waits: bool | None = None
    ) -> ActiveEmbedding:
        """Activate ``wanted``, or start building it while ``old`` stays active."""
        self._target_unopened = False
        source = self._source(wanted.identity)
        if old is None or old.embedder.identity == wanted.identity:
            self._dismiss(old, None)
            return await self._serve(ActiveEmbedding(wanted, await self._activated(wanted.identity, source), source))
        self.note = ""
        begin = partial(
            generation_repo.begin_building, identity=wanted.identity, source=source, now_ms=self._clock.now_ms()
        )
        generation = await self._store.write(partial(begin, waits=waits), is_bookkeeping=True)
        self._building = ActiveEmbedding(wanted, generation, source)
        self._serving = old
        self.on_build_started()
        return old

    async def _reopen_previous(self, row: generation_repo.GenerationRow) -> ActiveEmbedding | None:
        """Return the previously active model.

        If it is missing or has changed, return ``None`` and note the reason.
        """
        try:
            embedder = await asyncio.to_thread(self._reopen, row.source)
        except KeepsakeError as error:
            reason = error.sentence
        else:
            if embedder.identity == row.identity:
                return ActiveEmbedding(embedder, row.generation, row.source)
            embedder.close()
            reason = Sentence("{model} is not the same model as before.", model=row.source.model)
        self.note = Sentence("The vectors so far cannot be used any more and are made anew: {reason}", reason=reason)
        _log.info("the embedder of generation %s is gone", row.generation.id)
        return None

    async def _activated(self, identity: EmbeddingIdentity, source: EmbedderSource) -> Generation:
        def work(connection: apsw.Connection) -> Generation:
            generation = vector_repo.open_generation(connection, identity, self._clock.now_ms())
            generation_repo.note_source(connection, generation, source)
            generation_repo.abandon_building(connection)
            return generation

        # Looking first leaves searches independent of who holds the database: nearly always it is as it should be.
        settled = await self._store.read(
            partial(generation_repo.settled, identity=identity, source=source), is_background=True
        )
        return await self._store.write(work, is_bookkeeping=True) if settled is None else settled

    async def _serve(self, serving: ActiveEmbedding) -> ActiveEmbedding:
        self._dismiss(self._serving, serving)
        self._serving = serving
        self._building = None
        self._target_unopened = False
        withheld = await self._store.read(generation_repo.withheld_count, is_background=True)
        if withheld and not self.keeps_private():
            await self._store.write(generation_repo.requeue_withheld, is_bookkeeping=True)
        # The vectors that it lacks are queued now.
        self.on_activated()
        return serving

    def _source(self, identity: EmbeddingIdentity | None) -> EmbedderSource:
        if self._wanted is not None:
            return self._wanted()
        return EmbedderSource("" if identity is None else str(identity))

    def keeps_private(self, serving: ActiveEmbedding | None = None) -> bool:
        """Return whether private texts are withheld from a service, by default the active one."""
        active = serving or self._serving
        return active is not None and self._withholds(active)

    def builds_private(self) -> bool:
        """Return whether private texts get a vector in the generation being built."""
        return self._building is not None and not self._withholds(self._building)

    def _withholds(self, serving: ActiveEmbedding) -> bool:
        return serving.source.is_remote and not self._may_send()

    async def switch(self) -> bool:
        """Activate the generation that was built, in one transaction; return whether there still was one."""
        async with self._lock:
            building = self._building
            if building is None:
                return False
            await self._store.write(
                lambda connection: vector_repo.activate(connection, building.generation, self._clock.now_ms())
            )
            await self._serve(building)
            self.note = ""
            return True

    @asynccontextmanager
    async def open_for_comparison(self, number: int) -> AsyncIterator[ActiveEmbedding]:
        """Yield an inactive generation for searches; the active one stays active.

        Args:
            number: The number of the generation.

        Raises:
            KeepsakeError: See ``generation_repo.generation_to_compare``.
            ModelUnavailableError: Its model is missing or has changed.
        """
        row = await self._store.read(
            partial(generation_repo.generation_to_compare, number=number, now_ms=self._clock.now_ms())
        )
        building = self._building
        if building is not None and building.generation == row.generation:
            yield building
            return
        embedder = await self._open_embedder(row)
        try:
            yield ActiveEmbedding(embedder, row.generation, row.source)
        finally:
            embedder.close()

    async def _open_embedder(self, row: generation_repo.GenerationRow) -> Embedder:
        try:
            embedder = await asyncio.to_thread(self._reopen, row.source)
        except ModelUnavailableError as error:
            raise hide_folder(error) from None
        if embedder.identity != row.identity:
            embedder.close()
            raise ModelUnavailableError(
                Sentence("{model} is not the model that made its vectors.", model=row.source.model)
            )
        return embedder

    async def set_target(self, embedder: Embedder, *, waits: bool = False) -> None:
        """Set the model that the settings name from now on, and start building its vectors.

        Args:
            embedder: The embedder of that model.
            waits: Whether the complete vectors wait for ``switch`` before they become active.
        """
        async with self._lock:
            if self._serving is None:
                self._serving = await self._open_active()
            self._dismiss(self._building, None)
            self._building = None
            self.note = ""
            await self._store.write(generation_repo.abandon_building)
            await self._prepare(embedder, self._serving, waits=waits)

    async def reload(self) -> None:
        """Drop the active embedder if a repair removed its generation."""
        async with self._lock:
            row = await self._store.read(generation_repo.active_generation)
            if self._serving is not None and (row is None or row.generation != self._serving.generation):
                self._dismiss(self._serving, None)
                self._serving = None

    async def cancel_build(self, generation: Generation) -> ActiveEmbedding | None:
        """Cancel the build, and return the active generation.

        Args:
            generation: The generation being built; if it is active by now, ``None`` is returned and nothing changes.
        """
        await self.serving()
        async with self._lock:
            serving = self._serving
            if serving is None or serving.generation == generation:
                return None
            self._dismiss(self._building, None)
            self._building = None
            self._target_unopened = False
            self.note = ""
            await self._store.write(generation_repo.abandon_building)
        return serving

    async def _open_active(self) -> ActiveEmbedding | None:
        row = await self._store.read(generation_repo.active_generation)
        return None if row is None else await self._reopen_previous(row)

    async def roll_back(self, row: generation_repo.GenerationRow, embedder: Embedder) -> None:
        """Activate a previous generation at once; vectors of newer texts are added in the background."""
        async with self._lock:
            self._dismiss(self._building, None)
            await self._serve(ActiveEmbedding(embedder, await self._activated(row.identity, row.source), row.source))
            self.note = ""

    def _dismiss(self, leaving: ActiveEmbedding | None, staying: ActiveEmbedding | None) -> None:
        """Close an embedder after searches under way have had time to end."""
        if leaving is None or (staying is not None and leaving.embedder is staying.embedder):
            return
        self._leaving.append(leaving.embedder)
        self._timers.append(asyncio.get_running_loop().call_later(_GRACE_S, leaving.embedder.close))

    def close(self) -> None:
        """Close all embedders."""
        for timer in self._timers:
            timer.cancel()
        opened = [serving.embedder for serving in (self._serving, self._building) if serving is not None]
        for embedder in (*opened, *self._leaving):
            embedder.close()
