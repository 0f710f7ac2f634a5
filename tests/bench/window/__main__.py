"""``python -m tests.bench.window --messages N --json OUT``: start, longest gaps, memory and frames of the window."""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench.machine import machine, resident_mb
from tests.bench.retrieval.metrics import percentile
from tests.bench.scale import start
from ui import operations

if TYPE_CHECKING:
    from app.core.vault_opening import VaultOpening
    from app.host import Host

_AGENTS = 8
_BULK = 5_000
_IDLE_S = 5.0
_SHOWN = 12
_OVERRIDES = {"backup.daily": False, "agents.rate": 100_000, "agents.burst": 1_000_000}
_BARE_QT = "from PySide6.QtWidgets import QApplication, QMainWindow as W; a = QApplication([]); w = W(); w.show(); \
a.processEvents()"


def main() -> int:
    """Measure and print; with ``--json`` also write the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.window", description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--json", type=Path, help="where to write the report")
    parser.add_argument("--vault", type=Path, help="a filled vault to measure on a copy of; filled first if not there")
    options = parser.parse_args()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a start without byte code is another one
    bulk = min(_BULK, max(1, options.messages // 4))
    with tempfile.TemporaryDirectory(prefix="keepsake-window-") as folder:
        vault = Path(folder) / "vault"
        filled = options.vault or vault
        if not filled.is_dir():
            _say("filling the vault")
            _child("-m", "tests.bench.window.vault_filler", str(filled), str(options.messages), str(bulk))
        if filled != vault:
            shutil.copytree(filled, vault)
        _say("starting")
        report: dict[str, Any] = {"start": _start(vault)}
        _say("the day")
        report |= _day(vault, bulk)
        _say("the graph")
        report["graph_fps"] = _graph_fps(Path(folder) / "graph.json")
    text = json.dumps(report, indent=1)
    print(f"{machine()}\n{text}")
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0


def _say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what} …", file=sys.stderr, flush=True)


def _child(*arguments: str) -> float:
    """Run Python with ``arguments`` and return its milliseconds."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, timeout=3600)
    return (time.perf_counter() - begun) * 1000


def _start(vault: Path) -> dict[str, float]:
    start.window(vault)  # writes the byte code, and leaves the files in the system's memory
    for name, code in (("python -c pass", "pass"), ("bare Qt window", _BARE_QT)):
        print(f"{name}: {sorted(_child('-c', code) for _ in range(5))[2]:.0f} ms")
    window = start.window(vault)
    return {"window_ms": window["window_ms"], "filled_ms": window["usable_ms"], "engine_ms": start.engine_ms(vault)}


def _graph_fps(out: Path) -> dict[str, float]:
    # Its status says whether the goals are met; here the figures count.
    subprocess.run([sys.executable, "-m", "tests.bench.graph", "--json", str(out)], check=False, timeout=600)
    found: dict[str, float] = json.loads(out.read_text(encoding="utf-8"))["graph_fps"]
    return {size: round(fps, 1) for size, fps in found.items()}


def _day(vault: Path, bulk: int) -> dict[str, Any]:

    from ui.app import make_application
    from ui.process.event_loop import EventLoop

    loop = EventLoop(make_application())
    asyncio.set_event_loop(loop)
    try:
        report: dict[str, Any] = loop.run_until_complete(_lived(vault, bulk))
    finally:
        loop.close()
    return report


def _open_vault(vault: Path, *, safe_mode: bool = False, opening: "VaultOpening | None" = None) -> "Host":
    from app.host import Host

    host = Host(vault, overrides=_OVERRIDES, safe_mode=safe_mode, opening=opening)
    host.start()
    return host


async def _lived(vault: Path, bulk: int) -> dict[str, Any]:
    from tests.bench.window.gap_recorder import GapRecorder
    from tests.bench.window.scripted_day import ScriptedDay
    from ui.app import VaultFolder
    from ui.process.error_reporter import ErrorReporter
    from ui.process.gc_control import GarbageCollector
    from ui.process.program import Program
    from ui.process.single_instance import SingleInstance

    loop = asyncio.get_running_loop()
    recorder = GapRecorder()
    program = Program(
        vault, SingleInstance(str(vault / "bench.socket")), ErrorReporter(), _open_vault, VaultFolder(vault)
    )
    collector = GarbageCollector(program)
    is_open, ended = loop.create_future(), loop.create_future()
    program.opened.connect(lambda: is_open.set_result(None))
    program.finished.connect(lambda: ended.set_result(None))
    collector.start()
    recorder.step = "open"
    recorder.start()
    program.start(hidden=False, requests=[])
    await is_open
    await asyncio.sleep(1)
    bridge = program.bridge
    assert bridge is not None
    tokens = [
        (await bridge.call(operations.agent.add(name=f"writer-{one}", trust="full"))).token for one in range(_AGENTS)
    ]
    command = [sys.executable, "-m", "tests.bench.window.agent_writers", str(vault)]
    writers = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
    assert writers.stdin is not None
    writers.stdin.write(json.dumps(tokens) + "\n")
    writers.stdin.flush()
    reindex = bridge.start(bridge.call(operations.vault.reindex()))
    try:
        day = ScriptedDay(program.window, bridge, recorder, bulk)
        await day.run()
        rss = resident_mb()
        if writers.poll() is not None:
            raise RuntimeError("the agents ended before the day did")
    finally:
        recorder.stop()
        writers.stdin.close()
        await asyncio.to_thread(writers.wait)
    await reindex
    await bridge.call(operations.vault.settle())
    await asyncio.sleep(_IDLE_S)
    idle = await _idle_cpu_percent()
    program.quit()
    await ended
    collector.stop()
    first = {"p50": round(percentile(day.first_hits_ms, 0.5), 1), "worst": round(max(day.first_hits_ms), 1)}
    return {**_gap_report(recorder), "first_hits_ms": first, "rss_mb": round(rss, 1), "idle_cpu_percent": idle}


async def _idle_cpu_percent() -> float:
    begun, used = time.perf_counter(), time.process_time()
    await asyncio.sleep(_IDLE_S)
    return round(100 * (time.process_time() - used) / (time.perf_counter() - begun), 2)


def _gap_report(recorder: Any) -> dict[str, Any]:
    worst: dict[str, float] = defaultdict(float)
    worst_cpu: dict[str, float] = defaultdict(float)
    for gap in recorder.gaps:
        worst[gap.step] = max(worst[gap.step], round(gap.ms, 1))
        worst_cpu[gap.step] = max(worst_cpu[gap.step], round(gap.cpu_ms, 1))
    long = sorted((gap for gap in recorder.gaps if gap.stack), key=lambda gap: -gap.ms)
    print(f"{len(long)} gaps of more than 50 ms")
    for gap in long[:_SHOWN]:
        print(f"{gap.ms:.0f} ms in {gap.step}, of which {gap.cpu_ms:.0f} ms computed\n{gap.stack}")
    return {
        "worst_gap_ms": dict(worst),
        "worst_gap_cpu_ms": dict(worst_cpu),
        "p99_gap_ms": round(percentile([gap.ms for gap in recorder.gaps], 0.99), 1),
    }


if __name__ == "__main__":
    sys.exit(main())
