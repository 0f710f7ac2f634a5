"""Who is at the other end of a Unix socket, where the system tells."""

import os
import socket
import struct

_CREDENTIALS = struct.Struct("3i")  # process, user, group


def is_own(connection: socket.socket) -> bool:
    """Return False when the other end is another user's process; True also where the system does not say."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None or connection.family != getattr(socket, "AF_UNIX", None):
        return True
    data = connection.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS.size)
    user: int = _CREDENTIALS.unpack(data)[1]
    return user == os.getuid()
