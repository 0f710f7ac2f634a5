import contextlib
import socket
import sys
import threading
from pathlib import Path

import pytest

from app.errors import AccessDeniedError, HostUnreachableError, MachineError
from app.rpc.client import dial as dialling
from app.rpc.client.dial import dial
from app.rpc.framing import HEADER_BYTES, PROTOCOL, decode, encode, length_of
from app.rpc.hostfile import HostFile, new_hostfile, write_hostfile
from app.rpc.messages import failure, hello_of, welcome


class Replaced:
    """Listener in place of two hosts, one after the other."""

    def __init__(self, vault: Path) -> None:
        self.vault = vault
        self.shown: list[str] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.describe("first")
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def describe(self, token: str) -> None:
        """Write ``host.json``."""
        write_hostfile(self.vault, HostFile("", self._listening.getsockname()[1], token, 1, "0", PROTOCOL))

    def _serve(self) -> None:
        for answer in (failure(None, AccessDeniedError("no")), welcome("0", str(self.vault), 1)):
            connected, _ = self._listening.accept()
            with connected:
                length = length_of(connected.recv(HEADER_BYTES, socket.MSG_WAITALL))
                self.shown.append(hello_of(decode(connected.recv(length, socket.MSG_WAITALL))).token)
                self.describe("second")
                connected.sendall(encode(answer))

    def close(self) -> None:
        """End the thread."""
        self._thread.join(10)
        self._listening.close()


def test_a_host_replaced_while_it_was_dialled_is_dialled_anew(vault: Path) -> None:
    replaced = Replaced(vault)
    try:
        dial(vault).close()
        assert replaced.shown == ["first", "second"]
    finally:
        replaced.close()


def test_without_a_host_nothing_answers(vault: Path) -> None:
    with pytest.raises(HostUnreachableError):
        dial(vault)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system says something else")
def test_a_host_that_is_overrun_is_busy_and_not_gone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialling, "CONNECT_SECONDS", 0.1)
    with contextlib.ExitStack() as closing, contextlib.chdir(folder):
        listening = closing.enter_context(socket.socket(socket.AF_UNIX))
        listening.bind("full")
        listening.listen(0)
        for _ in range(4):
            waiting = closing.enter_context(socket.socket(socket.AF_UNIX))
            waiting.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                waiting.connect("full")
        write_hostfile(folder, new_hostfile("full", 0))
        with pytest.raises(MachineError, match="too busy"):
            dial(folder)
