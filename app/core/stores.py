"""Stores of memories: who may see what."""

from typing import Literal

StoreName = Literal["private", "shared", "social"]
STORES: tuple[StoreName, ...] = ("private", "shared", "social")
