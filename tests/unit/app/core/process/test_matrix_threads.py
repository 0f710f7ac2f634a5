"""Matrix products run in one thread, in time and unless the environment says otherwise."""

import os
import subprocess
import sys

import pytest

from app.core.process.matrix_threads import use_one_thread

NAME = "OPENBLAS_NUM_THREADS"


def test_the_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NAME)
    use_one_thread()
    assert os.environ[NAME] == "1"
    monkeypatch.setenv(NAME, "3")
    use_one_thread()
    assert os.environ[NAME] == "3"


def test_a_host_is_made_before_numpy_is_loaded() -> None:
    code = "import app.host, sys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
