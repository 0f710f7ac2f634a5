"""Process and user at the other end of a Unix socket."""

import os
import socket
import struct
import sys
from typing import Any

_CREDENTIALS = struct.Struct("3i")  # process, user, group (Linux)
# The struct xucred of macOS and FreeBSD begins with its version and the user; its size differs.
_XUCRED_BYTES = 128
_XUCRED_HEAD = struct.Struct("2I")
_SOL_LOCAL = 0
_LOCAL_PEERCRED = 1


def is_own(connection: Any) -> bool:
    """Return False for a process of another user; True where that is unknown.

    Args:
        connection: A socket, or what a transport calls one.
    """
    if not hasattr(connection, "getsockopt") or connection.family != getattr(socket, "AF_UNIX", None):
        return True
    user = _peer_user(connection)
    return user is None or user == os.getuid()


def peer_process(connection: Any) -> int:
    """Return the id of the process at the other end, 0 where it is unknown."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None or not hasattr(connection, "getsockopt") or connection.family != socket.AF_UNIX:
        return 0
    return int(_CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS.size))[0])


def _peer_user(connection: Any) -> int | None:
    """Return the user at the other end, ``None`` where the system does not say."""
    if sys.platform in {"darwin", "freebsd"}:
        data = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_BYTES)
        return int(_XUCRED_HEAD.unpack_from(data)[1])
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    data = connection.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS.size)
    return int(_CREDENTIALS.unpack(data)[1])
