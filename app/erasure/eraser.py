"""Erasers: what erasure demands of the subjects whose rows it removes."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import apsw

from app.erasure.model import RemainingReference

Names = Collection[tuple[str, str]]


class Eraser(Protocol):
    """Takes one kind of target away."""

    def exists(self, connection: apsw.Connection, target: str) -> bool:
        """Return whether anything is kept of it."""

    def texts(self, connection: apsw.Connection, target: str) -> Iterator[str]:
        """Yield what it says, for samples."""

    def hide(self, connection: apsw.Connection, target: str, at_ms: int) -> None:
        """Take it out of every list at once."""

    def step(self, connection: apsw.Connection, target: str, limit: int) -> dict[str, int]:
        """Remove some rows; return how many by table, none when all are gone."""

    def left(self, connection: apsw.Connection, target: str) -> Iterator[RemainingReference]:
        """Yield what refers to it and stays."""


@dataclass(frozen=True, slots=True)
class DroppedNames:
    """Outcome of the removal of names.

    Args:
        removed: How many rows went from each table.
        entities: Entities of which all that was recorded went with them.
    """

    removed: dict[str, int] = field(default_factory=dict)
    entities: tuple[str, ...] = ()


class EntityNameEraser(Protocol):
    """Eraser of entity names that only certain messages or memories mention."""

    def names_in(self, connection: apsw.Connection, kind: str, target: str) -> Names:
        """Return the names that a target uses."""

    def unmentioned_in(self, connection: apsw.Connection, texts: Iterable[str]) -> Names:
        """Return the names that ``texts`` say and nothing mentions."""

    def spellings(self, connection: apsw.Connection, names: Names) -> Collection[str]:
        """Return how names are written."""

    def kept(self, connection: apsw.Connection, names: Names) -> Iterator[RemainingReference]:
        """Yield what still has one of ``names`` though nothing mentions it."""

    def drop(self, connection: apsw.Connection, names: Names) -> DroppedNames:
        """Remove those that nothing uses any more."""
