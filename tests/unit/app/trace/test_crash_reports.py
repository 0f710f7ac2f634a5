"""Crash reports of real processes, ended by a signal."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.trace.crash_reports import CrashRecorder, take_crash_reports
from tests.helpers.sample_data import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
DYING = """
import os, signal, sys, threading
from pathlib import Path
from app.trace.crash_reports import CrashRecorder
recorder = CrashRecorder(Path(sys.argv[1]), "window")
recorder.start()
begun = threading.Event()
def wait_beside_it():
    begun.set()
    threading.Event().wait()
threading.Thread(target=wait_beside_it, daemon=True).start()
begun.wait()
if sys.argv[2] == "die":
    os.kill(os.getpid(), signal.SIGSEGV)
recorder.stop()
"""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    made = tmp_path / "vault"
    made.mkdir(mode=0o700)
    return made


def _run(vault: Path, how: str = "die") -> int:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONFAULTHANDLER"}
    command = [sys.executable, "-c", DYING, str(vault), how]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False, timeout=60).returncode


def test_a_process_that_dies_leaves_the_stacks_of_all_threads(vault: Path) -> None:
    assert _run(vault) == -signal.SIGSEGV
    file = vault / "trace" / "crash-window.txt"
    assert file.stat().st_mode & 0o777 == 0o600
    (report,) = take_crash_reports(vault)
    assert report.program == "window"
    assert "Segmentation fault" in report.stacks
    assert "wait_beside_it" in report.stacks


def test_a_report_is_taken_once_and_set_aside(vault: Path) -> None:
    _run(vault)
    assert len(take_crash_reports(vault)) == 1
    assert take_crash_reports(vault) == []
    assert [path.name for path in (vault / "trace").iterdir()] == ["crash-window.txt.old"]


def test_an_orderly_end_leaves_nothing(vault: Path) -> None:
    assert _run(vault, "live") == 0
    assert list((vault / "trace").iterdir()) == []


def test_no_vault_is_made(tmp_path: Path) -> None:
    assert _run(tmp_path / "none") == -signal.SIGSEGV
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("plant", [os.symlink, os.link])
def test_planted_links_are_not_followed(vault: Path, tmp_path: Path, plant: object) -> None:
    target = tmp_path / "precious"
    target.write_text("mine")
    (vault / "trace").mkdir()
    plant(target, vault / "trace" / "crash-window.txt")  # type: ignore[operator]
    assert _run(vault) == -signal.SIGSEGV
    assert target.read_text() == "mine"
    assert take_crash_reports(vault) == []


def test_a_planted_folder_is_not_followed(vault: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (vault / "trace").symlink_to(elsewhere)
    assert _run(vault) == -signal.SIGSEGV
    assert list(elsewhere.iterdir()) == []


def test_a_file_that_has_grown_begins_anew(vault: Path) -> None:
    (vault / "trace").mkdir()
    file = vault / "trace" / "crash-window.txt"
    file.write_text("old\n" * 100_000)
    assert _run(vault) == -signal.SIGSEGV
    assert file.read_text().startswith("Fatal Python error: Segmentation fault")


def test_reports_are_cut_at_a_limit(vault: Path) -> None:
    (vault / "trace").mkdir()
    (vault / "trace" / "crash-host.txt").write_text("x" * 1_000_000)
    (report,) = take_crash_reports(vault)
    assert len(report.stacks) == 256 * 1024


def test_what_python_was_told_to_report_elsewhere_stays_there(vault: Path) -> None:
    CrashRecorder(vault, "window").start()  # pytest has it on
    assert list(vault.iterdir()) == []
