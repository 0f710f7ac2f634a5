"""A process of its own that serves a vault."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.rpc.hostfile import FILE
from tests.helpers.processes.warm_process import ModuleProcess, start_module
from tests.helpers.sample_data import ROOT

WAIT_S = 60.0


@contextmanager
def serving(
    vault: Path, environment: Mapping[str, str] | None = None, beginning: Sequence[str] = ()
) -> Iterator[ModuleProcess]:
    """Run ``keepsake serve`` on a vault; it is killed at the end, if it still runs.

    Args:
        vault: The vault's folder.
        environment: Its environment, where what stands in it counts from the start of a process on.
        beginning: A program with arguments that starts it.
    """
    command = ["app", "--vault", str(vault), "serve"]
    process: ModuleProcess
    if environment is None and not beginning:
        process = start_module(*command, output=subprocess.DEVNULL, errors=subprocess.DEVNULL)
    else:
        process = subprocess.Popen(
            [*beginning, sys.executable, "-m", *command],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**(os.environ if environment is None else environment), "PYTHONPATH": str(ROOT)},
            text=True,
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
