"""A module as a process of its own that starts at once, and is killed as any other; see ``warm_start``."""

import array
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import IO, Protocol, Self

from tests.helpers.processes.warm_start import ROOT, warm_address


class ModuleProcess(Protocol):
    """What tests use of ``subprocess.Popen``."""

    stdin: IO[str] | None
    stdout: IO[str] | None
    returncode: int | None
    pid: int

    def poll(self) -> int | None:
        """Return the status, ``None`` while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return the status: minus the number of a signal that ended it."""

    def send_signal(self, sig: int) -> None:
        """Send a signal, unless it has ended."""

    def kill(self) -> None:
        """Kill it, unless it has ended."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def start_module(
    name: str,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    has_input: bool = False,
    output: int = subprocess.PIPE,
    errors: int | None = None,
) -> ModuleProcess:
    """Start ``python -m NAME ARGUMENT…`` in the project's folder.

    Args:
        name: The module.
        arguments: Its arguments.
        environment: Its environment; that of this process where none is given.
        has_input: Whether it reads what the test writes to its ``stdin``.
        output: Where its output goes: ``subprocess.PIPE``, ``subprocess.DEVNULL`` or a descriptor.
        errors: Where it reports errors: ``subprocess.DEVNULL`` or a descriptor; where this process does by default.
    """
    variables = dict(os.environ if environment is None else environment)
    if sys.platform != "linux":
        return subprocess.Popen(
            [sys.executable, "-m", name, *arguments],
            cwd=ROOT,
            env=variables,
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            text=True,
        )
    return _WarmProcess([name, *arguments], variables, has_input=has_input, output=output, errors=errors)


class _WarmProcess:
    """A fork of the process that has the program loaded."""

    def __init__(
        self, words: list[str], variables: dict[str, str], *, has_input: bool, output: int, errors: int | None
    ) -> None:
        self.returncode: int | None = None
        self.stdin: IO[str] | None = None
        self.stdout: IO[str] | None = None
        nowhere = os.open(os.devnull, os.O_RDWR)
        wanted = (subprocess.DEVNULL, output, 2 if errors is None else errors)
        streams, own = [nowhere if stream == subprocess.DEVNULL else stream for stream in wanted], [nowhere]
        if has_input:
            streams[0], ours = os.pipe()
            own.append(streams[0])
            self.stdin = os.fdopen(ours, "w", encoding="utf-8")
        if output == subprocess.PIPE:
            ours, streams[1] = os.pipe()
            own.append(streams[1])
            self.stdout = os.fdopen(ours, encoding="utf-8")
        self._line = socket.socket(socket.AF_UNIX)
        self._start(words, variables, streams)
        for stream in own:
            os.close(stream)
        answer, (self._handle,), _, _ = socket.recv_fds(self._line, 4, 1)
        self.pid = int.from_bytes(answer, "big")

    def _start(self, words: list[str], variables: dict[str, str], streams: list[int]) -> None:
        environment = {os.fsencode(name): os.fsencode(value) for name, value in variables.items()}
        request = marshal.dumps((True, [os.fsencode(word) for word in words], os.fsencode(ROOT), environment))
        self._line.connect(warm_address())
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", streams))]
        self._line.sendmsg([len(request).to_bytes(8, "big")], rights)
        self._line.sendall(request)

    def poll(self) -> int | None:
        has_ended = self.returncode is None and select.select([self._line], [], [], 0)[0]
        return self.wait() if has_ended else self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self._line.settimeout(timeout)
            try:
                status = self._line.recv(4)
            except TimeoutError as error:
                raise subprocess.TimeoutExpired("a module", timeout or 0.0) from error
            assert status, "the process that starts modules has ended"
            self.returncode = int.from_bytes(status, "big", signed=True)
            self._line.close()
            os.close(self._handle)
        return self.returncode

    def send_signal(self, sig: int) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, sig)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for stream in (self.stdout, self.stdin):
            if stream is not None:
                stream.close()
        self.wait()
