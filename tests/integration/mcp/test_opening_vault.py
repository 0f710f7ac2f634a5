"""Agents that call while another process still opens the vault, as after an update."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from app.core.process.lock_owner import LockOwner, lock_owner
from app.errors import HostUnreachableError
from app.mcp import host_launcher
from app.mcp.host_launcher import ensure_host
from app.rpc.client import Client
from app.store.lock import VaultLock

if TYPE_CHECKING:
    import subprocess

LIMIT = 40  # in the time of ``looks``


class Looks:
    """The time of the launcher, which goes on by one with each look at it until it is stopped."""

    def __init__(self) -> None:
        self.now = 0
        self.is_stopped = False

    def look(self) -> int:
        """Return the time."""
        if not self.is_stopped:
            self.now += 1
        return self.now


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    clock = Looks()
    monkeypatch.setattr(host_launcher, "time", SimpleNamespace(monotonic=clock.look, sleep=time.sleep))
    return clock


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Return the hosts that were started, which end with the test."""
    real, hosts = host_launcher._launch, []

    def launch(vault: Path) -> "subprocess.Popen[bytes]":
        hosts.append(real(vault))
        return hosts[-1]

    monkeypatch.setattr(host_launcher, "_launch", launch)
    yield hosts
    for host in hosts:
        if host.poll() is None:
            os.kill(host.pid, signal.SIGTERM)
        host.wait(60.0)


class Waiting(threading.Thread):
    """A thread that wants a host, with what kept it from having one."""

    def __init__(self, vault: Path) -> None:
        super().__init__()
        self.vault = vault
        self.refusal: HostUnreachableError | None = None

    def run(self) -> None:
        """Wait for a host."""
        try:
            ensure_host(self.vault, LIMIT)
        except HostUnreachableError as error:
            self.refusal = error


def test_an_agent_waits_for_a_process_that_opens_the_vault(
    vault: Path, looks: Looks, launched: list["subprocess.Popen[bytes]"]
) -> None:
    lock = VaultLock(vault).acquire()
    waiting = Waiting(vault)
    waiting.start()
    while waiting.is_alive() and (looks.now < 3 * LIMIT or len(launched) < 2):
        waiting.join(0.05)
    assert waiting.is_alive()
    looks.is_stopped = True  # a host may take longer to start than the looks that are left
    lock.release()
    waiting.join(120.0)
    assert waiting.refusal is None
    with Client.connect(vault) as client:
        assert client.call("vault.status")["memories"] == 0


@pytest.mark.usefixtures("looks", "launched")
def test_an_agent_is_told_of_one_that_has_it_open_and_does_not_answer(vault: Path) -> None:
    lock = VaultLock(vault).acquire()
    lock.settle()
    with pytest.raises(HostUnreachableError, match="could not be started"):
        ensure_host(vault, LIMIT)
    lock.release()


def test_the_file_of_a_lock_names_its_owner(vault: Path) -> None:
    assert lock_owner(vault) == LockOwner("", is_opening=False)
    lock = VaultLock(vault).acquire()
    assert lock_owner(vault) == LockOwner(str(os.getpid()), is_opening=True)
    lock.settle()
    assert lock_owner(vault) == LockOwner(str(os.getpid()), is_opening=False)
    lock.release()
