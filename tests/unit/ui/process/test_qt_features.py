"""Imports pass without PySide reading the source of each module."""

import subprocess
import sys

_CODE = """
import linecache, sys
from ui.process.qt_features import ignore_features
import PySide6.QtCore
{call}
linecache.clearcache()
import wave
print(any(name.endswith("wave.py") for name in linecache.cache))
"""


def _reads_source(call: str) -> bool:
    done = subprocess.run([sys.executable, "-c", _CODE.format(call=call)], capture_output=True, text=True, check=True)
    return done.stdout.strip() == "True"


def test_no_source_is_read_once_features_are_ignored() -> None:
    assert not _reads_source("ignore_features()")


def test_pyside_still_reads_it_otherwise() -> None:
    # Where this fails PySide has given up the search, and with it goes the module under test.
    assert _reads_source("")
