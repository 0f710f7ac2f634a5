"""Modules as processes that start at once: they end, speak and are killed as ``python -m`` would."""

import subprocess
from pathlib import Path

import pytest

from tests.helpers.processes.warm_process import start_module

ECHO = "tests.unit.helpers.echo"


def test_it_has_its_own_arguments_environment_and_streams() -> None:
    with start_module(ECHO, "é", "2", environment={"LC_ALL": "C.UTF-8", "WORD": "ü"}, has_input=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("typed\n")
        process.stdin.flush()
        assert process.stdout.read() == "é 2 ü typed\n"
        assert process.wait(60) == 0


def test_a_kill_ends_it_at_once_and_shows() -> None:
    with start_module(ECHO, has_input=True) as process:
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.kill()
        assert process.wait(60) == -9
        assert process.poll() == -9
        process.kill()  # it has ended: nobody else is killed


def test_a_failure_is_its_status_and_goes_to_its_errors(tmp_path: Path) -> None:
    with (tmp_path / "errors").open("wb") as errors:
        with start_module("tests.unit.helpers.no_such", output=subprocess.DEVNULL, errors=errors.fileno()) as process:
            assert process.stdout is None
        assert process.returncode == 1
    assert b"no_such" in (tmp_path / "errors").read_bytes()
