"""A place that takes connections and says nothing keeps nobody waiting who quits, leaves, pauses or moves."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.errors import CallStoppedError
from tests.helpers.servers.postgresql import PostgresqlServer
from tests.helpers.servers.s3 import S3Server
from tests.helpers.servers.webdav import WebdavServer
from tests.integration.sync.machines import Machine

Server = PostgresqlServer | WebdavServer | S3Server


@pytest.fixture(params=["postgresql", "wsgidav_server", "s3_server"])
def server(request: pytest.FixtureRequest) -> Server:
    made: Server = request.getfixturevalue(request.param)
    return made


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with Machine(tmp_path / "desktop", tmp_path / "elsewhere") as machine:
        yield machine


def calls() -> list[threading.Thread]:
    """Return the threads that wait for a place."""
    return [thread for thread in threading.enumerate() if thread.name == "keepsake-call"]


def hangs(machine: Machine, operation: str, **arguments: Any) -> Any:
    """Call an operation, and return its answer to come once it waits for the place."""
    before = set(calls())
    answer = machine.host.call(operation, arguments)
    until = time.monotonic() + 60
    while not set(calls()) - before:
        assert time.monotonic() < until
        assert not answer.done()
        time.sleep(0.01)
    return answer


@pytest.mark.parametrize("operation", ["device.share", "device.join"])
def test_closing_waits_for_no_place_that_is_only_named(machine: Machine, server: Server, operation: str) -> None:
    place = server.new_place()
    arguments = {"words": "abandon " * 11 + "about", "name": "laptop"} if operation == "device.join" else {}
    with server.silent():
        answer = hangs(machine, operation, place=place, **arguments)
        machine.host.stop()
        assert isinstance(answer.exception(), CallStoppedError)
        assert calls()  # which still waits


def leave(machine: Machine) -> None:
    assert machine.ask("device.leave").place == ""


def pause(machine: Machine) -> None:
    state = machine.ask("device.pause")
    assert (state.is_paused, state.problem) == (True, "")


def move(machine: Machine) -> None:
    state = machine.ask("device.share", place=str(machine.folder), refill=True)
    assert (state.place, state.problem) == (str(machine.folder), "")
    machine.ask("device.sync")


def close(machine: Machine) -> None:
    machine.host.stop()


@pytest.mark.parametrize("act", [leave, pause, move, close])
@pytest.mark.parametrize("operation", ["device.sync", "device.invite"])
def test_nobody_waits_for_a_place_that_hangs(
    machine: Machine, server: Server, act: Callable[[Machine], None], operation: str
) -> None:
    machine.share(server.new_place())
    machine.sync()
    with server.silent():
        answer = hangs(machine, operation)
        act(machine)
        assert isinstance(answer.exception(), CallStoppedError)


@pytest.mark.parametrize("act", [leave, pause, close])
def test_what_runs_in_the_background_is_given_up_too(
    machine: Machine, server: Server, act: Callable[[Machine], None]
) -> None:
    machine.ask("device.share", place=server.new_place())
    machine.ask("device.sync")
    with server.silent():
        machine.ask("note.save", content="meanwhile")
        until = time.monotonic() + 60
        while not calls():
            assert time.monotonic() < until
            time.sleep(0.01)
        act(machine)
