"""Ports of this machine, and servers that are about to listen on them."""

import socket
import subprocess
import time
from typing import Final

_READY_S: Final = 60.0


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until_it_listens(port: int, process: subprocess.Popen[bytes]) -> None:
    """Return once a server listens."""
    until = time.monotonic() + _READY_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert process.poll() is None, "the server ended by itself"
            assert time.monotonic() < until, "the server does not listen"
            time.sleep(0.05)
        else:
            return
