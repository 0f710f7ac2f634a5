"""Client side of the socket: host file, hello, and blocking messages."""

import socket
import time
from pathlib import Path

from app.errors import AccessDeniedError, HostUnreachableError, MachineError, TooManyConnectionsError
from app.rpc.credentials import Credentials
from app.rpc.framing import HEADER_BYTES, MAX_FRAME, MAX_SHORT_FRAME, Message, decode, encode_call, length_of
from app.rpc.hostfile import HostFile, read_hostfile, unreachable
from app.rpc.messages import check_welcome, hello
from app.rpc.peer import is_own
from app.rpc.pipe_client import PIPE_PREFIX, PipeConnection

CONNECT_SECONDS = 5.0
_PART = 1 << 20
_PAUSE_SECONDS = 0.05
_ATTEMPTS = 6


# A socket, or the pipe that stands in for one on Windows.
Stream = socket.socket | PipeConnection


class ConnectionLostError(HostUnreachableError):
    """The connection to the host ended.

    Args:
        was_sent: Whether the host may have received the call.
        reason: What the host said of it, if anything.
    """

    def __init__(self, *, was_sent: bool, reason: str = "") -> None:
        super().__init__(
            f"{reason} It is not known whether this call was carried out; look before you repeat it."
            if reason
            else "Keepsake was closed while it was asked. Start it again and repeat this."
        )
        self.was_sent = was_sent
        self.reason = reason


def dial(vault: Path, credentials: Credentials | None = None) -> Stream:
    """Return a blocking connection to the host of ``vault``, greeted and welcomed.

    Args:
        vault: The vault's folder.
        credentials: Those of an agent; the owner's token in ``host.json`` without.

    Raises:
        HostUnreachableError: None answers.
        KeepsakeError: One answers and does not let us in.
    """
    description = read_hostfile(vault)
    attempts = 0
    while True:
        try:
            return _dial(description, vault, credentials)
        except TooManyConnectionsError as error:
            # The machine was too slow for our hello while many others came.
            attempts += 1
            if not error.data.get("without_hello") or attempts == _ATTEMPTS:
                raise
            time.sleep(_PAUSE_SECONDS * attempts)
        except AccessDeniedError:
            # Between our reading its address and our coming, the host may have been replaced by another.
            newer = read_hostfile(vault)
            if newer.token == description.token:
                raise
            description = newer


def _dial(description: HostFile, vault: Path, credentials: Credentials | None) -> Stream:
    try:
        connected = _connected(description)
    except BlockingIOError as error:
        raise MachineError("Keepsake runs but is too busy to take another program now. Try again shortly.") from error
    except (OSError, ValueError, OverflowError) as error:
        raise unreachable(vault) from error
    try:
        _greet(connected, description, vault, credentials)
        connected.settimeout(None)
    except BaseException:
        connected.close()
        raise
    return connected


def send(connected: Stream, message: Message, limit: int = MAX_FRAME) -> None:
    """Send a message of at most ``limit`` bytes.

    Raises:
        InputError: It cannot be put on the wire, or is too long.
        ConnectionLostError: The host went away.
    """
    frame = encode_call(message, limit)
    try:
        connected.sendall(frame)
    except OSError as error:
        # Half a frame is never carried out.
        raise gone(was_sent=False) from error


def receive(connected: Stream) -> Message:
    """Return the next message.

    Raises:
        HostUnreachableError: The host went away.
        FrameError: It sent what is no message.
    """
    return decode(_exactly(connected, length_of(_exactly(connected, HEADER_BYTES))))


def gone(*, was_sent: bool = True, reason: str = "") -> ConnectionLostError:
    """Return the failure that the host went away, or ended the connection for a reason."""
    return ConnectionLostError(was_sent=was_sent, reason=reason)


def call_limit(credentials: Credentials | None) -> int:
    """Return the bytes that a call may have, by the credentials shown."""
    return MAX_FRAME if credentials is None else MAX_SHORT_FRAME


def _connected(description: HostFile) -> Stream:
    if not description.socket:
        return socket.create_connection(("127.0.0.1", description.port), CONNECT_SECONDS)
    if description.socket.startswith(PIPE_PREFIX):
        return PipeConnection(description.socket, CONNECT_SECONDS)
    connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connected.settimeout(CONNECT_SECONDS)
        _connect_path(connected, description.socket)
    except BaseException:
        connected.close()
        raise
    return connected


def _connect_path(connected: socket.socket, path: str) -> None:
    """Connect to a Unix socket.

    The system refuses at once when its queue is full, so a refusal is tried again.
    """
    until = time.monotonic() + CONNECT_SECONDS
    while True:
        try:
            connected.connect(path)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def _greet(connected: Stream, description: HostFile, vault: Path, credentials: Credentials | None) -> None:
    if not is_own(connected):
        # Before the token is shown: a program of another user must not learn it.
        raise HostUnreachableError("Another user's program listens where Keepsake should.", vault=str(vault))
    send(connected, hello_for(description, credentials))
    check_welcome(receive(connected))


def hello_for(description: HostFile, credentials: Credentials | None) -> Message:
    """Return the hello of an agent, or of the owner without credentials."""
    if credentials is None:
        return hello(description.token)
    return hello(credentials.token, credentials.name, credentials.version)


def _exactly(connected: Stream, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        try:
            part = connected.recv(min(length - len(data), _PART))
        except OSError as error:
            raise gone() from error
        if not part:
            raise gone()
        data += part
    return bytes(data)
