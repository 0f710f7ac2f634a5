"""Exports that are killed: what they leave is hidden, harms nothing, and goes with the next export."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.host import Host
from tests.helpers.sample_data import ROOT


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a vault whose export takes a while."""
    place = tmp_path_factory.mktemp("export") / "vault"
    host = Host(place, serve=False, overrides={"index.vectors": False})
    host.start()
    for number in range(60):
        turns = [{"role": "user", "content": f"turn {turn} " + "words of it " * 40} for turn in range(200)]
        host.ask("session.append", session=f"talk-{number}", messages=turns, title=f"Talk {number}")
    host.stop()
    return place


def export(vault: Path, path: Path, kind: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "app", "--vault", str(vault), "export", str(path), "--format", kind]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def hidden(place: Path) -> list[Path]:
    return [path for path in place.iterdir() if path.name.endswith(".partial")]


def aged(left: Path) -> None:
    """Make a leftover look like one of yesterday."""
    then = time.time() - 86_400
    for path in (left, *left.rglob("*")):
        os.utime(path, (then, then))


@pytest.mark.parametrize("kind", ["jsonl", "folder"])
def test_what_a_killed_export_left_goes_with_the_next_one(vault: Path, tmp_path: Path, kind: str) -> None:
    target = tmp_path / ("everything.jsonl" if kind == "jsonl" else "everything")
    killed = export(vault, target, kind)
    until = time.monotonic() + 60
    while not hidden(tmp_path):
        assert killed.poll() is None, killed.communicate()
        assert time.monotonic() < until
        time.sleep(0.002)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    (left,) = hidden(tmp_path)
    assert not target.exists()

    fresh = tmp_path / left.name.replace(left.name[-16:-8], "0" * 8)
    fresh.write_bytes(b"of an export that still runs")
    alien = tmp_path / ".else.partial"
    alien.write_bytes(b"of another program")
    aged(left)
    aged(alien)
    again = export(vault, target, kind)
    said, _ = again.communicate(timeout=60)
    assert again.returncode == 0, said
    assert target.exists()
    assert sorted(hidden(tmp_path)) == sorted([fresh, alien])
