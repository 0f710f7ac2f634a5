"""Service for the choice of an embedding model: change, pause, switch, rollback and status."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import apsw

from app.config.config import Config
from app.core.clock import Clock, to_datetime
from app.embed.embedder_source import EmbedderSource
from app.embed.model import Embedder
from app.errors import InputError, ModelUnavailableError
from app.index import repo
from app.index.generations import generation_repo
from app.index.generations.active import GenerationManager
from app.index.generations.builder import GenerationBuilder
from app.index.generations.model import EmbeddingStatus, GenerationInfo, ModelInfo, State
from app.index.token_vectors.token_vector_builder import TokenVectorBuilder
from app.index.vectors.vector_repo import HAS_VECTOR
from app.sentence import Sentence
from app.store.store import Store

if TYPE_CHECKING:
    from app.embed.language_coverage import LanguageCoverage

_SAMPLE = 400
_SAMPLE_CHARACTERS = 1_000


def configured_source(config: Config) -> EmbedderSource:
    """Return the source of the embedder that the settings name."""
    return EmbedderSource(
        config.text("embedding.model"),
        config.text("embedding.model_folder"),
        config.text("embedding.base_url"),
        config.text("embedding.api_key_env"),
        config.whole("embedding.dimensions"),
    )


class EmbeddingService:
    """Service for the choice of an embedding model.

    Args:
        store: The vault's database.
        clock: The clock.
        config: The settings, in which a change is saved.
        generations: The active generation and the one being built.
        builder: The builder in the background.
        open_source: Opens an embedder; called in a worker thread.
        woken: Wakes the index worker.
        token_vectors: The token vectors of a late interaction model.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        config: Config,
        generations: GenerationManager,
        builder: GenerationBuilder,
        open_source: Callable[[EmbedderSource], Embedder],
        woken: Callable[[], None],
        token_vectors: TokenVectorBuilder,
    ) -> None:
        self._store = store
        self._clock = clock
        self._config = config
        self._generations = generations
        self._builder = builder
        self._open_source = open_source
        self._woken = woken
        self._token_vectors = token_vectors

    async def status(self) -> EmbeddingStatus:
        """Return the status of search by meaning."""
        return replace(await self._store.read(self._status), token_vectors=await self._token_vectors.state())

    def notes(self) -> Sequence[str]:
        """Return sentences about current problems."""
        return tuple(dict.fromkeys(filter(None, (self._generations.note, self._builder.failure))))

    def _status(self, connection: apsw.Connection) -> EmbeddingStatus:
        now_ms = self._clock.now_ms()
        rows = generation_repo.rows(connection)
        serving = generation_repo.active_generation(connection)
        building = generation_repo.generation_in_building(connection)
        former = generation_repo.previous_generation(connection, now_ms)
        until = None if former is None else to_datetime((former.retired_ms or 0) + generation_repo.KEPT_MS)
        return EmbeddingStatus(
            _info(connection, serving),
            _info(connection, building),
            repo.chunk_count(connection),
            generation_repo.is_paused(connection),
            _info(connection, former),
            until,
            generation_repo.withheld_count(connection),
            tuple(self.notes()),
            tuple(_listed(connection, row) for row in rows),
            building is not None and generation_repo.waits_for_switch(connection, building.generation),
        )

    async def change(self, model: str, folder: str, *, waits: bool = False) -> EmbeddingStatus:
        """Choose another model; the active one answers searches until the new vectors are complete.

        Args:
            model: The model as in the setting ``embedding.model``.
            folder: The folder of its files.
            waits: Whether the new vectors wait for ``switch``.

        Raises:
            InputError: The model is unknown, or an environment variable decides the setting.
            ModelUnavailableError: The model cannot be opened; nothing was changed.
        """
        self._refuse_without_vectors()
        source = replace(configured_source(self._config), model=model, folder=folder)
        embedder = await asyncio.to_thread(self._open_source, source)
        await self._save_or_close(source, embedder)
        await self._store.write(partial(generation_repo.pause, is_paused=False))
        await self._generations.set_target(embedder, waits=waits)
        self._go_on()
        return await self.status()

    async def try_again(self) -> None:
        """Retry failed work at once, because its cause may be gone."""
        await self._store.write(repo.retry_now, is_derived=True)
        self._go_on()

    async def pause(self) -> EmbeddingStatus:
        """Pause the build until ``resume``, also over a restart."""
        await self._store.write(partial(generation_repo.pause, is_paused=True))
        return await self.status()

    async def resume(self) -> EmbeddingStatus:
        """Continue the build."""
        await self._store.write(partial(generation_repo.pause, is_paused=False))
        self._go_on()
        return await self.status()

    async def switch(self) -> EmbeddingStatus:
        """Activate the generation in building once complete; continue a paused build.

        Raises:
            InputError: No generation is being built.
        """
        self._refuse_without_vectors()
        if (await self.status()).building is None:
            raise InputError("No other vectors are being made; choose a model with 'embedding.change' first.")
        await self._store.write(generation_repo.allow_activation)
        return await self.resume()

    async def rollback(self, number: int | None = None) -> EmbeddingStatus:
        """Cancel the build, or return to a generation that was active before.

        Args:
            number: The generation to return to; when not given, cancel the build or return to the previous one.

        Raises:
            InputError: There is nothing to cancel or to return to.
            ModelUnavailableError: The model of that generation is missing.
        """
        self._refuse_without_vectors()
        built = await self._store.read(generation_repo.generation_in_building) if number is None else None
        if built is not None and (staying := await self._generations.cancel_build(built.generation)) is not None:
            await asyncio.to_thread(self._save, staying.source)
            self._go_on()
            return await self.status()
        row = await self._store.read(
            partial(generation_repo.previous_generation, now_ms=self._clock.now_ms(), number=number)
        )
        if row is None:
            raise InputError("There are no earlier vectors to go back to; they are kept for a week.")
        embedder = await asyncio.to_thread(self._open_source, row.source)
        if embedder.identity != row.identity:
            embedder.close()
            raise ModelUnavailableError(
                Sentence(
                    "{model} is another model than before; choose it with 'embedding.change' to make its vectors anew.",
                    model=row.source.model,
                )
            )
        await self._save_or_close(row.source, embedder)
        await self._generations.roll_back(row, embedder)
        self._go_on()
        return await self.status()

    async def advice(self) -> str:
        """Return a sentence if another model would suit the vault better, else ``""``."""
        if configured_source(self._config).provider != "static":
            return ""
        texts = await self._store.read(_sample)
        return await asyncio.to_thread(_advice_on, texts)

    def _refuse_without_vectors(self) -> None:
        if not self._config.flag("index.vectors"):
            raise InputError("Search by meaning is switched off. Set index.vectors to true and start Keepsake again.")

    def _go_on(self) -> None:
        self._builder.wake()
        self._woken()

    async def _save_or_close(self, source: EmbedderSource, embedder: Embedder) -> None:
        """Save the source of an open embedder, and close that if it cannot be saved."""
        try:
            await asyncio.to_thread(self._save, source)
        except BaseException:
            embedder.close()
            raise

    def _save(self, source: EmbedderSource) -> None:
        source = source.with_key_of(configured_source(self._config))
        values = {
            "embedding.base_url": source.base_url,
            "embedding.api_key_env": source.api_key_env,
            "embedding.dimensions": source.dimensions,
            "embedding.model_folder": source.folder,
            "embedding.model": source.model,
        }
        for name, value in values.items():
            if self._config.get(name) != value:
                self._config.set(name, value)


def _info(connection: apsw.Connection, row: generation_repo.GenerationRow | None) -> ModelInfo | None:
    if row is None:
        return None
    count = generation_repo.count(connection, row.generation)
    return ModelInfo(row.source.model, row.identity.dimensions, count, row.source.is_remote)


def _listed(connection: apsw.Connection, row: generation_repo.GenerationRow) -> GenerationInfo:
    return GenerationInfo(
        row.generation.id,
        row.source.model,
        row.identity.dimensions,
        generation_repo.count(connection, row.generation),
        _state(connection, row),
        row.source.is_remote,
        to_datetime(row.until_ms) if row.state == "retired" else None,
    )


def _state(connection: apsw.Connection, row: generation_repo.GenerationRow) -> State:
    if row.state == "serving":
        return "serving"
    if row.state == "building":
        return "ready" if generation_repo.is_ready(connection, row.generation) else "building"
    return "unfinished" if row.retired_ms is None else "kept"


def _sample(connection: apsw.Connection) -> list[str]:
    """Return a sample of texts from the whole vault."""
    last = int(connection.execute("SELECT coalesce(max(id), 0) FROM chunks").get)
    step = max(1, last // _SAMPLE)
    rows = connection.execute(
        f"SELECT substr(text, 1, ?) FROM chunk_texts c WHERE id % ? = 0 AND {HAS_VECTOR} AND {repo.NOT_HIDDEN} LIMIT ?",
        (_SAMPLE_CHARACTERS, step, _SAMPLE),
    )
    return [str(row[0]) for row in rows]


def _advice_on(texts: Sequence[str]) -> str:
    from app.embed.language_coverage import measure_coverage  # noqa: PLC0415  (imports numpy)

    return _advice(measure_coverage(texts))


def _advice(found: "LanguageCoverage") -> str:
    if found.is_good:
        return ""
    return Sentence(
        "About {foreign} of what is written here is in words that the built-in model does not"
        " know well, so search by meaning finds less of it. A multilingual model, such as"
        " 'fastembed:sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2', would suit"
        " this vault better.",
        foreign=f"{found.foreign:.0%}",
    )
