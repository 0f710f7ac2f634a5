"""Benchmark of agents: ``python -m tests.bench.agents --clients N --seconds S --messages M --json OUT``.

Four phases of the same length: small reads; small reads of half the agents while the other half searches; searches;
appends. The latency of small reads is that of the second phase. A window is connected all the while.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.host import Host
from tests.bench.machine import machine, resident_mb
from tests.bench.retrieval.metrics import percentile
from tests.bench.scale.corpus import Corpus

_PROCESSES = 4
_NOTES = 500
_QUESTIONS = 2000
_WARM_SECONDS = 2.0
_SETTLE_SECONDS = 3.0
_SETTINGS = {"agents.rate": 100_000, "agents.burst": 1_000_000, "backup.daily": False}
Latencies = dict[str, list[float]]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.agents", description=__doc__)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--json", type=Path, help="where to write the report")
    parser.add_argument("--no-window", action="store_true", help="leave the window out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="keepsake-agents-") as folder:
        task = _prepare(Path(folder), options.messages, options.clients)
        with _serving(Path(task["vault"])) as pid:
            report = _measure(task, pid, options.seconds, with_window=not options.no_window)
    report["details"] |= {"clients": options.clients, "messages": options.messages, "machine": machine()}
    print(json.dumps(report, indent=1))
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


def _prepare(folder: Path, messages: int, clients: int) -> dict[str, Any]:
    """Fill a vault; return what the clients need."""
    _say(f"importing {messages:,} messages")
    source = Corpus().write(folder / "corpus.jsonl", messages)
    host = Host(folder / "vault", serve=False)
    host.start()
    try:
        for name, value in _SETTINGS.items():
            host.ask("settings.set", name=name, value=value)
        host.ask("exchange.import", path=str(source))
        corpus = Corpus(5)
        notes = [host.ask("note.save", content=corpus.turn()).id for _ in range(_NOTES)]
        tokens = [host.ask("agent.add", name=f"agent {number}", trust="full").token for number in range(clients)]
        host.ask("vault.settle", names=True)
    finally:
        host.stop()
    questions = [corpus.question() for _ in range(_QUESTIONS)]
    return {
        "vault": str(folder / "vault"),
        "tokens": list(enumerate(tokens)),
        "notes": notes,
        "questions": questions,
    }


@contextlib.contextmanager
def _serving(vault: Path) -> Iterator[int]:
    """Run a host on the vault in a process of its own; yield its id."""
    _say("starting the host")
    host = subprocess.Popen([sys.executable, "-m", "app", "--vault", str(vault), "serve"], stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while not (vault / "host.json").exists():
            if host.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the host did not start")
            time.sleep(0.05)
        yield host.pid
    finally:
        host.terminate()
        host.wait(60)


def _measure(task: dict[str, Any], pid: int, seconds: float, *, with_window: bool) -> dict[str, Any]:
    phase_seconds = seconds / 4
    with contextlib.ExitStack() as stack:
        window = stack.enter_context(_window(task["vault"])) if with_window else None
        with _clients(task) as clients:
            _say("warming up")
            for kind in ("small", "search", "append"):
                _phase(clients, [kind], _WARM_SECONDS)
            time.sleep(_SETTLE_SECONDS)
            before = _footprint(pid)
            cpu_ms: dict[str, float] = {}
            _tell(window, "start")
            _say("small reads")
            begun = _cpu_seconds(pid)
            small = _phase(clients, ["small"], phase_seconds)["small"]
            cpu_ms["small"] = _each_ms(pid, begun, len(small))
            _say("small reads beside searches")
            mixed = _phase(clients, ["small", "search"], phase_seconds)
            _say("searches")
            begun = _cpu_seconds(pid)
            search = _phase(clients, ["search"], phase_seconds)["search"]
            cpu_ms["search"] = _each_ms(pid, begun, len(search))
            _say("appends")
            begun = _cpu_seconds(pid)
            append = _phase(clients, ["append"], phase_seconds)["append"]
            cpu_ms["append"] = _each_ms(pid, begun, len(append))
            _tell(window, "stop")
            time.sleep(_SETTLE_SECONDS)
            after = _footprint(pid)
        stall = _stall(window)
    return {
        "small": {
            "per_s": round(len(small) / phase_seconds, 1),
            "p99_ms": _p99(mixed["small"]),
        },
        "search": {"per_s": round(len(search) / phase_seconds, 1), "p99_ms": _p99(search)},
        "append": {"per_s": round(len(append) / phase_seconds, 1), "p99_ms": _p99(append)},
        "rss_growth_mb": round(after[0] - before[0], 1),
        "fd_growth": after[1] - before[1],
        "window_worst_stall_ms": stall,
        "details": {"small_alone_p99_ms": _p99(small), "host_cpu_ms": cpu_ms},
    }


@contextlib.contextmanager
def _clients(task: dict[str, Any]) -> Iterator[list["subprocess.Popen[str]"]]:
    """Run the clients in some processes."""
    started = []
    try:
        for number in range(min(_PROCESSES, len(task["tokens"]))):
            child = subprocess.Popen(
                [sys.executable, "-m", "tests.bench.agents.load"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            started.append(child)
            _write(child, {**task, "tokens": task["tokens"][number::_PROCESSES]})
        for child in started:
            if _line(child) != "ready":
                raise RuntimeError("a client did not connect")
        yield started
    finally:
        for child in started:
            child.communicate(timeout=60)


def _phase(clients: list["subprocess.Popen[str]"], kinds: list[str], seconds: float) -> Latencies:
    """Let all clients work at once; return their latencies."""
    for child in clients:
        _write(child, {"kinds": kinds, "seconds": seconds})
    found: Latencies = {kind: [] for kind in kinds}
    for child in clients:
        for kind, latencies in json.loads(_line(child)).items():
            found[kind] += latencies
    return found


@contextlib.contextmanager
def _window(vault: str) -> Iterator["subprocess.Popen[str]"]:
    """Open the window on the vault, in a process without a screen."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "tests.bench.agents.window", vault]
    window = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        time.sleep(_SETTLE_SECONDS)
        yield window
    finally:
        window.communicate(timeout=60)


def _tell(window: "subprocess.Popen[str] | None", word: str) -> None:
    if window is not None and window.stdin is not None:
        window.stdin.write(f"{word}\n")
        window.stdin.flush()


def _stall(window: "subprocess.Popen[str] | None") -> float | None:
    if window is None or window.stdin is None:
        return None
    window.stdin.close()
    stall = float(_line(window))
    window.stdin = None  # it is closed
    return stall


def _write(child: "subprocess.Popen[str]", value: object) -> None:
    assert child.stdin is not None
    child.stdin.write(json.dumps(value) + "\n")
    child.stdin.flush()


def _line(child: "subprocess.Popen[str]") -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def _footprint(pid: int) -> tuple[float, int]:
    """Return a process's resident MB and open files."""
    return resident_mb(pid), len(list(Path(f"/proc/{pid}/fd").iterdir()))


def _cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _each_ms(pid: int, begun: float, calls: int) -> float:
    """Return the milliseconds of processor time that each call took the host."""
    return round((_cpu_seconds(pid) - begun) * 1000 / max(calls, 1), 3)


def _p99(latencies: list[float]) -> float:
    return round(percentile(latencies, 0.99), 2)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
