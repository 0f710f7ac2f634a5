"""Relaunch of this program as another process, with nothing kept in memory."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QProcess

from app.core.process.program_command import program_command


def start_again(vault: Path, arguments: Sequence[str]) -> bool:
    """Start the program again as another process; False where that fails.

    Args:
        vault: The vault's folder.
        arguments: Further arguments of the window.
    """
    program, *first = program_command()
    started, _process = QProcess.startDetached(program, [*first, "--vault", str(vault), *arguments])
    return bool(started)
