"""A window beside another process's host, which is killed: the vault is taken over, and nothing typed is lost."""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.changes import ChangeSet, Event
from app.errors import HostUnreachableError, VaultLockedError
from app.host import Host
from app.rpc.host_backend import HostBackend
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.helpers.processes.warm_process import ModuleProcess
from tests.integration.processes.serving import serving
from ui.app import start_host

WAIT_S = 30.0


@pytest.fixture
def other(vault: Path) -> Iterator[ModuleProcess]:
    """Return a process that has the vault open and answers."""
    with serving(vault) as process:
        yield process


class RecordedStates:
    """States of the search for a host; ``until`` waits for one."""

    def __init__(self, backend: HostBackend) -> None:
        self.states: list[str] = []
        self._more = threading.Condition()
        backend.watch(self)

    def __call__(self, state: str, _sentence: str) -> None:
        with self._more:
            self.states.append(state)
            self._more.notify_all()

    def until(self, state: str) -> None:
        with self._more:
            assert self._more.wait_for(lambda: state in self.states, WAIT_S), self.states


def kill(process: ModuleProcess) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def ask(backend: HostBackend, operation: str, /, **arguments: Any) -> Any:
    return backend.call(operation, arguments).result(WAIT_S).value


@pytest.fixture
def joined(other: ModuleProcess, vault: Path) -> Iterator[HostBackend]:
    backend = start_host(vault)
    assert isinstance(backend, HostBackend)
    yield backend
    backend.stop()


def test_a_lock_whose_holder_does_not_answer_is_told(vault: Path) -> None:
    holder = Host(vault, serve=False)
    holder.start()
    try:
        with pytest.raises(VaultLockedError):
            start_host(vault)
    finally:
        holder.stop()


def test_the_vault_is_taken_over_and_calls_go_on(joined: HostBackend, other: Any, vault: Path) -> None:
    recorded, events = RecordedStates(joined), list[Event]()
    joined.subscribe(events.append)
    before = ask(joined, "note.save", content="before")
    kill(other)
    after = ask(joined, "note.save", content="after")  # waits for the new host
    recorded.until("taken_over")
    assert recorded.states == ["lost", "taken_over"]
    assert ask(joined, "note.get", id=before.id).content == "before"
    assert ask(joined, "note.get", id=after.id).content == "after"
    assert any(isinstance(event, ChangeSet) and event.operation == "vault.reopen" for event in events)
    with pytest.raises(VaultLockedError):  # it is ours now
        Host(vault, serve=False).start()


def test_a_window_that_leaves_asks_nothing_more(joined: HostBackend) -> None:
    joined.stop()
    joined.stop()
    with pytest.raises(HostUnreachableError):
        ask(joined, "vault.status")


def test_of_two_windows_one_takes_over_and_the_other_joins(
    joined: HostBackend, other: Any, vault: Path, allow_logs: AllowLogs
) -> None:
    allow_logs("could not be taken over")
    second = start_host(vault)
    assert isinstance(second, HostBackend)
    try:
        recorded = [RecordedStates(joined), RecordedStates(second)]
        kill(other)
        note = ask(joined, "note.save", content="by the first")
        assert ask(second, "note.get", id=note.id).content == "by the first"
        assert sum("taken_over" in one.states for one in recorded) == 1
    finally:
        second.stop()
