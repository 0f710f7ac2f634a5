"""A window beside a host that goes away: its calls wait for the next one, and everything may have changed then."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.changes import EVERYTHING, Event
from app.errors import HostUnreachableError, KeepsakeError, UnknownOperationError, VaultLockedError
from app.host import Host
from app.rpc.host_backend import FAILED_AFTER, HostBackend
from tests.helpers.guards.unexpected_logs import AllowLogs

if TYPE_CHECKING:
    from concurrent.futures import Future

WAIT_S = 30.0


class Opener:
    """Opens the vault when it is let; ``None`` as long as another process is said to be faster."""

    def __init__(self, vault: Path) -> None:
        self.vault = vault
        self.may_open = threading.Event()
        self.attempts = 0
        self.fault: Exception | None = None

    def __call__(self) -> Host | None:
        self.attempts += 1
        if self.fault is not None:
            raise self.fault
        if not self.may_open.is_set():
            return None
        host = Host(self.vault)
        host.start()
        return host


class Window:
    """A window's backend, and what it heard."""

    def __init__(self, vault: Path) -> None:
        self.opener = Opener(vault)
        self.backend = HostBackend(vault, self.opener)
        self.states: list[str] = []
        self.errors: list[KeepsakeError] = []
        self.events: list[Event] = []
        self._more = threading.Condition()
        self.backend.watch(self._on_state)
        self.backend.subscribe(self.events.append)
        self.backend.start()

    def _on_state(self, state: str, error: KeepsakeError | None) -> None:
        with self._more:
            self.states.append(state)
            self.errors += [] if error is None else [error]
            self._more.notify_all()

    def until(self, state: str) -> None:
        with self._more:
            assert self._more.wait_for(lambda: state in self.states, WAIT_S), self.states

    def send(self, operation: str, **arguments: Any) -> "Future[Any]":
        return self.backend.call(operation, arguments)


@pytest.fixture
def window(host: Host) -> Iterator[Window]:
    window = Window(host.vault)
    yield window
    window.backend.stop()


def test_calls_of_the_time_without_a_host_are_made_at_the_next(host: Host, window: Window) -> None:
    host.stop()
    window.until("lost")
    saved, shown = window.send("note.save", content="heron"), window.send("vault.status")
    window.opener.may_open.set()
    window.until("taken_over")
    assert saved.result(WAIT_S).value.content == "heron"
    assert shown.result(WAIT_S).value is not None
    assert EVERYTHING in window.events
    assert window.states == ["lost", "taken_over"]


def test_a_read_is_given_up_and_a_write_is_not(host: Host, window: Window) -> None:
    host.stop()
    window.until("lost")
    assert window.send("note.list").cancel()
    saved = window.send("note.save", content="heron")
    assert not saved.cancel()
    window.opener.may_open.set()
    assert saved.result(WAIT_S).value.content == "heron"


def test_a_vault_that_stays_closed_is_told(host: Host, window: Window, allow_logs: AllowLogs) -> None:
    allow_logs("could not be taken over")
    window.opener.fault = VaultLockedError("Another program has it open.")
    host.stop()
    window.until("failed")
    assert window.opener.attempts == FAILED_AFTER
    assert [error.code for error in window.errors] == ["vault_locked"]
    window.opener.fault = None
    window.opener.may_open.set()
    window.until("taken_over")


def test_a_window_that_leaves_fails_what_waits(host: Host, window: Window) -> None:
    host.stop()
    window.until("lost")
    waiting = window.send("note.list")
    window.backend.stop()
    for call in (waiting, window.send("note.list")):
        with pytest.raises(HostUnreachableError):
            call.result(WAIT_S)


def test_an_unknown_operation_is_refused(window: Window) -> None:
    with pytest.raises(UnknownOperationError):
        window.send("no.such")


def test_without_a_host_it_does_not_start(vault: Path) -> None:
    with pytest.raises(HostUnreachableError):
        Window(vault)
