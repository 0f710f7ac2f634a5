"""One window a vault: a second launch hands its wish to the first and leaves."""

import getpass
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.core.paths import runtime_dir

COMMANDS = ("raise", "capture", "import", "open", "search")
VERSION = 1
LONGEST = 64 * 1024
HEADER = 4
CONNECT_MS = 500
ANSWER_MS = 2000
IDLE_MS = 5000
TOKEN = "XDG_ACTIVATION_TOKEN"  # noqa: S105  (the name of a variable)


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """Request of a second launch to the first.

    Args:
        command: One of ``COMMANDS``.
        arguments: Paths to import, a link to open, text to capture.
        token: The desktop's permission to come to the front (Wayland).
    """

    command: str = "raise"
    arguments: tuple[str, ...] = ()
    token: str = ""


def address(vault: Path) -> str:
    """Return the socket path, or pipe name on Windows, for ``vault``."""
    who = f"{getpass.getuser()}\0{vault.expanduser().absolute()}"
    name = f"keepsake-window-{hashlib.sha256(who.encode()).hexdigest()[:16]}"
    return name if sys.platform == "win32" else str(runtime_dir() / f"{name}.socket")


def encode(request: LaunchRequest) -> bytes:
    """Return ``wish`` as it travels: four bytes of length, then JSON."""
    body = {"v": VERSION, "command": request.command, "argv": list(request.arguments), "token": request.token}
    data = json.dumps(body).encode()
    return len(data).to_bytes(HEADER, "big") + data


def decode(data: bytes) -> LaunchRequest | None:
    """Return the wish in the JSON ``data``, ``None`` when it is anything else."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict) or body.get("v") != VERSION or body.get("command") not in COMMANDS:
        return None
    arguments, token = body.get("argv"), body.get("token")
    if not isinstance(arguments, list) or not all(isinstance(item, str) for item in arguments):
        return None
    return LaunchRequest(body["command"], tuple(arguments), token if isinstance(token, str) else "")


def hand_over(where: str, request: LaunchRequest) -> bool:
    """Send ``request`` to the instance listening at ``where``; False when none answers."""
    socket = QLocalSocket()
    socket.connectToServer(where)
    if not socket.waitForConnected(CONNECT_MS):
        return False
    socket.write(encode(request))
    socket.waitForBytesWritten(CONNECT_MS)
    answered = socket.waitForReadyRead(ANSWER_MS)
    socket.disconnectFromServer()
    return answered


def request_from_environment(command: str, arguments: Sequence[str]) -> LaunchRequest:
    """Return a request that carries the desktop's activation token, if this launch was given one."""
    return LaunchRequest(command, tuple(arguments), os.environ.get(TOKEN, ""))


class SingleInstance(QObject):
    """Listens for later launches on the same vault."""

    requested = Signal(object)

    def __init__(self, where: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._where = where
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_new_connection)

    def listen(self) -> bool:
        """Start listening and return whether that worked.

        Call it after ``hand_over`` found no instance: what lies at the address then is left from a crash.
        """
        if os.sep in self._where:
            Path(self._where).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        QLocalServer.removeServer(self._where)
        return self._server.listen(self._where)

    def close(self) -> None:
        """Stop listening."""
        self._server.close()

    def _on_new_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            visitor = _Visitor(socket, self)
            visitor.wished.connect(self.requested)
            visitor.listen()


class _Visitor(QObject):
    """One connection: reads one message of at most ``LONGEST`` bytes, answers, hangs up."""

    wished = Signal(object)

    def __init__(self, socket: QLocalSocket, parent: QObject) -> None:
        super().__init__(parent)
        self._socket = socket
        socket.setParent(self)
        self._delay = QTimer(self, singleShot=True, interval=IDLE_MS)
        self._delay.timeout.connect(self._on_delay_ended)
        socket.disconnected.connect(self._on_disconnected)

    def listen(self) -> None:
        """Begin to read; the message may be there already."""
        self._delay.start()
        self._socket.readyRead.connect(self._on_ready_read)
        self._on_ready_read()

    def _on_delay_ended(self) -> None:
        self._socket.abort()

    def _on_disconnected(self) -> None:
        self._delay.stop()
        self.deleteLater()

    def _on_ready_read(self) -> None:
        if self._socket.bytesAvailable() < HEADER:
            return
        length = int.from_bytes(bytes(self._socket.peek(HEADER).data()), "big")
        if length > LONGEST:
            self._socket.abort()
            return
        if self._socket.bytesAvailable() < HEADER + length:
            return
        request = decode(bytes(self._socket.read(HEADER + length).data())[HEADER:])
        self._socket.write(b"ok" if request is not None else b"no")
        self._socket.flush()
        self._socket.disconnectFromServer()
        if request is not None:
            self.wished.emit(request)
