"""Commands and windows that begin while another process still opens the vault."""

import threading
from pathlib import Path
from typing import Any

import pytest

from app.cli import connect
from app.cli.connect import open_connection
from app.errors import VaultLockedError
from app.host import Host
from app.rpc.host_backend import HostBackend
from app.store.lock import VaultLock
from ui.app import start_host


@pytest.fixture(autouse=True)
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "_WAIT_SECONDS", 0.2)


class Waiting(threading.Thread):
    """A thread that wants the vault, with its outcome."""

    def __init__(self, vault: Path, *, has_window: bool = False) -> None:
        super().__init__()
        self.vault = vault
        self.has_window = has_window
        self.outcome: Any = None

    def run(self) -> None:
        """Save a note, or open a window's host."""
        try:
            if self.has_window:
                host = start_host(self.vault)
                self.outcome = type(host)
                host.stop()
            else:
                with open_connection(self.vault) as connection:
                    self.outcome = connection.call("note.save", content="Tea")["content"], connection.is_remote
        except VaultLockedError as error:
            self.outcome = error


def test_a_command_waits_for_a_host_that_still_opens_the_vault(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock = VaultLock(vault).acquire()
    waiting = Waiting(vault)
    waiting.start()
    waiting.join(2.0)  # ten times as long as a command waits for an open one
    assert waiting.is_alive()
    lock.release()
    waiting.join(30.0)
    assert waiting.outcome == ("Tea", False)
    assert capsys.readouterr().err == "Another Keepsake is opening these memories; this waits for it.\n"


def test_a_command_does_not_wait_for_one_that_is_open_and_silent(vault: Path) -> None:
    lock = VaultLock(vault).acquire()
    lock.settle()
    waiting = Waiting(vault)
    waiting.start()
    waiting.join(30.0)
    assert isinstance(waiting.outcome, VaultLockedError)
    assert "has this vault open" in waiting.outcome.message
    lock.release()


def test_a_window_waits_and_joins_the_host_that_opens_the_vault(vault: Path) -> None:
    lock = VaultLock(vault).acquire()
    waiting = Waiting(vault, has_window=True)
    waiting.start()
    waiting.join(2.0)
    assert waiting.is_alive()
    lock.release()
    host = Host(vault)
    try:
        host.start()
    except VaultLockedError:  # the window was faster
        host = None  # type: ignore[assignment]
    waiting.join(30.0)
    assert waiting.outcome in {Host, HostBackend}
    if host is not None:
        host.stop()


def test_a_lock_of_an_earlier_version_is_that_of_an_open_vault(vault: Path) -> None:
    lock = VaultLock(vault).acquire()
    (vault / "lock").write_bytes(b"\n1234")
    with pytest.raises(VaultLockedError) as locked:
        VaultLock(vault).acquire()
    assert locked.value.data == {"owner": "1234", "is_opening": False}
    lock.release()
