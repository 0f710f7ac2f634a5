"""Keeps Python's garbage collection on the Qt thread.

A collection may run on whichever thread allocates, and one on the engine's thread would destroy Qt objects there that
belong to this one, which crashes Qt. So the automatic one is off while the window runs, and a timer does its work.
"""

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 5_000


class Collector(QObject):
    """Collects garbage on the thread it lives on, until ``stop``.

    Args:
        parent: The Qt parent.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self._on_timer_timeout)

    def start(self) -> None:
        """Take garbage collection over."""
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        """Leave it to Python again."""
        self._timer.stop()
        gc.enable()

    def _on_timer_timeout(self) -> None:
        young, middle, old = gc.get_count()
        if old >= self._thresholds[2]:
            gc.collect(2)
        elif middle >= self._thresholds[1]:
            gc.collect(1)
        elif young >= self._thresholds[0]:
            gc.collect(0)
