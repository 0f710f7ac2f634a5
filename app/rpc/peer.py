"""User id of the process at the other end of a Unix socket."""

import os
import socket
import struct

_CREDENTIALS = struct.Struct("3i")  # process, user, group


def is_own(connection: socket.socket) -> bool:
    """Return False for a process of another user; True where that is unknown."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None or connection.family != getattr(socket, "AF_UNIX", None):
        return True
    data = connection.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS.size)
    user: int = _CREDENTIALS.unpack(data)[1]
    return user == os.getuid()
