"""A process of its own that serves a vault."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from app.rpc.hostfile import FILE
from tests.helpers.sample_data import ROOT

WAIT_S = 60.0


@contextmanager
def serving(vault: Path, environment: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Run ``keepsake serve`` on a vault; it is killed at the end, if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "--vault", str(vault), "serve"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**(environment or os.environ), "PYTHONPATH": str(ROOT)},
    )
    try:
        waiting = threading.Event()
        for _ in range(int(WAIT_S * 20)):
            if (vault / FILE).exists() or process.poll() is not None:
                break
            waiting.wait(0.05)
        assert process.poll() is None
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
