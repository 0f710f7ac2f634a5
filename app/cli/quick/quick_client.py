"""Client of a running host for commands that must start at once.

``app.rpc.client`` takes 50 ms to load, most of it for msgspec and dataclasses. This speaks the same protocol with what
Python has, knows calls only, and takes any failure for a reason to give up: a hook must never hold up its agent.
"""

import json
import os
import socket
import stat
import struct
import time
from types import TracebackType
from typing import Any, Self

from app import __version__
from app.rpc.peer import is_own

PROTOCOL = 1
_HOST_FILE = "host.json"
_MAX_HOST_FILE = 1 << 16
_MAX_FRAME = 64 << 20
_HEADER = struct.Struct(">I")
_GUARDS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class QuickError(Exception):
    """A call without an answer; the message says why."""


class NoHostError(QuickError):
    """No host answers for the vault."""


def vault_folder(named: str | None) -> str:
    """Return the vault's folder: the one named, ``KEEPSAKE_VAULT``, or the platform's data folder."""
    folder = named if named is not None else os.environ.get("KEEPSAKE_VAULT")
    if folder:
        return os.path.abspath(os.path.expanduser(folder))  # noqa: PTH100, PTH111  (pathlib takes 10 ms to load)
    from app.core.paths import default_vault  # noqa: PLC0415

    return str(default_vault().absolute())


class RefusedError(QuickError):
    """The host answered that it did not do it."""


class QuickClient:
    """A connection to the host of a vault.

    Args:
        vault: The vault's folder.
        name: The name that the program gives of itself.
        seconds: How long everything together may take.

    Raises:
        NoHostError: None answers.
        QuickError: One answers and does not let us in, or not in time.
    """

    def __init__(self, vault: str, name: str, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._last_id = 0
        host = _host_file(vault)
        self._socket = self._connected(host)
        try:
            _check_owner(self._socket)
            token = _agent_token()
            greeting = {"keepsake": PROTOCOL, "token": token or str(host.get("token", ""))}
            self._send({**greeting, "name": name, "version": __version__} if token else greeting)
            _checked(self._receive())
        except BaseException:
            self._socket.close()
            raise

    def call(self, operation: str, **arguments: Any) -> Any:
        """Call an operation and return its answer as JSON values.

        Raises:
            QuickError: It failed, or took too long.
        """
        self._last_id += 1
        self._send({"jsonrpc": "2.0", "id": self._last_id, "method": operation, "params": arguments})
        while (message := self._receive()).get("id") != self._last_id:
            _checked(message)
        result = _checked(message).get("result")
        return result.get("value") if isinstance(result, dict) else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def _connected(self, host: dict[str, Any]) -> socket.socket:
        path = str(host.get("socket", ""))
        family = getattr(socket, "AF_UNIX", socket.AF_INET) if path else socket.AF_INET
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(self._left())
            connection.connect(path or ("127.0.0.1", int(host.get("port", 0))))
        except (OSError, ValueError, OverflowError) as error:
            connection.close()
            raise NoHostError("Keepsake is not running") from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _left(self) -> float:
        seconds = self._until - time.monotonic()
        if seconds <= 0:
            raise QuickError("Keepsake took too long to answer")
        return seconds

    def _send(self, message: dict[str, Any]) -> None:
        payload = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
        try:
            self._socket.settimeout(self._left())
            self._socket.sendall(_HEADER.pack(len(payload)) + payload)
        except OSError as error:
            raise QuickError("Keepsake took too long, or went away") from error

    def _receive(self) -> dict[str, Any]:
        (length,) = _HEADER.unpack(self._exactly(_HEADER.size))
        if length > _MAX_FRAME:
            raise QuickError("Keepsake answered what cannot be read")
        try:
            message = json.loads(self._exactly(length))
        except ValueError as error:
            raise QuickError("Keepsake answered what cannot be read") from error
        if not isinstance(message, dict):
            raise QuickError("Keepsake answered what cannot be read")
        return message

    def _exactly(self, length: int) -> bytes:
        data = bytearray()
        while len(data) < length:
            try:
                self._socket.settimeout(self._left())
                part = self._socket.recv(min(length - len(data), 1 << 20))
            except OSError as error:
                raise QuickError("Keepsake took too long, or went away") from error
            if not part:
                raise QuickError("Keepsake went away")
            data += part
        return bytes(data)


def _check_owner(connection: socket.socket) -> None:
    if not is_own(connection):
        # Before the token is shown: a program of another user must not learn it.
        raise NoHostError("another user's program listens where Keepsake should")


def _checked(message: dict[str, Any]) -> dict[str, Any]:
    error = message.get("error")
    if error is not None:
        text = error.get("message") if isinstance(error, dict) else None
        raise RefusedError(str(text or "Keepsake refused"))
    return message


def _agent_token() -> str:
    """Return the agent's token in ``KEEPSAKE_TOKEN``, or in the file that ``KEEPSAKE_TOKEN_FILE`` names."""
    path = os.environ.get("KEEPSAKE_TOKEN_FILE", "")
    if token := os.environ.get("KEEPSAKE_TOKEN", "").strip():
        return token
    if not path:
        return ""
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  (pathlib takes 10 ms to load)
            token = file.read(_MAX_HOST_FILE).strip()
    except (OSError, ValueError) as error:
        raise QuickError(f"the token in {path} cannot be read; connect the program again") from error
    if not token:
        # Never as the person's own program instead.
        raise QuickError(f"there is no token in {path}; connect the program again")
    return token


def _host_file(vault: str) -> dict[str, Any]:
    """Return what ``host.json`` says; a link or pipe in its place is not read."""
    try:
        handle = os.open(os.path.join(vault, _HOST_FILE), os.O_RDONLY | _GUARDS)  # noqa: PTH118
        try:
            is_file = stat.S_ISREG(os.fstat(handle).st_mode)
            content = json.loads(os.read(handle, _MAX_HOST_FILE)) if is_file else None
        finally:
            os.close(handle)
    except (OSError, ValueError) as error:
        raise NoHostError("Keepsake is not running") from error
    if not isinstance(content, dict):
        raise NoHostError("Keepsake is not running")
    return content
