"""Speed of upkeep, and what it costs those who write meanwhile.

python -m tests.bench.upkeep --memories 100000 --json OUT

OUT: ``{"decay_s", "compression_plan_s", "consolidation_messages_per_s", "append_p95_ms_meanwhile", "reflection_s"}``
and more: the slowest append, the plan of decay, the undo of its run. A thread appends messages to another conversation
from the first job to the last. A job that there is not yet has ``null``.
"""

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import quantiles
from typing import Any

import apsw

from app.core.ids import new_id
from app.errors import InputError
from app.host import Host
from app.memories.repo import text_key
from app.schedule.model import JobResult
from app.upkeep.upkeep_job import UpkeepRun
from tests.helpers.engine import engine_of

_DAY_MS = 86_400_000
_LIMIT_S = 1800.0
_IDLE_S = 5.0  # to compare with
_TURNS = (
    "I moved to Graz in March, and I work as a nurse at the clinic there.",
    "My sister Marta likes climbing, but she does not like the cold.",
    "We decided to take the train to Lisbon on 12 May.",
    "I will send you the plan for the garden by Friday.",
    "That sounds good. What else is there to do?",
)


class _Clock:
    """A clock some days ahead of the machine's."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def now_ms(self) -> int:
        return round((datetime.now(UTC) + self.ahead).timestamp() * 1000)


def main(argv: list[str]) -> int:
    """Print and store the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.upkeep")
    parser.add_argument("--memories", type=int, default=100_000, help="facts, and as many observations")
    parser.add_argument("--messages", type=int, default=2_000, help="messages to consolidate")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    quiet = {"embedding.model": "hashed", "backup.daily": False, "schedule.poll": 3600, "index.vectors": False}
    off = {f"{name}.enabled": False for name in ("decay", "retention", "consolidation", "enrichment", "reflection")}
    clock = _Clock()
    with tempfile.TemporaryDirectory() as folder:
        host = Host(Path(folder) / "vault", serve=False, clock=clock, overrides=quiet | off)
        host.start()
        try:
            found = _measure(host, clock, options.memories, options.messages)
        finally:
            host.stop()
    text = json.dumps(found, indent=1)
    sys.stdout.write(f"{text}\n")
    if options.json:
        options.json.write_text(text, encoding="utf-8")
    return 0


def _measure(host: Host, clock: _Clock, memories: int, messages: int) -> dict[str, Any]:
    engine: Any = engine_of(host)
    host.submit(engine.store.write(lambda connection: _fill(connection, memories, clock.now_ms()))).result(_LIMIT_S)
    _converse(host, messages)
    found: dict[str, Any] = {}
    idle = _Appends(host)
    idle.start()
    time.sleep(_IDLE_S)
    idle.stop()
    found["append_p95_ms_idle"] = quantiles(idle.milliseconds, n=20)[-1]
    found["append_max_ms_idle"] = max(idle.milliseconds)
    appends = _Appends(host)
    appends.start()
    try:
        found["compression_plan_s"] = _seconds(lambda: host.submit(_plan(host, "retention")).result(_LIMIT_S))
        found["decay_plan_s"] = _seconds(lambda: host.submit(_plan(host, "decay")).result(_LIMIT_S))
        runs: list[str] = []
        found["decay_s"] = _seconds(lambda: runs.append(_run(host, "decay")[0]))
        found["decay_undo_s"] = _seconds(lambda: host.ask("memory.undo", run_id=runs[0]))
        clock.ahead = timedelta(days=1)
        took = _optional(lambda: _run(host, "consolidation"))
        found["consolidation_messages_per_s"] = None if took is None else messages / took
        found["reflection_s"] = _optional(lambda: _run(host, "reflection"))
    finally:
        appends.stop()
    found["append_p95_ms_meanwhile"] = quantiles(appends.milliseconds, n=20)[-1]
    found["append_max_ms_meanwhile"] = max(appends.milliseconds)
    found["appends"] = len(appends.milliseconds)
    return found


def _fill(connection: apsw.Connection, count: int, now_ms: int) -> None:
    """Store facts that decay, and observations in clusters of ten, without indexing them."""
    insert = (
        "INSERT INTO memories (id, kind, title, title_key, content, content_hash, type, confidence, decay_rate,"
        " created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    )
    facts = [f"Person {number} likes dish number {number % 977} since the summer." for number in range(count)]
    old = now_ms - 20 * _DAY_MS
    connection.executemany(
        insert,
        (
            (new_id("fact"), "fact", "", "", text, text_key(text), "", 1.0, 0.01 + number % 9 / 100, old, old)
            for number, text in enumerate(facts)
        ),
    )
    connection.executemany(
        insert,
        (
            (new_id("observation"), "observation", f"Topic {number // 10}", f"topic {number // 10}",
             f"Step {number} of the work was done.", text_key(f"step {number}"), "note", 1.0, 0.0, old, old)
            for number in range(count)
        ),
    )  # fmt: skip
    connection.execute("DELETE FROM pending_mentions")


def _converse(host: Host, messages: int) -> None:
    for start in range(0, messages, 50):
        turns = [
            {"role": "assistant" if number % 5 == 4 else "user", "content": f"{_TURNS[number % 5]} ({start + number})"}
            for number in range(min(50, messages - start))
        ]
        host.ask("session.append", session=f"talk-{start}", messages=turns)


def _run(host: Host, name: str) -> tuple[str, JobResult]:
    engine: Any = engine_of(host)
    run_id = new_id("run")
    job = engine.upkeep_jobs.named(name)

    async def work() -> JobResult:
        progress = engine.jobs.begin(name, job.unit, run_id)
        try:
            outcome: JobResult = await job.apply(UpkeepRun(run_id, progress, engine.publish))
            return outcome
        finally:
            engine.jobs.end(progress, "finished")

    return run_id, host.submit(work()).result(_LIMIT_S)


async def _plan(host: Host, name: str) -> object:
    engine: Any = engine_of(host)
    return await engine.upkeep_jobs.named(name).plan()


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _optional(work: Callable[[], object]) -> float | None:
    try:
        return _seconds(work)
    except InputError:
        return None  # there is no such job


class _Appends:
    """Thread that appends messages and measures how long each takes."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self.milliseconds: list[float] = []

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for the last append."""
        self._stopped.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._stopped.wait(0.01):
            begun = time.perf_counter()
            self._host.ask("session.append", session="other", messages=[{"role": "user", "content": "Said meanwhile."}])
            self.milliseconds.append(1000 * (time.perf_counter() - begun))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
