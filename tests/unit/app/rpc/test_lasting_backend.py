"""A read that its caller gave up is given up at the host too; a write goes on."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

import pytest

from app.api.registry import Reply
from app.changes import Listener
from app.errors import HostUnreachableError
from app.rpc.lasting_backend import LastingBackend
from app.rpc.wire import gone


class OpenVault:
    """A vault whose calls are answered by the test."""

    def __init__(self) -> None:
        self.calls: list[Future[Reply]] = []
        self.is_left = False
        self.was_called = threading.Event()

    def call(self, operation: str, arguments: Mapping[str, Any]) -> "Future[Reply]":
        if self.is_left:
            raise gone(was_sent=False)
        self.calls.append(Future())
        self.was_called.set()
        return self.calls[-1]

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        return lambda: None

    def stop(self) -> None:
        """Nothing is open."""


@pytest.fixture
def vault() -> OpenVault:
    return OpenVault()


@pytest.fixture
def lasting(vault: OpenVault) -> LastingBackend:
    made = LastingBackend(lambda _: vault, lambda _: (vault, True))
    made.start()
    return made


def test_a_cancelled_read_is_cancelled_at_the_host(vault: OpenVault, lasting: LastingBackend) -> None:
    answer = lasting.call("memory.search", {"query": "heron"})
    assert answer.cancel()
    assert vault.calls[0].cancelled()
    assert len(vault.calls) == 1
    assert lasting.call("memory.search", {}) is not answer  # the host was not taken for lost
    vault.calls[1].set_result(Reply(7))
    assert len(vault.calls) == 2


def test_a_write_is_not_taken_back(vault: OpenVault, lasting: LastingBackend) -> None:
    answer = lasting.call("note.save", {"content": "heron"})
    assert not answer.cancel()
    vault.calls[0].set_result(Reply(7))
    assert answer.result().value == 7


def test_an_answer_that_comes_too_late_is_dropped(vault: OpenVault, lasting: LastingBackend) -> None:
    answer = lasting.call("memory.search", {})
    vault.calls[0].set_running_or_notify_cancel()
    assert answer.cancel()
    vault.calls[0].set_result(Reply(7))
    assert answer.cancelled()


def test_a_write_that_was_never_sent_is_made_at_the_next_host(vault: OpenVault) -> None:
    following = OpenVault()
    hosts = iter([vault, following])
    lasting = LastingBackend(lambda _: next(hosts), lambda _: (following, True))
    lasting.start()
    vault.is_left = True
    answer = lasting.call("note.save", {"content": "heron"})
    assert following.was_called.wait(30)
    following.calls[0].set_result(Reply(7))
    assert answer.result(30).value == 7
    lasting.stop()


def test_a_failure_is_passed_on(vault: OpenVault, lasting: LastingBackend) -> None:
    answer = lasting.call("note.save", {})
    vault.calls[0].set_exception(ValueError("wrong"))
    with pytest.raises(ValueError, match="wrong"):
        answer.result()
    lasting.stop()
    with pytest.raises(HostUnreachableError):
        lasting.call("memory.search", {}).result()
