"""``python -m tests.bench.scale --messages N --json OUT``: one size, everything measured, floor beside it."""

import argparse
import json
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from app.config.schema import RECIPES
from app.host import Host
from app.upkeep.memory_trimmer import REST_S
from tests.bench.growth.footprint import disk_bytes
from tests.bench.machine import machine, mapped_mb, resident_mb
from tests.bench.retrieval.metrics import percentile
from tests.bench.scale import changes, floor, memories, start
from tests.bench.scale.corpus import Corpus

_QUESTIONS = 100
_APPENDS = 500
_BUSY_READERS = 4
_MEMORIES = 100_000
_OVERRIDES = {"backup.daily": False}  # it would run in between


def main() -> int:
    """Measure one size and print it."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scale", description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument(
        "--memories",
        type=int,
        help=f"durable items written and asked for; as many as messages, but {_MEMORIES:,} at most, when left out",
    )
    parser.add_argument("--folder", type=Path, help="where everything is made for a while; 15 GB for a million")
    parser.add_argument("--json", type=Path, help="where to write the report")
    parser.add_argument("--no-window", action="store_true", help="leave the window's start-up out")
    options = parser.parse_args()
    kept = min(options.messages, _MEMORIES) if options.memories is None else options.memories
    with tempfile.TemporaryDirectory(prefix="keepsake-scale-", dir=options.folder) as folder:
        report = _measure(Path(folder), options.messages, kept, with_window=not options.no_window)
    _show(report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


def _measure(folder: Path, messages: int, kept: int, *, with_window: bool) -> dict[str, Any]:
    _say("writing the conversations")
    source = Corpus().write(folder / "corpus.jsonl", messages)
    corpus = Corpus(5)
    questions = [corpus.question() for _ in range(_QUESTIONS)]
    vault = folder / "vault"
    report: dict[str, Any] = {"messages": messages, "machine": machine()}
    report |= _at_work(vault, source, questions, messages)
    report["disk_mb"] = round(sum(path.stat().st_size for path in vault.glob("memory.db*")) / 1e6, 1)
    _say("starting")
    report["start"] = {"engine_ms": start.engine_ms(vault)}
    if with_window:
        report["start"] |= start.window(vault)
    shutil.rmtree(vault)
    _say("memories")
    report["memories"] = memories.measure(folder, kept)
    shutil.rmtree(folder / "memories")
    _say("bare SQLite")
    report["floor"] = floor.measure(folder, source, questions)
    return report


def _at_work(vault: Path, source: Path, questions: list[str], messages: int) -> dict[str, Any]:
    clock = changes.LateClock()
    host = Host(vault, serve=False, clock=clock, overrides=_OVERRIDES)
    host.start()
    try:
        _say("importing")
        report = _bulk(host, source, messages)
        host.ask("vault.settle", names=True)
        report["disk_bytes_a_message"] = round(disk_bytes(vault) / messages)
        _say("appending")
        report["append"] = _append(host, questions)
        host.ask("vault.settle", names=True)
        _say("searching")
        report["search"] = {recipe: _search(host, questions, recipe) for recipe in RECIPES}
        report["context"] = _context(host, questions)
        report["rss_mb"], report["mapped_mb"] = round(resident_mb(), 1), round(mapped_mb(), 1)
        _say("undoing and forgetting")
        report["changes"] = changes.measure(host, vault.parent, messages, clock)
        report["memory_after"] = _memory_after(host, questions)
    finally:
        host.stop()
    return report


def _memory_after(host: Host, questions: list[str]) -> dict[str, float]:
    """Return the MB that stay once all that work is over, and with what searches then need again."""
    time.sleep(2 * REST_S)
    rested = resident_mb()
    _search(host, questions, "learned")
    return {"rested_mb": round(rested, 1), "rss_mb": round(resident_mb(), 1), "mapped_mb": round(mapped_mb(), 1)}


def _say(what: str) -> None:
    """Say what goes on; a million messages take an hour."""
    print(f"{time.strftime('%H:%M:%S')} {what} …", file=sys.stderr, flush=True)


def _bulk(host: Host, source: Path, messages: int) -> dict[str, Any]:
    begun = time.perf_counter()
    imported = host.ask("exchange.import", path=str(source))
    words = time.perf_counter() - begun
    if imported.messages != messages:
        raise RuntimeError(f"imported {imported.messages} of {messages}: {imported.problems[:3]}")
    host.ask("vault.settle")
    whole = time.perf_counter() - begun
    return {"bulk_per_s": round(messages / words), "bulk_with_vectors_per_s": round(messages / whole)}


def _append(host: Host, questions: list[str]) -> dict[str, float]:
    """Append one message at a time while readers search all the while."""
    corpus, stop = Corpus(13), threading.Event()

    def read(number: int) -> None:
        turn = number
        while not stop.is_set():
            turn += 1
            host.ask("memory.search", query=questions[turn % len(questions)], legs=["words"])

    readers = [threading.Thread(target=read, args=(number,)) for number in range(_BUSY_READERS)]
    for reader in readers:
        reader.start()
    try:
        busy = [_append_one(host, corpus.turn()) for _ in range(_APPENDS)]
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    quiet = [_append_one(host, corpus.turn()) for _ in range(_APPENDS)]
    return {
        "p50_ms": round(percentile(busy, 0.5), 3),
        "p95_ms": round(percentile(busy, 0.95), 3),
        "quiet_p50_ms": round(percentile(quiet, 0.5), 3),
        "quiet_p95_ms": round(percentile(quiet, 0.95), 3),
    }


def _append_one(host: Host, text: str) -> float:
    begun = time.perf_counter()
    host.ask("session.append", messages=[{"role": "user", "content": text}], session="bench-append")
    return (time.perf_counter() - begun) * 1000


def _search(host: Host, questions: list[str], recipe: str) -> dict[str, float]:
    def ask(question: str) -> object:
        return host.ask("memory.search", query=question, recipe=recipe, limit=20)

    ask(questions[0])
    return floor.times([lambda question=question: ask(question) for question in questions])


def _context(host: Host, questions: list[str]) -> dict[str, float]:
    def ask(question: str) -> object:
        return host.ask("memory.context", prompt=question, session="bench-0")

    ask(questions[0])
    return floor.times([lambda question=question: ask(question) for question in questions])


def _show(report: dict[str, Any]) -> None:
    low, append = report["floor"], report["append"]
    print(f"{report['messages']:,} messages on {report['machine']}")
    print(f"append, 4 readers busy   p50 {append['p50_ms']} ms, p95 {append['p95_ms']} ms")
    ratio = append["p50_ms"] / max(low["busy_append"]["p50_ms"], 1e-9)
    print(f"  {ratio:.1f}x bare FTS5 with 4 bare readers busy: p95 {low['busy_append']['p95_ms']} ms")
    ratio = append["quiet_p50_ms"] / max(low["fts5_append"]["p50_ms"], 1e-9)
    print(f"append, quiet            p50 {append['quiet_p50_ms']} ms: {ratio:.1f}x bare FTS5")
    ratio = low["fts5_bulk_per_s"] / max(report["bulk_per_s"], 1)
    print(f"import to words          {report['bulk_per_s']:,} a second: bare FTS5 is {ratio:.1f}x as fast")
    print(f"import to vectors        {report['bulk_with_vectors_per_s']:,} a second")
    for recipe, taken in report["search"].items():
        base = low["sqlite_vec_search"]["p50_ms"] if recipe == "vector" else low["fts5_search"]["p50_ms"]
        ratio = taken["p50_ms"] / max(base, 1e-9)
        print(f"search {recipe:10}        p50 {taken['p50_ms']} ms, p95 {taken['p95_ms']} ms: {ratio:.1f}x bare")
    context, ratio = report["context"], report["context"]["p50_ms"] / max(report["search"]["learned"]["p50_ms"], 1e-9)
    print(f"memory.context           p50 {context['p50_ms']} ms, p95 {context['p95_ms']} ms: {ratio:.1f}x a search")
    print(f"changes                  {report['changes']}")
    for words, taken in report["memories"]["write"].items():
        ratio = taken["p50_ms"] / max(report["memories"]["bare_write"][words]["p50_ms"], 1e-9)
        print(
            f"memory.write, {words} words  p50 {taken['p50_ms']} ms, p95 {taken['p95_ms']} ms: {ratio:.1f}x bare rows"
        )
    print(f"memories                 {report['memories']['asked']}")
    print(f"start                    {report['start']}")
    print(f"memory {report['rss_mb']} MB, {report['mapped_mb']} MB of it mapped files")
    after = report["memory_after"]
    again = f"{after['rss_mb']} MB, {after['mapped_mb']} MB of it mapped, searching again"
    print(f"after the changes        {after['rested_mb']} MB; {again}")
    print(f"disk {report['disk_mb']} MB; {report['disk_bytes_a_message']:,} bytes a message once imported")
    print(f"floor                    {low}")


if __name__ == "__main__":
    sys.exit(main())
