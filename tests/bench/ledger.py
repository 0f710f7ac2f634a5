"""Cost of the ledger: microseconds a record, as a share of a session.append in the same run.

Run with ``python -m tests.bench.ledger [--calls N] [--json OUT]``.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from app.api.call_hooks import FinishedCall
from app.api.caller import Caller
from app.api.ledger_recorder import LedgerRecorder
from app.api.registry import Catalogue, Reply
from app.engine import Engine
from app.host import Host
from tests.helpers.engine import engine_behind

_SCOUT = Caller("scout", client="bench 1")
_TURN = "We talked about the boiler in Graz, and that Marta will mend it on Tuesday. " * 3


class _Timed:
    """Recorder that measures another one."""

    def __init__(self, inner: LedgerRecorder) -> None:
        self._inner = inner
        self.seconds: dict[str, list[float]] = {}

    def record(self, call: FinishedCall) -> None:
        """Record a call and note how long that took."""
        begun = time.perf_counter()
        self._inner.record(call)
        self.seconds.setdefault(call.operation.name, []).append(time.perf_counter() - begun)


def main(argv: list[str]) -> int:
    """Print microseconds a record by operation, and their ratio to an append."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.ledger")
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        host = Host(Path(folder) / "vault", serve=False, overrides={"embedding.model": "hashed"})
        host.start()
        try:
            found = host.submit(_measure(host.catalogue, options.calls)).result()
        finally:
            host.stop()
    for name, value in found.items():
        sys.stdout.write(f"{name:>28}  {value:,.2f}\n")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0


async def _measure(catalogue: Catalogue, calls: int) -> dict[str, float]:
    inner = catalogue._recorder
    assert isinstance(inner, LedgerRecorder)
    timed = _Timed(inner)
    appends = await _appends(catalogue, calls)  # warm-up, and the search has something to find
    without, recorded = [], []
    for _ in range(4):  # in turns, so that both meet the same machine
        catalogue._recorder = None
        without += await _appends(catalogue, calls // 4)
        catalogue._recorder = timed
        recorded += await _appends(catalogue, calls // 4)
    session = (await _call(catalogue, "session.ids")).value[0]
    for _ in range(calls // 10):
        await _call(catalogue, "memory.search", query="boiler in Graz", limit=50)
        await _call(catalogue, "memory.context", prompt="Who mends the boiler?")
        await _call(catalogue, "session.messages", session=session, limit=200)
    engine: Any = engine_behind(catalogue)
    assert isinstance(engine, Engine)
    begun = time.perf_counter()
    await engine.ledger.flush()
    found = {f"{name} µs": median(seconds) * 1e6 for name, seconds in timed.seconds.items()}
    found["append ms"] = median(without) * 1e3
    found["append recorded ms"] = median(recorded) * 1e3
    found["record / append"] = median(timed.seconds["session.append"]) / median(without)
    found["last flush ms"] = (time.perf_counter() - begun) * 1e3
    found["appends"] = float(len(appends) + len(without) + len(recorded))
    return found


async def _appends(catalogue: Catalogue, count: int) -> list[float]:
    seconds = []
    for _ in range(count):
        begun = time.perf_counter()
        await _call(catalogue, "session.append", messages=[{"role": "user", "content": _TURN}], session="bench")
        seconds.append(time.perf_counter() - begun)
    return seconds


async def _call(catalogue: Catalogue, operation: str, **arguments: Any) -> Reply:
    return await catalogue.call(operation, arguments, _SCOUT)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
