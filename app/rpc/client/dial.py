"""Greeting of a host: its address, our hello and its welcome."""

import time
from pathlib import Path
from typing import Any

from app.errors import AccessDeniedError, HostUnreachableError, MachineError, TooManyConnectionsError
from app.rpc.client.stream import Stream
from app.rpc.credentials import Credentials
from app.rpc.framing import MAX_FRAME, MAX_SHORT_FRAME, Message, decode, payload_of
from app.rpc.hostfile import HostFile, read_hostfile, unreachable
from app.rpc.messages import check_welcome, hello, request, value_and_changes
from app.sentence import Sentence

CONNECT_SECONDS = 5.0
_PAUSE_SECONDS = 0.05
_ATTEMPTS = 6


class ConnectionLostError(HostUnreachableError):
    """The connection to the host ended.

    Args:
        was_sent: Whether the host may have received the call.
        reason: What the host said of it, if anything.
    """

    def __init__(self, *, was_sent: bool, reason: str = "") -> None:
        super().__init__(
            Sentence(
                "{reason} It is not known whether this call was carried out; look before you repeat it.", reason=reason
            )
            if reason
            else Sentence("Keepsake was closed while it was asked. Start it again and repeat this.")
        )
        self.was_sent = was_sent
        self.reason = reason


def dial(vault: Path, credentials: Credentials | None = None) -> Stream:
    """Return a connection to the host of ``vault``, greeted and welcomed.

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
            return _greeted(description, vault, credentials)
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


def ask(stream: Stream, operation: str) -> Any:
    """Return the answer of an operation over a connection without other calls."""
    return value_and_changes(_exchange(stream, request(0, operation, {})))[0]


def call_limit(credentials: Credentials | None) -> int:
    """Return the bytes that a call may have, by the credentials shown."""
    return MAX_FRAME if credentials is None else MAX_SHORT_FRAME


def _greeted(description: HostFile, vault: Path, credentials: Credentials | None) -> Stream:
    try:
        stream = Stream(description.socket, description.port, CONNECT_SECONDS)
    except BlockingIOError as error:
        raise MachineError("Keepsake runs but is too busy to take another program now. Try again shortly.") from error
    except (OSError, ValueError) as error:
        raise unreachable(vault) from error
    try:
        _check_owner(stream, vault)
        shown = credentials or Credentials(description.token, "", "")
        check_welcome(_exchange(stream, hello(shown.token, shown.name, shown.version)))
        stream.wait_for_ever()
    except BaseException:
        stream.close()
        raise
    return stream


def _check_owner(stream: Stream, vault: Path) -> None:
    """Refuse a program of another user before the token is shown."""
    if not stream.is_own:
        raise HostUnreachableError("Another user's program listens where Keepsake should.", vault=str(vault))


def _exchange(stream: Stream, message: Message) -> Message:
    try:
        stream.send(payload_of(message))
        return decode(stream.receive())
    except (OSError, ValueError) as error:
        raise ConnectionLostError(was_sent=False) from error
