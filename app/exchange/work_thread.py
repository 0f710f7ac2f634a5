"""Thread for the blocking pieces of a long work."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Self, TypeVar

T = TypeVar("T")


class WorkThread:
    """Thread that runs blocking pieces one after the other.

    So only one piece touches a reader or file at a time.
    """

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._pool.shutdown(wait=False)

    def run(self, piece: Callable[[], T]) -> "asyncio.Future[T]":
        """Run ``piece`` after those before it."""
        return asyncio.get_running_loop().run_in_executor(self._pool, piece)
