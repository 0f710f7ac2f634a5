"""Keeps Python's garbage collection on the Qt thread.

A collection may run on whichever thread allocates, and one on the engine's thread would destroy Qt objects there that
belong to this one, which crashes Qt. So the automatic one is off while the window runs, and a timer does its work.
"""

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 5_000
WARM_MS = 60_000


class GarbageCollector(QObject):
    """Collects garbage on the thread it lives on, until ``stop``.

    What is there when the window is up, and after the first minute, stays: it is set apart, for looking through it
    would hold up the engine.

    Args:
        parent: The Qt parent.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._warm = QTimer(self, interval=WARM_MS, singleShot=True)
        self._warm.timeout.connect(self._set_apart)

    def start(self) -> None:
        """Take garbage collection over."""
        gc.disable()
        self._set_apart()
        self._timer.start()
        self._warm.start()

    def stop(self) -> None:
        """Leave it to Python again."""
        self._timer.stop()
        self._warm.stop()
        gc.unfreeze()
        gc.enable()

    @staticmethod
    def _set_apart() -> None:
        gc.collect()
        gc.freeze()

    def _on_timer_timeout(self) -> None:
        young, middle, old = gc.get_count()
        if old >= self._thresholds[2]:
            gc.collect(2)
        elif middle >= self._thresholds[1]:
            gc.collect(1)
        elif young >= self._thresholds[0]:
            gc.collect(0)
