"""Access: what a caller may see, and how its changes are recorded."""

from dataclasses import dataclass, replace
from typing import Self

from app.core.stores import STORES, StoreName


@dataclass(frozen=True, slots=True)
class Access:
    """The rights of one call, stated in full where the call is made.

    Args:
        actor: The name in the history of what is changed.
        stores: The stores that may be read; a memory in another one is not found.
        operation: The operation that changes are announced as.
        run_id: The run that changes belong to, ``None`` where they belong to none or a new one is begun.
    """

    actor: str
    stores: tuple[StoreName, ...]
    operation: str
    run_id: str | None

    @classmethod
    def everything(cls, actor: str, operation: str, run_id: str | None = None) -> Self:
        """Return the access to all stores."""
        return cls(actor, STORES, operation, run_id)

    def within(self, stores: tuple[StoreName, ...]) -> Self:
        """Return the same access to other stores."""
        return replace(self, stores=stores)

    def in_run(self, run_id: str) -> Self:
        """Return the same access for changes that belong to a run."""
        return replace(self, run_id=run_id)
