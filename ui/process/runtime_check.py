"""Runtime check: refuses pairs of Qt and Python known to crash."""

import sys
from importlib import metadata

_BROKEN_QT = (6, 12)
_SAFE_PYTHON = (3, 12)


def refusal(qt: str, python: tuple[int, ...]) -> str:
    """Return why this pair must not run, ``""`` when it may.

    PySide6 6.12 drops one reference to ``None`` at every call that returns nothing; only since CPython 3.12, where
    ``None`` is immortal, does the interpreter survive that.

    Args:
        qt: The binding's version, such as ``6.11.3``.
        python: The interpreter's version, such as ``(3, 11, 7)``.
    """
    version = tuple(int(part) for part in qt.split(".")[:2] if part.isdecimal())
    if version < _BROKEN_QT or python[:2] >= _SAFE_PYTHON:
        return ""
    running = ".".join(str(part) for part in python[:3])
    return (
        f"PySide6 {qt} crashes on Python {running} within seconds. "
        'Install PySide6_Essentials older than 6.12 (pip install "PySide6_Essentials>=6.11.2,<6.12"), '
        "or run Keepsake on Python 3.12 or newer."
    )


def check() -> None:
    """Leave the program with a plain sentence when Qt and Python do not get along.

    Raises:
        SystemExit: When they do not.
    """
    try:
        installed = metadata.version("PySide6_Essentials")
    except metadata.PackageNotFoundError:
        # A bundle carries no package metadata; the binding tells its version itself.
        from PySide6 import __version__ as installed  # noqa: PLC0415
    sentence = refusal(installed, sys.version_info[:3])
    if sentence:
        raise SystemExit(sentence)
