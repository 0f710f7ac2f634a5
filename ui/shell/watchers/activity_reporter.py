"""Reporter of typing and of the connection, so that heavy work waits."""

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject
from PySide6.QtNetwork import QNetworkInformation
from PySide6.QtWidgets import QWidget

from app.errors import KeepsakeError
from ui import operations

if TYPE_CHECKING:
    from ui.bridge import Bridge

REPORT_EVERY_S = 10.0


class ActivityReporter(QObject):
    """Reports of typing to the engine, every ten seconds at most.

    It listens to the native window alone: through it come all keys, and few other events.

    Args:
        bridge: The way to the engine.
        window: The window.
        parent: The Qt parent.
    """

    def __init__(self, bridge: "Bridge", window: QWidget, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._reported_at = -REPORT_EVERY_S
        window.winId()  # the native window exists from here on
        handle = window.windowHandle()
        if handle is not None:
            handle.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Take note of keys; every event goes on."""
        if event.type() == QEvent.Type.KeyPress and time.monotonic() - self._reported_at >= REPORT_EVERY_S:
            self._reported_at = time.monotonic()
            self._bridge.refresh(self._report())
        return False

    async def _report(self) -> None:
        try:
            await self._bridge.call(operations.schedule.activity(typing=True, metered=is_metered()))
        except KeepsakeError:
            return  # the vault is being closed; work that begins meanwhile does no harm


def is_metered() -> bool | None:
    """Return whether the connection is paid by volume, ``None`` where the platform does not say."""
    wanted = QNetworkInformation.Feature.Metered
    if not QNetworkInformation.loadBackendByFeatures(wanted):  # does nothing where it is loaded
        return None
    return bool(QNetworkInformation.instance().isMetered())
