"""Gaps of the Qt thread: how long its event loop answered nothing, and where it was then."""

import sys
import threading
import time
import traceback
from collections import Counter
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer

TICK_MS = 10
LONG_MS = 50.0
_DEPTH = 14


@dataclass(frozen=True, slots=True)
class Gap:
    """Time between two ticks of the event loop.

    Args:
        step: The step of the day.
        ms: How long it took.
        cpu_ms: What the Qt thread itself computed of it; the rest it waited, for Python or for a processor.
        stack: Where the Qt thread was most of the time; only of long ones.
    """

    step: str
    ms: float
    cpu_ms: float
    stack: str = ""


class GapRecorder(QObject):
    """Records the time between ticks of a timer on the thread it lives on.

    A second thread looks at this one's stack while a tick is overdue.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.step = ""
        self.gaps: list[Gap] = []
        self._main = threading.get_ident()
        self._last = time.perf_counter()
        self._used = 0.0
        self._stacks: list[str] = []
        self._stop = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="keepsake-gap-watcher", daemon=True)
        self._timer = QTimer(self, interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timer_timeout)

    def start(self) -> None:
        """Begin to record; on the Qt thread."""
        self._last, self._used = time.perf_counter(), time.thread_time()
        self._timer.start()
        self._watcher.start()

    def stop(self) -> None:
        """Record no more."""
        self._timer.stop()
        self._stop.set()
        self._watcher.join()

    def _on_timer_timeout(self) -> None:
        now, used = time.perf_counter(), time.thread_time()
        gap, cpu = (now - self._last) * 1000, (used - self._used) * 1000
        # The stacks are taken away before the tick counts, so that the watcher adds none of this gap later.
        stacks, self._stacks = self._stacks, []
        self._last, self._used = now, used
        stack = Counter(stacks).most_common(1)[0][0] if stacks and gap > LONG_MS else ""
        self.gaps.append(Gap(self.step, gap, cpu, stack))

    def _watch(self) -> None:
        while not self._stop.wait(TICK_MS / 1000):
            if (time.perf_counter() - self._last) * 1000 > LONG_MS / 2:
                self._stacks.append(_stack_of(self._main))


def _stack_of(thread: int) -> str:
    """Return the stack of a thread.

    Nothing here reads a file or waits while it holds a frame: a frame that is held keeps the painter in it alive when
    its function returns, and Qt crashes when that painter ends on this thread.
    """
    places: list[tuple[str, int, str]] = []
    frame = sys._current_frames().get(thread)
    while frame is not None:
        places.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    summary = traceback.StackSummary.from_list([(*place, None) for place in reversed(places[:_DEPTH])])
    return "".join(summary.format())
