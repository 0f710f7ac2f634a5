"""Windows that are opened and closed leave nothing; ``KEEPSAKE_TEST_WINDOWS=200`` opens so many."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.helpers.sample_data import ROOT

FIRST = 4
PER_WINDOW_MB = 1.0  # a window that stayed would take more than ten
PER_WINDOW_OBJECTS = 200  # and its panes tens of thousands of objects


def test_windows_leave_nothing(tmp_path: Path) -> None:
    windows = max(FIRST + 1, int(os.environ.get("KEEPSAKE_TEST_WINDOWS", "10")))
    arguments = ("--vault", str(tmp_path / "v"), "--windows", str(windows), "--first", str(FIRST))
    done = subprocess.run(
        [sys.executable, "-m", "tests.e2e.window_growth", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30 * windows,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    first, last = json.loads(done.stdout.splitlines()[-1])
    for name in ("windows", "qt", "threads", "files"):
        assert last[name] == first[name], (first, last)
    assert last["objects"] - first["objects"] < PER_WINDOW_OBJECTS * (windows - FIRST)
    assert last["rss_mb"] - first["rss_mb"] < PER_WINDOW_MB * (windows - FIRST) + 10
