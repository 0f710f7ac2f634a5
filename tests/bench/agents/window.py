"""Window on a vault that another process serves, with a watch on its event loop.

Measures from the line ``start`` on its input until ``stop``; prints milliseconds.
"""

import asyncio
import sys
import threading
import time
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer

from ui.app import VaultFolder, make_application, start_host
from ui.process.error_reporter import ErrorReporter
from ui.process.event_loop import EventLoop
from ui.process.program import Program
from ui.process.single_instance import SingleInstance

_EVERY_MS = 5


class StallWatch(QObject):
    """Measures how late a timer of the window's event loop is."""

    def __init__(self) -> None:
        super().__init__()
        self.worst_ms = 0.0
        self._last: float | None = None
        self._timer = QTimer(self, interval=_EVERY_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timeout)

    def start(self) -> None:
        """Begin to measure."""
        self._timer.start()

    def stop(self) -> None:
        """End measuring."""
        self._timer.stop()

    def _on_timeout(self) -> None:
        now = time.perf_counter()
        if self._last is not None:
            self.worst_ms = max(self.worst_ms, (now - self._last) * 1000 - _EVERY_MS)
        self._last = now


def main() -> int:
    """Open the window on the vault named first."""
    vault = Path(sys.argv[1])
    application = make_application()
    loop = EventLoop(application)
    asyncio.set_event_loop(loop)
    program = Program(
        vault, SingleInstance(str(vault / "bench.socket")), ErrorReporter(), start_host, VaultFolder(vault)
    )
    watch, ended, stopped = StallWatch(), loop.create_future(), loop.create_future()
    program.finished.connect(lambda: ended.set_result(None))
    program.start(hidden=False, requests=[])

    def obey() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(watch.start if line.strip() == "start" else watch.stop)
        loop.call_soon_threadsafe(stopped.set_result, None)

    threading.Thread(target=obey, daemon=True).start()
    loop.run_until_complete(stopped)
    print(round(watch.worst_ms, 1), flush=True)
    program.quit()
    loop.run_until_complete(ended)
    loop.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
