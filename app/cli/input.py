"""Input of a person: paths and standard input."""

import sys
from pathlib import Path
from typing import Final

from app.cli import terminal
from app.core.paths import user_path
from app.errors import InputError

PATH: Final = "path"
"""The argument of operations that is a file or folder on this machine."""


def given_path(text: str) -> Path:
    """Return a path that the person wrote.

    An empty one is refused: it comes from a variable that was not set, and must not mean the current folder.

    Raises:
        InputError: It is empty.
    """
    if not text.strip():
        raise InputError("The path is empty. Name a file or folder; '.' is the current folder.")
    return user_path(text)


def piped_text(*, is_requested: bool) -> str:
    """Return the text piped in; from a terminal only on request."""
    if sys.stdin is None or (sys.stdin.isatty() and not is_requested):
        return ""
    return terminal.piped(sys.stdin.buffer.read())
