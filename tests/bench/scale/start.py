"""Start-up, each in a process of its own: until the engine answers, and until the window has painted.

The first round compiles what an installation has compiled already, so the median of several is told.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROUNDS = 5

_ENGINE = """
import sys, time
begun = time.perf_counter()
from pathlib import Path
from app.host import Host
host = Host(Path(sys.argv[1]), serve=False)
host.start()
host.ask("session.list")
print((time.perf_counter() - begun) * 1000)
host.stop()
"""


def engine_ms(vault: Path) -> float:
    """Return the median milliseconds from the first import to the first answer."""
    return _median([float(_run([sys.executable, "-c", _ENGINE, str(vault)])) for _ in range(ROUNDS)])


def window(vault: Path) -> dict[str, Any]:
    """Return median milliseconds to the first paint and to the filled list, and the window's resident MB."""
    runs = []
    for _ in range(ROUNDS):
        command = [sys.executable, "-m", "tests.bench.scale.window", str(vault), str(time.time())]
        runs.append(json.loads(_run(command)))
    return {name: _median([run[name] for run in runs]) for name in runs[0]}


def _run(command: list[str]) -> str:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=600)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:3])} failed: {done.stderr[-2000:]}")
    return done.stdout.strip().splitlines()[-1]


def _median(values: list[float]) -> float:
    return round(sorted(values)[len(values) // 2], 1)
