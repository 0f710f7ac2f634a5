"""Start of a ``keepsake`` in the process that has the program loaded; see ``warm_start``.

Run as ``python -I -S warm_client.py SOCKET ARGUMENT…``. It loads next to nothing: its start is what the tests pay.
"""

import _socket
import array
import marshal
import os
import sys

# Python reads these when it starts, so a process with another value of them starts in full.
READ_AT_START = (b"PYTHONIOENCODING", b"PYTHONWARNINGS", b"PYTHONHASHSEED", b"PYTHONDEVMODE")


def main() -> None:
    """Pass the streams, the arguments and the surroundings on, and end as the command does."""
    address, arguments = sys.argv[1], [os.fsencode(argument) for argument in sys.argv[2:]]
    surroundings = dict(os.environb)
    if any(name in surroundings for name in READ_AT_START) or surroundings.get(b"LC_ALL") != b"C.UTF-8":
        os.execv(sys.executable, [sys.executable, "-m", "app", *sys.argv[2:]])
    request = marshal.dumps((False, arguments, os.getcwdb(), surroundings))  # noqa: PTH109  (pathlib takes long to load)
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    line.connect(address)
    streams = array.array("i", [0, 1, 2])
    line.sendmsg([len(request).to_bytes(8, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
    line.sendall(request)
    for stream in (0, 1):  # so that their other ends see the command close them
        os.close(stream)
    line.recv(4)  # its id, which a test that signals it wants
    status = line.recv(4)
    code = int.from_bytes(status, "big", signed=True) if status else 1
    os._exit(code if code >= 0 else 128 - code)  # as a shell says it


main()
