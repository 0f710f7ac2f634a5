"""Relaunch of this program as another process, with nothing kept in memory."""

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QProcess


def start_again(vault: Path, arguments: Sequence[str]) -> bool:
    """Start the program again as another process; False where that fails.

    Args:
        vault: The vault's folder.
        arguments: Further arguments of the window.
    """
    program = [] if getattr(sys, "frozen", False) else ["-m", "app"]
    started, _process = QProcess.startDetached(sys.executable, [*program, "--vault", str(vault), *arguments])
    return bool(started)
