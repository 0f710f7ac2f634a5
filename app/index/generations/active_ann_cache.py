"""ANN cache of the active generation, and of the one that is to replace it."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from app.core.process.lazy_module import LazyModule
from app.index import repo
from app.index.generations.active import GenerationManager
from app.index.vectors.vector_repo import Generation
from app.store.store import Store

if TYPE_CHECKING:
    from app.index.vectors import ann_cache
    from app.index.vectors.ann_cache import AnnCache
else:
    ann_cache = LazyModule("app.index.vectors.ann_cache")  # loads numpy

MIN_VECTORS: Final = 5_000
"""The number of chunks from which vectors are searched through an ``AnnCache``."""
REFRESH_LIMIT_S: Final = 600.0


class ActiveAnnCache:
    """ANN cache of the active generation, exchanged when another generation becomes active.

    Args:
        store: The vault's database.
        generations: The active generation.
    """

    def __init__(self, store: Store, generations: GenerationManager) -> None:
        self._store = store
        self._generations = generations
        self._next: AnnCache | None = None
        self.current: AnnCache | None = None
        """The cache to search; ``None`` before it is ready, while the database answers."""

    async def refresh(self) -> None:
        """Bring the cache up to date, if there are enough vectors for one."""
        count = await self._store.read(repo.chunk_count, is_background=True)
        if count < MIN_VECTORS:
            return
        generation = (await self._generations.serving()).generation
        cache = self.current or self._new()
        if cache.needs_refresh(generation, count):
            refresh = partial(cache.refresh, generation=generation)
            await self._store.read(refresh, limit_s=REFRESH_LIMIT_S, is_background=True)
            self.current = cache

    async def add(self, generation: Generation, stored: Sequence[tuple[int, bytes]]) -> None:
        """Add vectors of the active generation that were just stored, by chunk id."""
        if self.current is not None:
            await asyncio.to_thread(self.current.add, generation, stored)

    async def prepare(self, generation: Generation) -> None:
        """Build the cache of a generation that becomes active next; see ``activate``."""
        count = await self._store.read(repo.chunk_count)
        if count < MIN_VECTORS:
            return
        cache = self._new()
        if cache.needs_refresh(generation, count):
            await self._store.read(partial(cache.refresh, generation=generation), limit_s=REFRESH_LIMIT_S)
            self._next = cache

    async def add_prepared(self, generation: Generation, stored: Sequence[tuple[int, bytes]]) -> None:
        """Add vectors that were stored after ``prepare``."""
        if self._next is not None:
            await asyncio.to_thread(self._next.add, generation, stored)

    def activate(self) -> None:
        """Search the prepared cache from now on, if there is one."""
        if self._next is not None:
            self.current, self._next = self._next, None

    async def discard(self) -> None:
        """Delete the vectors cached outside the database, because something was erased."""
        self._next = None
        await asyncio.to_thread((self.current or self._new()).discard)

    def _new(self) -> "AnnCache":
        return ann_cache.AnnCache(self._store.vault, MIN_VECTORS)
