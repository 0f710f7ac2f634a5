"""Finds the window, which is another package that the engine does not know."""

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from app.errors import MachineError

WINDOW = "keepsake.window"
RENDER = "keepsake.render"


def open_window(vault: Path, arguments: list[str]) -> int:
    """Run the window on ``vault`` until the person quits; return its exit status."""
    status: int = installed(WINDOW)(["--vault", str(vault), *arguments])
    return status


def installed(group: str) -> Callable[..., Any]:
    """Return what is installed as entry point of ``group``.

    Raises:
        MachineError: Nothing is.
    """
    for point in entry_points(group=group):
        loaded: Callable[..., Any] = point.load()
        return loaded
    raise MachineError(
        "This installation has no window. Install Keepsake with 'make setup', or use it without one: 'keepsake --help'."
    )
