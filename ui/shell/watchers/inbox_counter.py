"""Counts the proposals that wait, for the badge of the inbox."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.changes import Area
from ui import operations
from ui.work import Work

if TYPE_CHECKING:
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
        self._work = Work(self, bridge)
        self._work.on_areas({AREA}, self.count, WAIT_MS)
        self.count()

    def count(self) -> None:
        """Count the waiting proposals and emit ``counted``."""
        self._work.latest(self._count)

    async def _count(self) -> None:
        self.counted.emit(await self._bridge.call(operations.inbox.count()))
