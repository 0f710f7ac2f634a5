"""Location of an unexpected error, without its text.

The text of an error may repeat what a person wrote.
"""

import traceback
from pathlib import Path
from typing import Final

_DEEPEST: Final = 8
_ROOT: Final = Path(__file__).resolve().parents[2]


def error_location(error: BaseException) -> str:
    """Return the type of ``error`` and the innermost calls that led to it.

    For example ``KeyError at app/x.py:12 in work < …``.
    """
    frames = traceback.extract_tb(error.__traceback__, -_DEEPEST)
    calls = [f"{_code_location(frame.filename)}:{frame.lineno} in {frame.name}" for frame in reversed(frames)]
    cause = error.__cause__
    behind = f", after {error_location(cause)}" if cause is not None and cause is not error else ""
    return type(error).__name__ + (f" at {' < '.join(calls)}" if calls else "") + behind


def _code_location(filename: str) -> str:
    path = Path(filename)
    return path.relative_to(_ROOT).as_posix() if path.is_relative_to(_ROOT) else path.name
