"""Rows that several machines changed, as undo needs them."""

from dataclasses import dataclass
from typing import Any, Protocol

import apsw

from app.history.history_repo import HistoryRow


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Target without one of the changes that were made of it.

    Args:
        state: The state that it is to have, ``None`` where it is to be deleted.
        later: The entry in the way, ``None`` for none.
        fields: What that entry changed, ``existence`` for whether the target is there.
    """

    state: dict[str, Any] | None
    later: HistoryRow | None = None
    fields: tuple[str, ...] = ()


class SharedRows(Protocol):
    """Changes of targets by all machines, of which one can be taken back."""

    def taken_back(
        self, connection: apsw.Connection, entry: HistoryRow, now: dict[str, Any] | None
    ) -> TakenBack | None:
        """Return what a target is to be once an entry is taken back, which stands.

        Args:
            connection: Any connection.
            entry: The entry.
            now: The target's state.

        Returns:
            The target without that change; ``None`` where its state is that of its last entry, so that nothing but
            the entry needs to be looked at.
        """


class OwnRows:
    """Rows of a vault that shares its changes with no other machine."""

    def taken_back(
        self, connection: apsw.Connection, entry: HistoryRow, now: dict[str, Any] | None
    ) -> TakenBack | None:
        """Return ``None``: each row is what its last entry left."""
