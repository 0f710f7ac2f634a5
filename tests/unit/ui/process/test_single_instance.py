"""A second launch is heard; noise on the socket is not."""

import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QTimer
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot

from ui.process.single_instance import (
    HEADER,
    LONGEST,
    LaunchRequest,
    SingleInstance,
    address,
    decode,
    encode,
    request_from_environment,
)


def test_address_depends_on_the_vault_and_fits_a_socket(tmp_path: Path) -> None:
    assert address(tmp_path / "a") != address(tmp_path / "b")
    assert address(tmp_path / "a") == address(tmp_path / "a")
    assert len(address(tmp_path / ("long" * 60))) < 104


@given(st.sampled_from(["raise", "import", "open"]), st.lists(st.text(), max_size=4), st.text())
def test_wishes_come_back(command: str, arguments: list[str], token: str) -> None:
    wish = LaunchRequest(command, tuple(arguments), token)
    data = encode(wish)
    assert int.from_bytes(data[:HEADER], "big") == len(data) - HEADER
    assert decode(data[HEADER:]) == wish


MALFORMED = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"raise"',
    b"\xff\xfe",
    b"[" * 50_000,
    json.dumps({"v": 2, "command": "raise", "argv": []}).encode(),
    json.dumps({"v": 1, "command": "delete", "argv": []}).encode(),
    json.dumps({"v": 1, "command": ["raise"], "argv": []}).encode(),
    json.dumps({"v": 1, "command": "raise"}).encode(),
    json.dumps({"v": 1, "command": "raise", "argv": "x"}).encode(),
    json.dumps({"v": 1, "command": "raise", "argv": [1]}).encode(),
]


@pytest.mark.parametrize("data", MALFORMED)
def test_malformed_is_no_wish(data: bytes) -> None:
    assert decode(data) is None


@given(st.binary(max_size=200))
def test_noise_is_no_wish(data: bytes) -> None:
    assert decode(data) is None


def test_token_of_the_desktop_travels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_ACTIVATION_TOKEN", "t-1")
    assert request_from_environment("raise", []).token == "t-1"


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[tuple[SingleInstance, str]]:
    where = address(tmp_path)
    instance = SingleInstance(where)
    assert instance.listen()
    yield instance, where
    instance.close()
    instance.deleteLater()


def _send(qtbot: QtBot, where: str, data: bytes) -> QLocalSocket:
    socket = QLocalSocket()
    socket.connectToServer(where)
    assert socket.waitForConnected(1000)
    socket.write(data)
    socket.flush()
    return socket


def test_wish_arrives_and_is_answered(instance: tuple[SingleInstance, str], qtbot: QtBot) -> None:
    listener, where = instance
    wish = LaunchRequest("import", ("/tmp/ä.zip",), "token")
    with qtbot.waitSignal(listener.requested) as requested:
        socket = _send(qtbot, where, encode(wish))
    assert requested.args == [wish]
    qtbot.waitUntil(lambda: socket.bytesAvailable() > 0)
    assert socket.readAll().data() == b"ok"
    socket.close()


def test_wish_that_is_there_before_it_is_looked_for_arrives(instance: tuple[SingleInstance, str], qtbot: QtBot) -> None:
    listener, where = instance
    requested: list[LaunchRequest] = []
    listener.requested.connect(requested.append)
    sockets = [_send(qtbot, where, encode(LaunchRequest("raise", (str(number),)))) for number in range(3)]
    for socket in sockets:
        socket.waitForBytesWritten(1000)
    qtbot.waitUntil(lambda: len(requested) == 3)
    assert {wish.arguments for wish in requested} == {("0",), ("1",), ("2",)}


def test_visitors_leave_nothing_behind(instance: tuple[SingleInstance, str], qtbot: QtBot) -> None:
    listener, where = instance
    with qtbot.waitSignal(listener.requested):
        socket = _send(qtbot, where, encode(LaunchRequest("raise")))
    socket.close()
    qtbot.waitUntil(lambda: not listener.findChildren(QTimer))


def test_who_says_nothing_is_hung_up_on(
    instance: tuple[SingleInstance, str], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.process.single_instance.IDLE_MS", 10)
    socket = _send(qtbot, instance[1], b"")
    qtbot.waitUntil(lambda: socket.state() == QLocalSocket.LocalSocketState.UnconnectedState)


def test_wish_in_pieces_arrives(instance: tuple[SingleInstance, str], qtbot: QtBot) -> None:
    listener, where = instance
    data = encode(LaunchRequest("raise"))
    socket = _send(qtbot, where, data[:3])
    qtbot.wait(1)
    with qtbot.waitSignal(listener.requested):
        socket.write(data[3:])
        socket.flush()
    socket.close()


@pytest.mark.parametrize(
    "data", [(LONGEST + 1).to_bytes(HEADER, "big") + b"x", *(len(b).to_bytes(HEADER, "big") + b for b in MALFORMED[:6])]
)
def test_hostile_frames_are_hung_up_on(instance: tuple[SingleInstance, str], qtbot: QtBot, data: bytes) -> None:
    listener, where = instance
    with qtbot.assertNotEmitted(listener.requested):
        socket = _send(qtbot, where, data)
        qtbot.waitUntil(lambda: socket.state() == QLocalSocket.LocalSocketState.UnconnectedState)
    socket.close()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no mode")
def test_socket_is_the_owners_alone(instance: tuple[SingleInstance, str]) -> None:
    mode = stat.S_IMODE(os.stat(instance[1]).st_mode)  # noqa: PTH116
    assert mode & 0o077 == 0


@pytest.mark.skipif(sys.platform == "win32", reason="pipes leave nothing behind")
def test_what_a_crash_left_is_replaced(tmp_path: Path) -> None:
    where = address(tmp_path)
    Path(where).parent.mkdir(parents=True, exist_ok=True)
    Path(where).write_text("left behind")
    made = SingleInstance(where)
    assert made.listen()
    made.close()
    made.deleteLater()
