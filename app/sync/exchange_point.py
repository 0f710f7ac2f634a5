"""Exchange point: a place that keeps segments for the machines of one person.

All verbs may be repeated. An object is never changed; only its lane's writer makes or removes it.
"""

from collections.abc import Sequence
from typing import Protocol


class ExchangePoint(Protocol):
    """Place that keeps the objects of one vault.

    Each verb may take long, and raises a ``MachineError`` where the place cannot be reached.
    """

    def require_there(self) -> None:
        """Refuse where the place is not there; an empty one is not taken for it."""

    def put_new(self, name: str, data: bytes) -> bool:
        """Keep an object under a new name; return False where the name is taken."""

    def get(self, name: str) -> bytes | None:
        """Return an object by its name, ``None`` where there is none."""

    def names(self, prefix: str) -> Sequence[str]:
        """Return the names that begin with a prefix and a slash, in order."""

    def lanes(self) -> Sequence[str]:
        """Return what stands before the slash of the names."""

    def remove(self, name: str) -> None:
        """Remove an object, if it is there."""
