"""Erasure watcher: what was erased for ever, here or by another program."""

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from app.changes import EVERYTHING, ChangeSet
from app.core.declared_operations import declared_operations
from ui import operations
from ui.work import Work

if TYPE_CHECKING:
    from app.erasure.model import ErasureReceipt
    from ui.bridge import Bridge

_MOST: Final = 200


class ErasureWatcher(QObject):
    """Reports each erasure, also those made while the window was closed.

    Args:
        bridge: The way to the engine.
        newest: The id of the newest erasure that the window knew of, ``""`` for none.
        parent: The Qt parent.
    """

    erased = Signal(tuple)
    """Ids of what was erased."""

    def __init__(self, bridge: "Bridge", newest: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.newest = newest
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._reported: set[str] = set()
        bridge.changed.connect(self._on_bridge_changed)

    def load(self) -> None:
        """Look for erasures that the window has not heard of."""
        self._work.refresh(self._load())

    async def _load(self) -> None:
        receipts: list[ErasureReceipt] = await self._bridge.call(operations.memory.receipts(limit=_MOST))
        unknown = [*takewhile(lambda receipt: receipt.id != self.newest, receipts)]
        if unknown:
            self.newest = unknown[0].id
            self._report([name for receipt in unknown for name in (*receipt.ids, *receipt.sessions)])

    def _on_bridge_changed(self, changes: ChangeSet) -> None:
        is_erasure = changes.operation in declared_operations().erases
        if is_erasure:
            self._report(changes.ids)
        if is_erasure or changes == EVERYTHING:
            self.load()

    def _report(self, ids: Sequence[str]) -> None:
        """Report ids once: what is shown after an erasure is not about it."""
        if unknown := tuple(name for name in ids if name not in self._reported):
            self._reported.update(unknown)
            self.erased.emit(unknown)
