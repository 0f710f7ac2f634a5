"""Callers: the person, or an agent with its trust."""

from dataclasses import dataclass
from typing import Literal

from app.core.stores import STORES, StoreName

Trust = Literal["full", "inner", "familiar", "public"]

READABLE: dict[Trust, tuple[StoreName, ...]] = {
    "full": STORES,
    "inner": ("shared", "social"),
    "familiar": ("social",),
    "public": (),
}
_LEVELS: tuple[Trust, ...] = ("public", "familiar", "inner", "full")


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of an operation; ``name`` is the actor in the history."""

    name: str
    trust: Trust = "full"

    @property
    def stores(self) -> tuple[StoreName, ...]:
        """Return the stores this caller may read."""
        return READABLE[self.trust]

    def reaches(self, needed: Trust) -> bool:
        """Return whether this caller's trust is at least ``needed``."""
        return _LEVELS.index(self.trust) >= _LEVELS.index(needed)


OWNER = Caller("person")
