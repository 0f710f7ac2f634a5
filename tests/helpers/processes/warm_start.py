"""``keepsake`` as a process of its own that starts at once: a fork of one that has the program loaded.

The command has its own process, streams, arguments, environment and working folder, and ends as it would otherwise.
Its process is not the one that ``subprocess`` knows: a test that signals it, or asks for its id, uses
``warm_process``, which starts any module so.
"""

import array
import atexit
import gc
import marshal
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[3]
LOADED: Final = ("app.__main__", "app.host", "app.cli.command_line", "app.mcp.command", "app.mcp.stdio_server")
_STREAMS: Final = 3
_started: list[str] = []


def keepsake_command() -> list[str]:
    """Return the beginning of a command line that runs ``keepsake``."""
    if sys.platform != "linux":
        return [sys.executable, "-m", "app"]
    return [sys.executable, "-I", "-S", str(Path(__file__).with_name("warm_client.py")), warm_address()]


def warm_address() -> str:
    """Return the address of the process that has the program loaded, which is started for the first who asks."""
    if not _started:
        _started.append(_start())
    return _started[0]


def _start() -> str:
    """Start the process that has the program loaded, for the rest of the run, and return its address."""
    folder = tempfile.mkdtemp(prefix="kt-warm-")
    address = str(Path(folder) / "socket")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.helpers.processes.warm_start", address],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def end() -> None:
        process.communicate()
        Path(address).unlink(missing_ok=True)
        Path(folder).rmdir()

    atexit.register(end)
    assert process.stdout.readline() == b"ready\n"
    return address


class _Request(NamedTuple):
    """What is to run: a module with its arguments, or the arguments of ``keepsake``; where, and with what around it."""

    is_module: bool
    words: list[bytes]
    folder: bytes
    environment: dict[bytes, bytes]


class _Command:
    """A command that runs: the line to who started it, its process and what tells of its end."""

    def __init__(self, line: socket.socket, pid: int) -> None:
        self.line, self.pid = line, pid
        self.end = os.pidfd_open(pid)


def _serve(address: str) -> int | None:
    """Fork a process for each request until standard input ends; return the status in such a process."""
    for name in LOADED:
        import_module(name)
    gc.collect()
    gc.freeze()
    assert threading.active_count() == 1, "a process with threads cannot be forked safely"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    ready = selectors.DefaultSelector()
    ready.register(0, selectors.EVENT_READ)
    ready.register(listener, selectors.EVENT_READ)
    os.write(1, b"ready\n")
    while True:
        for key, _ in ready.select():
            command = key.data
            if key.fileobj == 0:
                return None
            if command is None:
                line, _ = listener.accept()
                request, streams = _request(line)
                pid = os.fork()
                if pid == 0:
                    listener.close()
                    line.close()
                    ready.close()
                    return _run(request, streams)
                for stream in streams:
                    os.close(stream)
                started = _Command(line, pid)
                socket.send_fds(line, [pid.to_bytes(4, "big")], [started.end])
                ready.register(line, selectors.EVENT_READ, started)
                ready.register(started.end, selectors.EVENT_READ, started)
            elif key.fileobj is command.line:
                ready.unregister(command.line)
                os.kill(command.pid, signal.SIGKILL)  # who started it was killed
            else:
                _finish(ready, command)


def _request(line: socket.socket) -> tuple[_Request, list[int]]:
    """Return what is to run and its streams."""
    size, rights, _, _ = line.recvmsg(8, socket.CMSG_SPACE(_STREAMS * array.array("i").itemsize))
    streams = array.array("i")
    streams.frombytes(rights[0][2])
    wanted, received = int.from_bytes(size, "big"), b""
    while len(received) < wanted:
        received += line.recv(wanted - len(received))
    return _Request(*marshal.loads(received)), list(streams)


def _run(request: _Request, streams: list[int]) -> int:
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    os.chdir(request.folder)
    os.environb.clear()
    os.environb.update(request.environment)
    words = [os.fsdecode(word) for word in request.words]
    sys.stdin = os.fdopen(0, "r", encoding="utf-8", errors="surrogateescape")
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape")
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace")
    if request.is_module:
        sys.argv = words
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
        return 0
    sys.argv = [str(ROOT / "app" / "__main__.py"), *words]
    from app.__main__ import main

    return main()


def _finish(ready: selectors.DefaultSelector, command: _Command) -> None:
    """Tell who started a command its status: minus the number of a signal that ended it."""
    ready.unregister(command.end)
    os.close(command.end)
    _, status = os.waitpid(command.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if command.line in {key.fileobj for key in ready.get_map().values()}:
        ready.unregister(command.line)
        command.line.send(code.to_bytes(4, "big", signed=True))
    command.line.close()


if __name__ == "__main__":
    sys.exit(_serve(sys.argv[1]) or 0)
