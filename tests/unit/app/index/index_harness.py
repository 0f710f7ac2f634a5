"""Harness of an index with several embedders, built and searched like in the program."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from app.embed.embedder_source import EmbedderSource
from app.embed.model import Embedder, EmbeddingIdentity
from app.embed.unit_vectors import unit_rows
from app.errors import ModelUnavailableError
from app.index.generations import generation_repo
from app.index.generations.active import GenerationManager
from app.index.generations.builder import GenerationBuilder
from app.index.vectors.vector_repo import nearest
from app.index.worker import IndexWorker
from app.jobs import Jobs
from tests.unit.app.vault_harness import MoodyEmbedder, VaultHarness

if TYPE_CHECKING:
    from app.changes import Event

DAY_MS = 24 * 3_600_000
Step = Callable[[], Coroutine[Any, Any, Any]]


class CountedEmbedder(MoodyEmbedder):
    """One that says how often it was closed."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


class NarrowEmbedder(CountedEmbedder):
    """One whose vectors are of another length."""

    def __init__(self, name: str, width: int) -> None:
        super().__init__(name)
        self.identity = EmbeddingIdentity("test", name, width, "1")

    def embed(self, texts: Sequence[str]) -> Any:
        return unit_rows(np.ascontiguousarray(super().embed(texts)[:, : self.identity.dimensions]))


class IndexHarness:
    """A vault's index whose settings name one of several embedders."""

    def __init__(self, vault_harness: VaultHarness) -> None:
        self.vault_harness = vault_harness
        self.wanted = "old"
        self.embedders = {name: CountedEmbedder(name) for name in ("old", "new", "other")}
        self.embedders |= {"narrow": NarrowEmbedder("narrow", 48), "slim": NarrowEmbedder("slim", 32)}
        self.gone: set[str] = set()
        self.events: list[Event] = []

    def start(self) -> None:
        """Begin anew, as at a start of the program."""
        self.jobs = Jobs(self.events.append)
        self.generations = GenerationManager(
            self.vault_harness.store,
            self.vault_harness.clock,
            lambda: self.open(self.source()),
            reopen=self.open,
            wanted=self.source,
        )
        store, clock = self.vault_harness.store, self.vault_harness.clock
        self.sync = IndexWorker(store, clock, self.generations, lambda _, __: None)
        self.builder = GenerationBuilder(
            store, clock, self.generations, self.jobs, self.events.append, self.sync.active_ann_cache, batch=16
        )

    def source(self) -> EmbedderSource:
        return EmbedderSource(self.wanted)

    def open(self, source: EmbedderSource) -> Embedder:
        if source.model in self.gone:
            raise ModelUnavailableError(f"There is no {source.model}.")
        return self.embedders[source.model]

    def run(self, *steps: Step, builds: bool = True) -> None:
        """Run index worker and builder during ``steps``, and then until both are idle."""

        async def work() -> None:
            tasks = [asyncio.create_task(self.sync.run())]
            tasks += [asyncio.create_task(self.builder.run())] if builds else []
            await asyncio.sleep(0)  # they have begun
            self.sync.wake()
            self.builder.wake()
            try:
                async with asyncio.timeout(60):
                    for step in steps:
                        await step()
                    await self.sync.wait_idle()
                    if builds:
                        await self.builder.wait_idle()
                        await self.sync.wait_idle()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

        self.vault_harness.do(work())

    def states(self) -> list[tuple[str, str, int]]:
        """Return model, state and number of vectors of each generation."""

        def read(connection: apsw.Connection) -> list[tuple[str, str, int]]:
            rows = reversed(generation_repo.rows(connection))
            return [(row.source.model, row.state, generation_repo.count(connection, row.generation)) for row in rows]

        return self.vault_harness.do(self.vault_harness.store.read(read))

    def served(self) -> str:
        return self.vault_harness.do(self.generations.serving()).embedder.identity.model

    def finds(self, text: str) -> bool:
        """Return whether the active embedder and vectors find exactly the chunk of ``text``."""
        serving = self.vault_harness.do(self.generations.serving())
        vector = serving.embedder.embed_query(text).tobytes()
        found = self.vault_harness.do(
            self.vault_harness.store.read(lambda connection: nearest(connection, serving.generation, vector, 1, None))
        )
        texts = self.vault_harness.rows("SELECT text FROM chunk_texts WHERE id = ?", found[0][0])
        return bool(found[0][1] > 0.999 and texts == [(text,)])


def change(harness: IndexHarness, name: str, *, waits: bool = False) -> Step:
    """Return a step that chooses another model."""

    async def step() -> None:
        harness.wanted = name
        await harness.generations.set_target(harness.embedders[name], waits=waits)
        harness.builder.wake()

    return step


def cancel_at(harness: IndexHarness, name: str, texts: int) -> None:
    """Cancel the building by a model once it has embedded so many texts."""
    embedder = harness.embedders[name]

    def look() -> None:
        if embedder.texts >= texts:
            harness.jobs.cancel("embedding")

    embedder.before = look
