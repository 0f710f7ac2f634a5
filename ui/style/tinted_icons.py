"""Tinted icon files for stylesheets, which can only name files."""

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QTemporaryDir

from app.core.paths import resources
from ui.style.design_tokens import Tokens

MARKS: Mapping[str, tuple[str, str]] = {
    "arrow_down": ("chevron-down", "muted"),
    "arrow_up": ("chevron-up", "muted"),
    "arrow_right": ("chevron-right", "muted"),
    "check": ("check", "on_accent"),
}
"""Name in the stylesheet: icon and the token it is drawn in."""


class TintedIcons:
    """Writes each mark once a colour and tells its path."""

    def __init__(self) -> None:
        self._folder = QTemporaryDir()

    def paths(self, tokens: Tokens) -> dict[str, str]:
        """Return the path of each mark in the colours of ``tokens``."""
        return {mark: self._path(name, getattr(tokens, token)) for mark, (name, token) in MARKS.items()}

    def _path(self, name: str, colour: str) -> str:
        path = Path(self._folder.path()) / f"{name}-{colour.lstrip('#')}.svg"
        source = resources() / "icons" / f"{name}.svg"
        if not path.exists() and source.exists():
            path.write_text(source.read_text("utf-8").replace("currentColor", colour), "utf-8")
        return path.as_posix()
