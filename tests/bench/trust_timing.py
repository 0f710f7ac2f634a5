"""Whether time tells what is hidden: ``python -m tests.bench.trust_timing --calls 400``.

An agent with inner trust asks for private things that exist and for things that do not, in turns. For each operation
the medians of both and their ratio are printed; a ratio far from 1 tells them apart.
"""

import argparse
import contextlib
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.api.caller import Caller
from app.errors import KeepsakeError
from app.host import Host
from tests.bench.machine import machine

READER = Caller("reader", "inner")
ITEMS = 2_000
WARM_UP = 20

Case = Callable[[int], dict[str, Any]]


def cases() -> Iterator[tuple[str, Case, Case]]:
    """Yield operations with arguments that name a hidden thing, and a missing one of the same length."""

    def named(argument: str, stem: str, suffix: str = "", **more: Any) -> tuple[Case, Case]:
        return tuple(  # type: ignore[return-value]
            lambda number, word=word: {argument: f"{stem}-{word}-{number:06}{suffix}", **more}
            for word in ("there", "wants")
        )

    turn = [{"role": "user", "content": "words"}]
    yield "note.get", *named("id", "note")
    yield "memory.get", *named("id", "note")
    yield "memory.get", *named("id", "talk", "#1")
    yield "note.delete", *named("id", "note")
    yield "note.update", *named("id", "note", version=1, content="mine")
    yield "note.links", *named("id", "note")
    yield "note.resolve", *named("title", "Title")
    yield "note.titles", *named("prefix", "Title")
    yield "note.save", *named("content", "private words")
    yield "memory.write", *named("content", "private words", kind="fact")
    yield "fact.conflicts", *named("content", "private words")
    yield "memory.sources", *named("id", "note")
    yield "memory.timeline", *named("around", "note")
    yield "archive.get", *named("id", "note")
    yield "tag.list", *named("prefix", "tag")
    yield "tag.rename", *named("old", "tag", new="mine")
    yield "fact.confirm", *named("id", "note")
    yield "fact.get", *named("category", "group", key="key")
    yield "entity.of", *named("owner", "note")
    yield "search.explain", *named("id", "note", query="heron")
    yield "memory.search", *named("query", "words")
    # A word that stands in every private text, against one that stands in none.
    yield "memory.search", lambda _: {"query": "heron"}, lambda _: {"query": "zebra"}
    yield "memory.context", lambda _: {"prompt": "heron"}, lambda _: {"prompt": "zebra"}
    yield "session.get", *named("session", "talk")
    yield "session.restore", *named("session", "talk")
    yield "session.scratchpad.read", *named("session", "talk")
    yield "session.append", *named("session", "talk", messages=turn)


def fill(host: Host) -> None:
    """Store private notes and conversations with known ids."""
    for number in range(ITEMS):
        name = f"there-{number:06}"
        host.ask(
            "note.save",
            id=f"note-{name}",
            title=f"Title-{name}",
            content=f"private words-{name} heron there-there-{number:06}",
            tags=[f"tag-{name}"],
        )
        if number % 4 == 0:
            host.ask("fact.set", category=f"group-{name}", key="key", value=f"private words-{name}")
            host.ask("session.append", session=f"talk-{name}", messages=[{"role": "user", "content": f"said {name}"}])
    host.ask("vault.settle")


def seconds(host: Host, operation: str, arguments: dict[str, Any]) -> float:
    """Return how long a call takes, whatever it answers."""
    begun = time.perf_counter()
    with contextlib.suppress(KeepsakeError):
        host.call(operation, arguments, READER).result()
    return time.perf_counter() - begun


def compare(host: Host, operation: str, hidden: Case, missing: Case, calls: int) -> tuple[float, float]:
    """Return the medians, in microseconds, of calls for hidden and for missing things."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(calls + WARM_UP):
        place = number * 4 % ITEMS
        for case, measured in zip((hidden, missing) if number % 2 else (missing, hidden), (0, 1), strict=True):
            which = measured if number % 2 else 1 - measured
            taken = seconds(host, operation, case(place))
            if number >= WARM_UP:
                times[which].append(taken)
    return statistics.median(times[0]) * 1e6, statistics.median(times[1]) * 1e6


def main() -> None:
    """Fill a vault and print a line for each operation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=400)
    calls = parser.parse_args().calls
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o700)
        host = Host(Path(folder), serve=False, overrides={"backup.daily": False, "index.vectors": False})
        host.start()
        try:
            fill(host)
            for operation, hidden, missing in cases():
                there, absent = compare(host, operation, hidden, missing, calls)
                print(f"{operation:26} hidden {there:9.0f} us   missing {absent:9.0f} us   ratio {there / absent:.2f}")
        finally:
            host.stop()


if __name__ == "__main__":
    main()
