"""First synchronisation of a machine that joins, and what sharing costs an append."""

import statistics
import sys
import time
from pathlib import Path
from typing import Any, Final

from app.host import Host
from tests.bench.scale.corpus import Corpus
from tests.helpers.engine import engine_of
from tests.integration.sync.machines import QUIET, let_in

MOST_WORDS_S: Final = 60
MOST_BYTES: Final = 400
MOST_APPEND_RATIO: Final = 1.1
ROUNDS, APPENDS = 10, 100


def measure(base: Path, address: str, messages: int) -> dict[str, Any]:
    """Return how long it takes until a machine that joins finds all messages of another one.

    Args:
        base: A folder for the vaults.
        address: The place where they meet.
        messages: How many the first machine has.
    """
    source = Corpus(7).write(base / "messages.jsonl", messages)
    first, second = _started(base / "first"), _started(base / "second")
    try:
        _say("importing")
        first.ask("exchange.import", path=str(source))
        engine = engine_of(first)
        first.ask("note.save", content="quillwort under glass")
        _say("sharing")
        begun = time.perf_counter()
        first.submit(engine.sync.service.join(address, fills_anew=False)).result()
        first.submit(engine.sync.service.sync()).result()
        put_s = time.perf_counter() - begun
        _say("joining")
        begun = time.perf_counter()
        let_in(second, first, address, "second")
        while not second.ask("memory.search", query="quillwort", legs=["words"]).hits:
            second.submit(engine_of(second).sync.service.sync()).result()
        words_s = time.perf_counter() - begun
        [count] = second.submit(
            engine_of(second).store.read(
                lambda connection: connection.execute("SELECT count(*) FROM messages").fetchone()
            )
        ).result()
        if count != messages:
            raise RuntimeError(f"{count} of {messages} messages arrived")
        second.ask("vault.settle")
        meaning_s = time.perf_counter() - begun
        _say("appending")
        return {
            "messages": messages,
            "put_s": round(put_s, 1),
            "words_s": round(words_s, 1),
            "words_of_limit": round(words_s / MOST_WORDS_S, 3),
            "meaning_s": round(meaning_s, 1),
        }
    finally:
        first.stop()
        second.stop()


def append_ratio(base: Path, address: str) -> dict[str, float]:
    """Return the median of an append to a shared vault by that of one that is not.

    Both are asked in turn, so that whatever else the machine does touches both.
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
