"""Automatic lock of an encrypted vault whose window is not used."""

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.encryption.model import EncryptionState
from app.errors import KeepsakeError
from ui import operations
from ui.work import Work

if TYPE_CHECKING:
    from app.encryption.model import EncryptionStatus
    from ui.bridge import Bridge

SETTING = "encryption.auto_lock_minutes"
LOOK_EVERY_MS = 10_000
_USED = frozenset({
    QEvent.Type.KeyPress,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseMove,
    QEvent.Type.Wheel,
    QEvent.Type.TouchBegin,
})  # fmt: skip


class AutoLock(QObject):
    """Requests a lock when the windows were not used for some minutes.

    The setting says how many. It listens to the native windows alone. The clock is that of the day, so that the time
    for which the computer slept counts.

    Args:
        bridge: The way to the engine.
        windows: The windows of the program.
        parent: The Qt parent.
    """

    expired = Signal()
    encrypted_changed = Signal(bool)
    """Whether the vault is encrypted, so that it can be locked."""

    def __init__(self, bridge: "Bridge", windows: list[QWidget], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self.used_at = time.time()
        self.minutes = 0
        self.is_encrypted = False
        for window in windows:
            window.winId()  # the native window exists from here on
            handle = window.windowHandle()
            if handle is not None:
                handle.installEventFilter(self)
        self._timer = QTimer(self, interval=LOOK_EVERY_MS)
        self._timer.timeout.connect(self.look)
        self._work.on_areas({"settings"}, self._refresh)
        self._refresh()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Take note of use; every event goes on."""
        if event.type() in _USED:
            self.used_at = time.time()
        return False

    def look(self) -> None:
        """Ask for a lock if it is time, and no work is running."""
        if self.is_encrypted and self.minutes and time.time() - self.used_at >= self.minutes * 60:
            self._work.start(self._expire())

    async def _expire(self) -> None:
        try:
            # What a person began and left alone, such as an import, is finished first.
            if await self._bridge.call(operations.job.list()):
                return
        except KeepsakeError:
            return  # the vault is being closed
        self.expired.emit()

    async def _load(self) -> None:
        try:
            status: EncryptionStatus = await self._bridge.call(operations.encryption.status())
            settings = await self._bridge.call(operations.settings.list())
        except KeepsakeError:
            return  # the vault is being closed
        self.minutes = next((int(setting.value) for setting in settings if setting.name == SETTING), 0)
        self.is_encrypted = status.state in {EncryptionState.ENCRYPTED, EncryptionState.DECRYPTING}
        if self.is_encrypted:
            self._timer.start()
        else:
            self._timer.stop()
        self.encrypted_changed.emit(self.is_encrypted)

    def _refresh(self) -> None:
        self._work.latest(self._load)
