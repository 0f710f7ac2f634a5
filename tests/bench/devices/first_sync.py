"""First synchronisation of a machine that joins, and what sharing costs an append."""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from app.host import Host
from tests.bench.scale.corpus import Corpus
from tests.helpers.engine import engine_of
from tests.integration.sync.machines import COMPACT_AT_ONCE, QUIET, compact, let_in

MOST_WORDS_S: Final = 60
MOST_BYTES: Final = 400
MOST_APPEND_RATIO: Final = 1.1
ROUNDS, APPENDS = 200, 10
COMPACTING: Final = 3
"""Rounds until a snapshot stands for all segments."""


def measure(base: Path, address: str, messages: int, size: Callable[[], int]) -> dict[str, Any]:
    """Return how long it takes until a machine that joins finds all messages of another one.

    A second one joins once a snapshot stands for all segments.

    Args:
        base: A folder for the vaults.
        address: The place where they meet.
        messages: How many the first machine has.
        size: Returns how many bytes the place holds.
    """
    source = Corpus(7).write(base / "messages.jsonl", messages)
    first, second, third = (_started(base / name) for name in ("first", "second", "third"))
    try:
        _say("importing")
        first.ask("exchange.import", path=str(source))
        first.ask("note.save", content="quillwort under glass")
        _say("sharing")
        begun = time.perf_counter()
        first.submit(engine_of(first).sync.service.join(address, fills_anew=False)).result()
        _sync(first)
        put_s = time.perf_counter() - begun
        _say("joining")
        begun = time.perf_counter()
        words_s = _joined(second, first, address, messages)
        segment_bytes = size()
        second.ask("vault.settle")
        meaning_s = time.perf_counter() - begun
        _say("compacting")
        begun = time.perf_counter()
        for host in (first, second):
            compact(host, COMPACT_AT_ONCE)
        for _ in range(COMPACTING):
            _sync(first)
            _sync(second)
        compacted_s = time.perf_counter() - begun
        snapshot_bytes = size()
        _say("joining from a snapshot")
        snapshot_words_s = _joined(third, first, address, messages)
        _say("appending")
        return {
            "messages": messages,
            "put_s": round(put_s, 1),
            "words_s": round(words_s, 1),
            "words_of_limit": round(words_s / MOST_WORDS_S, 3),
            "meaning_s": round(meaning_s, 1),
            "bytes_per_message": round(segment_bytes / messages),
            "bytes_of_limit": round(segment_bytes / messages / MOST_BYTES, 3),
            "compacted_s": round(compacted_s, 1),
            "snapshot_words_s": round(snapshot_words_s, 1),
            "snapshot_of_words": round(snapshot_words_s / words_s, 3),
            "snapshot_bytes_per_message": round(snapshot_bytes / messages),
        }
    finally:
        for host in (first, second, third):
            host.stop()


def _joined(host: Host, member: Host, address: str, messages: int) -> float:
    """Let a machine join, and return the seconds until it finds all by their words."""
    begun = time.perf_counter()
    let_in(host, member, address, "joining")
    while not host.ask("memory.search", query="quillwort", legs=["words"]).hits:
        _sync(host)
    took_s = time.perf_counter() - begun
    [count] = host.submit(
        engine_of(host).store.read(lambda connection: connection.execute("SELECT count(*) FROM messages").fetchone())
    ).result()
    if count != messages:
        raise RuntimeError(f"{count} of {messages} messages arrived")
    return took_s


def _sync(host: Host) -> None:
    host.submit(engine_of(host).sync.service.sync()).result()


def append_ratio(base: Path, address: str) -> dict[str, float]:
    """Return the median of an append to a shared vault by that of one that is not.

    Both are asked in turn, after few appends each, so that whatever else the machine does touches both.
    """
    shared, alone = _started(base / "shared vault"), _started(base / "lone vault")
    try:
        shared.ask("device.share", place=address)
        took: dict[Host, list[float]] = {shared: [], alone: []}
        corpus = Corpus(11)
        for _ in range(ROUNDS):
            for host, times in took.items():
                for _ in range(APPENDS):
                    turn = {"role": "user", "content": corpus.turn()}
                    begun = time.perf_counter()
                    host.ask("session.append", session="talk", messages=[turn])
                    times.append(time.perf_counter() - begun)
        ratio = statistics.median(took[shared]) / statistics.median(took[alone])
        return {
            "append_ms": round(statistics.median(took[shared]) * 1000, 3),
            "append_ratio": round(ratio, 3),
            "append_of_limit": round(ratio / MOST_APPEND_RATIO, 3),
        }
    finally:
        shared.stop()
        alone.stop()


def _started(vault: Path) -> Host:
    host = Host(vault, serve=False, overrides=QUIET)
    host.start()
    return host


def _say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what} …", file=sys.stderr, flush=True)
