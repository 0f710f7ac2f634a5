import os
import threading
from pathlib import Path
from typing import Any

import pytest

from app.changes import Progress
from app.errors import AccessRequiredError, HostUnreachableError, InputError, StaleError, UnknownOperationError
from app.rpc.client import Client
from app.rpc.credentials import Credentials
from app.rpc.framing import MAX_SHORT_FRAME
from app.rpc.hostfile import FILE, HostFile, read_hostfile, write_hostfile
from tests.unit.app.rpc.conftest import Served, serving


def test_a_call_is_answered(served: Served) -> None:
    with Client.connect(served.vault) as client:
        assert client.call("echo.say", {"text": "hello"}) == "hello"
        assert client.call("echo.change", {"name": "n"}) == "n"


def test_failures_come_back_as_themselves(served: Served) -> None:
    with Client.connect(served.vault) as client:
        with pytest.raises(StaleError) as caught:
            client.call("echo.refuse")
        assert caught.value.data == {"version": 3}
        with pytest.raises(UnknownOperationError):
            client.call("no.such")
        with pytest.raises(InputError, match="cannot be sent"):
            client.call("echo.say", {"text": "\udc80"})
        assert client.call("echo.say", {"text": "still here"}) == "still here"


def test_events_arrive_while_a_call_waits(served: Served) -> None:
    received: list[tuple[str, Any]] = []
    with Client.connect(served.vault) as client:
        client.subscribe(lambda kind, event: received.append((kind, event["done"])))
        served.feed.publish(Progress("run-1", "Importing", 3))
        served.feed.publish(Progress("run-1", "Importing", 4))
        while len(received) < 2:
            client.call("echo.say", {"text": ""})
    assert received == [("progressed", 3), ("progressed", 4)]


def test_no_host_is_said_in_words(folder: Path) -> None:
    with pytest.raises(HostUnreachableError, match="not running"):
        Client.connect(folder)
    with pytest.raises(HostUnreachableError, match="not running"):
        Client.connect(folder / "nowhere")


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"socket": 5}', b"not json"])
def test_a_damaged_host_file_is_said_in_words(folder: Path, content: bytes) -> None:
    (folder / FILE).write_bytes(content)
    with pytest.raises(HostUnreachableError, match="damaged"):
        Client.connect(folder)


@pytest.mark.parametrize(
    ("path", "port"), [("/nowhere/at/all.sock", 0), ("x" * 500, 0), ("a\0b", 0), ("", 0), ("", 10**9)]
)
def test_a_host_file_that_points_nowhere_is_no_host(folder: Path, path: str, port: int) -> None:
    write_hostfile(folder, HostFile(path, port, "token", 1, "0.1.0", 1))
    with pytest.raises(HostUnreachableError):
        Client.connect(folder)


def test_a_wrong_token_is_refused(served: Served) -> None:
    description = read_hostfile(served.vault)
    write_hostfile(served.vault, _with_token(description))
    with pytest.raises(InputError, match="token"):
        Client.connect(served.vault)


def _with_token(description: HostFile) -> HostFile:
    return HostFile(
        description.socket, description.port, "guess", os.getpid(), description.version, description.protocol
    )


def test_a_host_that_leaves_fails_what_waits(folder: Path) -> None:
    failures: list[Exception] = []
    with serving(folder):
        client = Client.connect(folder, reconnect_seconds=0.2)

        def wait() -> None:
            try:
                while True:
                    client.call("echo.wait")
            except HostUnreachableError as error:
                failures.append(error)

        thread = threading.Thread(target=wait, name="keepsake-waiting")
        thread.start()
    thread.join(10)
    client.close()
    assert len(failures) == 1


def test_a_cancelled_read_ends_at_the_host(served: Served) -> None:
    with Client.connect(served.vault) as client:
        call = client.submit("echo.wait")
        while not served.gate.waiting:
            client.call("echo.say", {"text": ""})
        assert call.cancel()
        client.call("echo.say", {"text": ""})
        served.open_gate()
        assert client.call("echo.wait") == 1


def test_a_call_that_cannot_be_cancelled_goes_on(served: Served) -> None:
    with Client.connect(served.vault) as client:
        call = client.submit("echo.wait", can_cancel=False)
        assert not call.cancel()
        served.open_gate()
        assert call.result(10) == 1


def test_calls_run_side_by_side(served: Served) -> None:
    with Client.connect(served.vault) as client:
        slow = client.submit("echo.wait")
        quick = [client.call("echo.say", {"text": str(number)}) for number in range(20)]
        served.open_gate()
        assert [*quick, slow.result(10)] == [*map(str, range(20)), 1]
    with pytest.raises(HostUnreachableError):
        client.call("echo.say", {"text": ""})


def test_an_answer_is_made_of_the_value_and_what_changed(served: Served) -> None:
    with Client.connect(served.vault) as client:
        answer = client.submit("echo.change", {"name": "n"}, convert=lambda value, changes: (value, changes))
        assert answer.result(10) == (
            "n",
            {"areas": ["memories"], "ids": ["n"], "actor": "person", "operation": "echo.change", "history_ids": [7]},
        )


def test_an_answer_of_the_wrong_kind_fails_its_call_alone(served: Served) -> None:
    with Client.connect(served.vault) as client:
        with pytest.raises(ValueError, match="invalid literal"):
            client.submit("echo.say", {"text": "x"}, convert=lambda value, _: int(value)).result(10)
        assert client.call("echo.say", {"text": "still here"}) == "still here"


def test_a_call_longer_than_an_agents_may_be_fails_alone(served: Served) -> None:
    with Client.connect(served.vault, Credentials(read_hostfile(served.vault).token, "scout")) as client:
        waiting = client.submit("echo.wait")
        with pytest.raises(InputError, match=r"4,194,304 are allowed\. Shorten it"):
            client.call("echo.change", {"name": "n" * MAX_SHORT_FRAME})
        served.open_gate()
        assert waiting.result(10) == 1
        assert client.call("echo.say", {"text": "still here"}) == "still here"


def test_what_waits_when_a_connection_is_ended_may_have_been_done(served: Served) -> None:
    with Client.connect(served.vault) as client:
        waiting = client.submit("echo.wait", is_repeatable=False)
        while not served.gate.waiting:
            client.call("echo.say", {"text": ""})
        (connection,) = served.server._clients
        served.loop.call_soon_threadsafe(connection.turn_away, AccessRequiredError("The access of scout has ended."))
        with pytest.raises(HostUnreachableError, match=r"ended\. 'echo.wait' may or may not have been done"):
            waiting.result(10)
