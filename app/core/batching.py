"""Batches of items, for work in short steps."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of ``size``, the last perhaps shorter; Python 3.12 has one like it in itertools."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
