"""A connection whose host leaves while a call is sent: only its sender knows whether the call left."""

import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import pytest

from app.rpc.client.dial import ConnectionLostError
from app.rpc.client.host_connection import Call, HostConnection
from app.rpc.client.stream import Stream

WAIT_S = 30.0


class StreamThatEndsFirst(Stream):
    """A stream whose host leaves at a call, and that sends once the reading thread has seen it."""

    def __init__(self, end: socket.socket, leave: Callable[[], None]) -> None:
        self._end = end
        self._until = None
        self._leave = leave
        self.has_ended = threading.Event()

    def send(self, payload: bytes) -> None:
        self._leave()
        assert self.has_ended.wait(WAIT_S)
        super().send(payload)

    def close(self) -> None:
        self.has_ended.set()  # the socket stays open, as while another thread sends


@dataclass
class Losses:
    """What a connection told of its end."""

    calls: list[Call] = field(default_factory=list)
    errors: list[ConnectionLostError] = field(default_factory=list)
    reported: threading.Event = field(default_factory=threading.Event)

    def __call__(self, connection: HostConnection, calls: list[Call], error: ConnectionLostError) -> None:
        self.calls += calls
        self.errors.append(error)
        self.reported.set()


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def sent(ours: socket.socket, leave: Callable[[], None], losses: Losses) -> tuple[Call, HostConnection]:
    connection = HostConnection(StreamThatEndsFirst(ours, leave), 1 << 20, lambda _kind, _event: None, losses)
    call = Call("note.save", {"content": "a"}, is_repeatable=False, convert=lambda value, _changes: value)
    connection.send(call)
    return call, connection


def test_a_call_that_did_not_leave_may_be_made_again(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    losses = Losses()
    with pytest.raises(ConnectionLostError) as caught:
        sent(ours, theirs.close, losses)
    assert not caught.value.was_sent
    assert losses.reported.wait(WAIT_S)
    assert losses.calls == []


def test_a_call_that_left_is_told_of_as_lost(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    losses = Losses()
    call, connection = sent(ours, partial(theirs.shutdown, socket.SHUT_WR), losses)  # it still takes what is sent
    assert losses.reported.wait(WAIT_S)
    assert losses.calls == [call]
    assert all(error.was_sent for error in losses.errors)
    assert not connection.is_open
