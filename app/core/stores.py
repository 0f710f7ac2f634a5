"""Stores of memories: who may see what."""

from collections.abc import Collection
from typing import Literal

StoreName = Literal["private", "shared", "social"]
STORES: tuple[StoreName, ...] = ("private", "shared", "social")


def sees_all(stores: Collection[str]) -> bool:
    """Return whether ``stores`` are all there are."""
    return set(stores) >= set(STORES)
