"""``python -m tests.e2e.window_growth``: open and close the program's window many times and count what stays.

It prints JSON: the counts after some rounds and at the end.
"""

import argparse
import asyncio
import gc
import json
import os
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication

from tests.bench.machine import resident_mb
from ui.app import VaultFolder, make_application, start_host
from ui.process.error_reporter import ErrorReporter
from ui.process.event_loop import EventLoop
from ui.process.program import Program
from ui.process.single_instance import SingleInstance
from ui.shell.navigation import Place
from ui.shell.pane_stack import PANES


async def _opened_and_closed(vault: Path) -> None:
    """Open a window, go through its panes, and quit."""
    loop = asyncio.get_running_loop()
    is_open, ended = loop.create_future(), loop.create_future()
    program = Program(vault, SingleInstance(str(vault / "instance")), ErrorReporter(), start_host, VaultFolder(vault))
    program.opened.connect(lambda: is_open.set_result(None))
    program.finished.connect(lambda: ended.set_result(None))
    program.start(hidden=False, requests=[])
    await is_open
    for entry in PANES:
        program.window.go(Place(entry.name))
        await asyncio.sleep(0.02)
    program.window.quit_requested.emit()
    await ended
    for item in (program.window, program.capture, program):
        item.deleteLater()


def _counted() -> dict[str, Any]:
    """Return what there is now."""
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
        gc.collect()
    everything = gc.get_objects()
    own = Counter(type(item).__name__ for item in everything if isinstance(item, QObject) and shiboken6.isValid(item))
    return {
        "windows": [type(item).__name__ for item in QApplication.topLevelWidgets() if item.isVisible()],
        "qt": own.total(),
        "most": own.most_common(12),
        "objects": len(everything),
        "threads": sum(thread.name.startswith("keepsake") for thread in threading.enumerate()),
        "files": sum(1 for _ in Path("/proc/self/fd").iterdir()) if sys.platform == "linux" else 0,
        "rss_mb": resident_mb(os.getpid()),
    }


def main() -> int:
    """Open as many windows as the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.window_growth", description=__doc__)
    parser.add_argument("--vault", type=Path, required=True)
    parser.add_argument("--windows", type=int, default=10)
    parser.add_argument("--first", type=int, default=4, help="windows before the first count")
    options = parser.parse_args()
    loop = EventLoop(make_application())
    asyncio.set_event_loop(loop)
    counts = []
    gc.disable()  # as in the program: within an event of Qt it crashes PySide now and then
    for number in range(1, options.windows + 1):
        loop.run_until_complete(_opened_and_closed(options.vault))
        if number in {options.first, options.windows}:
            counts.append(_counted())
        else:
            gc.collect()
    loop.close()
    sys.stdout.write(f"{json.dumps(counts)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
