"""Opens the window on a vault, and prints when it had painted, when its list was filled, and its memory, as JSON."""

import asyncio
import json
import sys
import time
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QListView, QWidget

from tests.bench.machine import resident_mb
from ui.app import VaultFolder, make_application, start_host
from ui.process.error_reporter import ErrorReporter
from ui.process.event_loop import EventLoop
from ui.process.program import Program
from ui.process.single_instance import SingleInstance

_LOOK_EVERY_MS = 5
_GIVE_UP_S = 60.0


class Watch(QObject):
    """Notes when a window first paints and when one of its lists has rows.

    Args:
        window: The window.
        begun: When the process was started, seconds since 1970.
    """

    def __init__(self, window: QWidget, begun: float) -> None:
        super().__init__(window)
        self._window = window
        self._begun = begun
        self.painted_ms = 0.0
        self.filled_ms = 0.0
        self.done = asyncio.get_event_loop().create_future()
        window.installEventFilter(self)
        self._timer = QTimer(self, interval=_LOOK_EVERY_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note the first paint."""
        if event.type() == QEvent.Type.Paint and not self.painted_ms:
            self.painted_ms = self._now()
        return super().eventFilter(watched, event)

    def _on_timer_timeout(self) -> None:
        lists = (view for view in self._window.findChildren(QListView) if view.isVisible() and view.model() is not None)
        if self.painted_ms and any(view.model().rowCount() for view in lists):
            self.filled_ms = self._now()
            self._end()
        elif self._now() > _GIVE_UP_S * 1000:
            self._end()

    def _end(self) -> None:
        self._timer.stop()
        if not self.done.done():
            self.done.set_result(None)

    def _now(self) -> float:
        return (time.time() - self._begun) * 1000


def main() -> int:
    """Open the window on the vault named first; the second argument is when the process was started."""
    vault, begun = Path(sys.argv[1]), float(sys.argv[2])
    application = make_application()
    loop = EventLoop(application)
    asyncio.set_event_loop(loop)
    instance = SingleInstance(str(vault / "bench.socket"))
    program = Program(vault, instance, ErrorReporter(), start_host, VaultFolder(vault))
    watch = Watch(program.window, begun)
    ended = loop.create_future()
    program.finished.connect(lambda: ended.set_result(None))
    program.start(hidden=False, requests=[])
    loop.run_until_complete(watch.done)
    answer = {"window_ms": watch.painted_ms, "usable_ms": watch.filled_ms, "window_rss_mb": resident_mb()}
    program.quit()
    loop.run_until_complete(ended)
    loop.close()
    print(json.dumps({name: round(value, 1) for name, value in answer.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
