"""Counts the proposals that wait, for the badge of the inbox."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from app.changes import Area
from ui import operations

if TYPE_CHECKING:
    from app.changes import ChangeSet
    from ui.bridge import Bridge

AREA: Area = "inbox"
WAIT_MS = 250


class InboxCounter(QObject):
    """Counts again once a burst of changes is over.

    Args:
        bridge: The way to the engine.
        parent: The Qt parent.
    """

    counted = Signal(int)

    def __init__(self, bridge: "Bridge", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._timer = QTimer(self, singleShot=True, interval=WAIT_MS)
        self._timer.timeout.connect(self.count)
        bridge.changed.connect(self._on_bridge_changed)
        self.count()

    def count(self) -> None:
        """Count the waiting proposals and emit ``counted``."""
        self._bridge.refresh(self._count())

    async def _count(self) -> None:
        count: int = await self._bridge.call(operations.inbox.count())
        if isValid(self):
            self.counted.emit(count)

    def _on_bridge_changed(self, changes: "ChangeSet") -> None:
        if AREA in changes.areas:
            self._timer.start()
