"""Processes that measure one system each: started, waited for, and stopped when they take too long."""

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench.growth.measurements import LOG, PROGRESS, RESULT

ROOT = Path(__file__).resolve().parents[3]
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "QT_QPA_PLATFORM": "offscreen",
}
_REPORTED = 1_500


class ChildError(RuntimeError):
    """A process failed; the message has the end of what it said."""


def measured(python: str, module: str, arguments: Sequence[str], folder: Path, limit_s: float | None) -> dict[str, Any]:
    """Run a module in a process of its own and return what it measured.

    Args:
        python: The interpreter.
        module: What it runs, as ``python -m`` does.
        arguments: For the module, after the folder where it tells what it measured.
        folder: Made for this process: what it tells, and a home of its own.
        limit_s: It is stopped after so many seconds; the answer then says so under ``stopped``.

    Raises:
        ChildError: It failed.
    """
    folder.mkdir(parents=True)
    environment = {**os.environ, **_QUIET, "HOME": str(folder), "MEM0_DIR": str(folder / "mem0")}
    with (folder / LOG).open("wb") as log:
        child = subprocess.Popen(
            [python, "-m", module, str(folder), *arguments],
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            code = child.wait(limit_s)
        except subprocess.TimeoutExpired:
            return {"stopped": {"seconds": limit_s, "at": _read(folder / PROGRESS)}}
        finally:
            _end(child)
    if code or not (folder / RESULT).is_file():
        raise ChildError(f"{module} ended with {code}: {_read(folder / LOG)[-_REPORTED:]}")
    result: dict[str, Any] = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    return result


def version_of(python: str, package: str, modules: Sequence[str]) -> str:
    """Return which version of a package an interpreter has.

    Raises:
        ChildError: It cannot import the modules; the message says why.
    """
    requested = f"import {', '.join(modules)}; from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run(
        [python, "-c", requested], capture_output=True, text=True, check=False, env={**os.environ, **_QUIET}
    )
    if done.returncode:
        raise ChildError((done.stderr.strip().splitlines() or ["it ended without a word"])[-1])
    return done.stdout.strip().splitlines()[-1]


def _end(child: "subprocess.Popen[bytes]") -> None:
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
