"""Warming of search: what the first search needs is loaded before it is asked."""

import asyncio
from typing import Final

from app.index.worker import IndexWorker
from app.jobs import Jobs
from app.retrieval.service import SearchService

WARM_AFTER_S: Final = 2.0  # the window comes first


class SearchWarming:
    """Loads what a search needs, once after the start.

    Args:
        search: The search.
        worker: The worker of the index, which goes first.
        jobs: Lists the warming while it goes on.
    """

    def __init__(self, search: SearchService, worker: IndexWorker, jobs: Jobs) -> None:
        self._search = search
        self._worker = worker
        self._jobs = jobs

    async def run(self) -> None:
        """Warm the search and return."""
        await asyncio.sleep(WARM_AFTER_S)
        await self._worker.wait_quiet()
        with self._jobs.running("Preparing search", "steps", "warming"):
            await self._search.warm()
