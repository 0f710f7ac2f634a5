"""A process that runs many ``keepsake`` command lines, to save their start.

Run as ``python -m tests.integration.processes.command_lines``: it reads a JSON list of arguments and writes one of
what was said.
"""

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

from app.__main__ import main
from tests.helpers.sample_data import ROOT

LIMIT_S = 60


class Said(NamedTuple):
    """Output and status of a command."""

    status: int
    output: str
    errors: str


def run_all(command_lines: list[list[str]], cwd: Path, environment: dict[str, str]) -> list[Said]:
    """Run command lines in one process, with an empty standard input."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.integration.processes.command_lines"],
        cwd=cwd,
        env={**environment, "PYTHONPATH": str(ROOT)},
        input=json.dumps(command_lines).encode(),
        stdout=subprocess.PIPE,
        timeout=LIMIT_S,
        check=True,
    )
    return [Said(*item) for item in json.loads(done.stdout)]


def _run(arguments: list[str]) -> Said:
    output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with redirect_stdout(output), redirect_stderr(errors):
        try:
            status = main(arguments)
        except SystemExit as leaving:
            status = leaving.code if isinstance(leaving.code, int) else 1
    return Said(status, *(_written(stream) for stream in (output, errors)))


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    kept = stream.buffer
    assert isinstance(kept, io.BytesIO)
    return kept.getvalue().decode()


if __name__ == "__main__":
    given = json.load(sys.stdin)
    json.dump([_run(arguments) for arguments in given], sys.stdout)
