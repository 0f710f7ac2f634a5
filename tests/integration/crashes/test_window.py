"""Crash reports of started programs: the window and the host."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.api.caller import Caller
from app.errors import HostUnreachableError
from app.host import Host
from app.rpc.hostfile import read_hostfile
from tests.helpers.sample_data import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
Launch = Callable[..., "subprocess.Popen[bytes]"]
SCOUT = Caller("scout", "full", review=True)
TYPED = 80
"""Letters typed before the kill: several times as many as between two looks at what is to be kept."""


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Launch]:
    """Start one of the programs; what still runs at the end is ended."""
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONFAULTHANDLER"}
    environment |= {"QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(runtime)}
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> "subprocess.Popen[bytes]":
        popen = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        started.append(popen)
        return popen

    yield start
    for one in started:
        one.terminate()
        one.communicate(timeout=60)


def _until(process: "subprocess.Popen[bytes]", done: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not done():
        assert process.poll() is None
        assert time.monotonic() < end, "it did not become true in 60 seconds"
        time.sleep(0.02)


def _crash(process: "subprocess.Popen[bytes]", file: Path) -> None:
    # The file is there a moment before it is used: by the window until the vault is open, by a host until it says so.
    if file.name == "crash-host.txt":
        assert process.stdout is not None
        assert b"serves" in process.stdout.readline()
    _until(process, lambda: file.exists() and _has_open_vault(process, file.parent.parent))
    process.send_signal(signal.SIGSEGV)
    assert process.wait(60) == -signal.SIGSEGV
    assert "Segmentation fault" in file.read_text()


def _has_open_vault(process: "subprocess.Popen[bytes]", vault: Path) -> bool:
    try:
        return read_hostfile(vault).pid == process.pid
    except HostUnreachableError:
        return False


def test_the_next_window_takes_up_the_crashes_of_window_and_host(launch: Launch, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    window, host = (vault / "trace" / f"crash-{name}.txt" for name in ("window", "host"))
    _crash(launch("ui", "--vault", str(vault)), window)
    _crash(launch("app", "--vault", str(vault), "serve"), host)
    aside = [path.with_name(f"{path.name}.old") for path in (window, host)]
    _until(launch("ui", "--vault", str(vault)), lambda: all(path.exists() for path in aside))
    assert not host.exists()


def test_what_is_typed_into_a_proposal_without_a_pause_outlives_a_kill(launch: Launch, vault: Path) -> None:
    host = Host(vault, serve=False)
    host.start()
    host.ask("note.save", content="Over an empty vault lie the first steps, also over its inbox.")
    host.ask("agent.add", name=SCOUT.name, trust=SCOUT.trust, review=True)
    proposal = host.call("note.save", {"title": "Kestrel", "content": "seen "}, SCOUT).result().value.proposed
    host.stop()
    window = launch("tests.e2e.typing_process", "--vault", str(vault))
    assert window.stdout is not None
    texts = [window.stdout.readline().decode() for _ in range(TYPED)]
    window.send_signal(signal.SIGKILL)
    window.wait(60)
    assert texts[-1].strip() == "seen " + "x" * TYPED
    again = Host(vault, serve=False)
    again.start()
    draft = again.ask("inbox.get", id=proposal).draft
    again.stop()
    assert draft["content"].startswith("seen x")
