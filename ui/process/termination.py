"""SIGTERM and SIGINT as a Qt signal, so that the program leaves in order."""

import contextlib
import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal

WATCHED = (signal.SIGTERM, signal.SIGINT)


class SignalWatch(QObject):
    """Signal watcher that wakes Qt's loop; must live on the main thread."""

    stop_requested = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._read, self._write = socket.socketpair()
        self._read.setblocking(False)
        self._write.setblocking(False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_activated)
        self._wakeup = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _ignore) for number in WATCHED}

    def close(self) -> None:
        """Put everything back as it was."""
        self._notifier.setEnabled(False)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        self._read.close()
        self._write.close()

    def _on_activated(self) -> None:
        with contextlib.suppress(BlockingIOError):
            numbers = set(self._read.recv(64))
            if numbers & {int(number) for number in WATCHED}:
                self.stop_requested.emit()


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the wake-up socket already has the signal's number."""
