"""Settling of rows: what their changes make of them becomes what is stored."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import apsw

from app.history.undo import StateApplier
from app.sync.folding.fold import FoldedRow, fold_row
from app.sync.segments import capture, turn_references
from app.sync.segments.change import Change

State = dict[str, Any]
MakeRow = Callable[[apsw.Connection, Change, State], None]


class RowSettler(Protocol):
    """Settler of the rows of one kind."""

    def settle(self, connection: apsw.Connection, targets: Sequence[str], now_ms: int) -> Sequence[str]:
        """Make rows what all their changes say, and others that follow from them.

        Args:
            connection: The writer's connection, inside a transaction.
            targets: Ids of rows that were changed; none of them was forgotten for ever.
            now_ms: The time, milliseconds UTC.

        Returns:
            The ids of the rows that are another now.
        """


class StateSettler:
    """Settler of rows that are each for itself, through the applier of their undo.

    Args:
        kind: The kind of row.
        applier: Reads and writes its states.
        at_ms: Returns the time of a change, given that of the last one and the time now.
        make: Makes a row that was never here, given its first change and its state.
    """

    def __init__(
        self, kind: str, applier: StateApplier, at_ms: Callable[[int, int], int], make: MakeRow | None = None
    ) -> None:
        self._kind = kind
        self._applier = applier
        self._at_ms = at_ms
        self._make = make

    def settle(self, connection: apsw.Connection, targets: Sequence[str], now_ms: int) -> Sequence[str]:
        """Make rows what all their changes say; return those that are another now."""
        return [target for target in targets if self._settle(connection, target, now_ms)]

    def _settle(self, connection: apsw.Connection, target: str, now_ms: int) -> bool:
        changes = capture.changes_of_row(connection, self._kind, target)
        row, last_ms = fold_row(changes), changes[-1].at_ms
        wanted = local(connection, row, row.state)
        current = self._applier.current(connection, target)
        if wanted is None or current is None:
            is_same = wanted is current
        else:
            is_same = all(current.get(name) == value for name, value in wanted.items())
        if is_same:
            return False
        if current is None and wanted is not None and self._make is not None:
            self._make(connection, changes[0], wanted)
        self._applier.apply(connection, target, wanted, self._at_ms(last_ms, now_ms), current)
        return True


def folded(connection: apsw.Connection, kind: str, target: str) -> FoldedRow:
    """Return a row as all its changes make it, as forgotten where none is left."""
    changes = capture.changes_of_row(connection, kind, target)
    return fold_row(changes) if changes else FoldedRow(kind, target, None, None, is_erased=True)


def local(connection: apsw.Connection, row: FoldedRow, state: Mapping[str, Any] | None) -> State | None:
    """Return a state of a folded row as this machine keeps it."""
    return turn_references.to_local(connection, row.target_kind, row.target, None if state is None else dict(state))
