"""``python -m tests.bench.socket_fuzz --frames N``: malformed frames by the thousand while a good client works."""

import argparse
import contextlib
import itertools
import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.host import Host
from app.rpc.client import Client, Credentials
from app.rpc.framing import HEADER_BYTES, encode, length_of, with_length
from app.rpc.hostfile import read_hostfile
from app.rpc.messages import hello
from tests.helpers.hostile.malformed_frames import broken_frames, payloads

_A_CONNECTION = 200  # frames that one connection sends before another takes over
_TIMEOUT_S = 20.0


@dataclass(slots=True)
class FuzzReport:
    """Frames sent, the good client's calls meanwhile with the slowest, and open files before and after."""

    frames: int
    good_calls: int
    slowest_ms: float
    files_before: int
    files_after: int


class GoodClient:
    """An agent that writes and reads as it should, in a thread, until it is stopped.

    Args:
        vault: The vault.
        token: Its token.
    """

    def __init__(self, vault: Path, token: str) -> None:
        self.calls = 0
        self.slowest_ms = 0.0
        self.failure: BaseException | None = None
        self._client = Client.connect(vault, Credentials(token, "good", "1"), reconnect_seconds=0)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keepsake-good-client")
        self._thread.start()

    def stop(self) -> None:
        """Stop, and raise what went wrong."""
        self._stop.set()
        self._thread.join(_TIMEOUT_S)
        self._client.close()
        if self.failure is not None:
            raise self.failure

    def _run(self) -> None:
        try:
            for number in itertools.count():
                if self._stop.is_set():
                    return
                begun = time.perf_counter()
                note = self._client.call("note.save", {"content": f"good {number}"})
                found = self._client.call("note.get", {"id": note["id"]})
                assert found["content"] == f"good {number}"
                self.calls += 2
                self.slowest_ms = max(self.slowest_ms, (time.perf_counter() - begun) * 1000)
        except BaseException as error:  # noqa: BLE001  (told by ``stop``)
            self.failure = error


def fuzz(host: Host, frames: int, seed: int) -> FuzzReport:
    """Send malformed frames to a host while a good client works; return what came of it."""
    good = GoodClient(host.vault, host.ask("agent.add", name="good", trust="full").token)
    bad = host.ask("agent.add", name="bad", trust="full").token
    try:
        files_before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        sent, broken = 0, broken_frames(seed)
        messages = payloads(seed, frames)
        while part := list(itertools.islice(messages, _A_CONNECTION)):
            sent += len(part)
            with _connected(host) as raw:
                _send_all(raw, bad, part)
            with _connected(host) as raw, contextlib.suppress(OSError):
                if sent % 400:
                    raw.sendall(encode(hello(bad, "bad", "1")))
                raw.sendall(next(broken))
    finally:
        good.stop()
    _until_left(host)
    return FuzzReport(sent, good.calls, good.slowest_ms, files_before, len(os.listdir("/proc/self/fd")))  # noqa: PTH208


@contextlib.contextmanager
def _connected(host: Host) -> Iterator[socket.socket]:
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(_TIMEOUT_S)
    try:
        made.connect(read_hostfile(host.vault).socket)
        yield made
    finally:
        made.close()


def _send_all(raw: socket.socket, token: str, messages: list[bytes]) -> None:
    """Send messages while their answers are read by another thread."""
    raw.sendall(encode(hello(token, "bad", "1")))
    reader = threading.Thread(target=_read_all, args=(raw,), name="keepsake-answers")
    reader.start()
    for message in messages:
        raw.sendall(with_length(message))
    raw.shutdown(socket.SHUT_WR)
    reader.join(_TIMEOUT_S)
    assert not reader.is_alive(), "the host did not answer to the end"


def _read_all(raw: socket.socket) -> None:
    file = raw.makefile("rb")
    while len(header := file.read(HEADER_BYTES)) == HEADER_BYTES:
        file.read(length_of(header))
    file.close()


def _until_left(host: Host) -> None:
    """Wait until the host has closed the connections of those who left."""
    until = time.monotonic() + _TIMEOUT_S
    while host.connections and time.monotonic() < until:
        time.sleep(0.01)


def main() -> int:
    """Fuzz a host of its own and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.socket_fuzz", description=__doc__)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="keepsake-fuzz-") as folder:
        rates = {"agents.rate": 100_000, "agents.burst": 1_000_000}
        host = Host(Path(folder) / "vault", overrides={"embedding.model": "hashed", **rates})
        host.start()
        try:
            report = fuzz(host, options.frames, options.seed)
        finally:
            host.stop()
    print(report)
    return 0 if report.files_after <= report.files_before and report.good_calls else 1


if __name__ == "__main__":
    sys.exit(main())
