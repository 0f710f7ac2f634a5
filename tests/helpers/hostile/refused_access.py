"""Files that the system does not let a program use, also where the tests run as root."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_LIKE_ANYBODY = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


def like_anybody() -> tuple[str, ...]:
    """Return the beginning of a command for which the modes of files count; skip where that cannot be had."""
    if sys.platform == "win32":
        pytest.skip("the modes of files count on POSIX only")
    if os.geteuid() != 0:
        return ()
    if shutil.which(_LIKE_ANYBODY[0]) is None:
        pytest.skip("root reads everything, and there is no setpriv to give that up")
    answer = subprocess.run([*_LIKE_ANYBODY, "true"], capture_output=True, text=True, check=False)
    if answer.returncode:
        pytest.skip(f"root reads everything here: {answer.stderr.strip()}")
    return _LIKE_ANYBODY


@contextmanager
def refused(path: Path) -> Iterator[None]:
    """Take all rights to a file or folder away for a while."""
    mode = path.stat().st_mode & 0o777
    path.chmod(0)
    try:
        yield
    finally:
        path.chmod(mode)
