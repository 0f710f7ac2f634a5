"""Searches while the vault is at work: while conversations are imported, and while all vectors are made anew."""

import json
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from app.host import Host
from tests.bench.growth import workload
from tests.bench.growth.measurements import figures
from tests.bench.scale.corpus import TURNS_A_SESSION, Corpus

QUERIES = 200
_LIMIT = 20
_LEAST = 20_000
_IMPORTED_SHARE = 5  # a fifth of what there is, and no fewer than the least, but so much at most
_MOST = 100_000
_OTHER_MODEL = "hashed"


def importing(host: Host, folder: Path, questions: list[str], size: int) -> dict[str, Any]:
    """Search while further conversations come in and get their vectors, and before and after that."""
    count = min(max(size // _IMPORTED_SHARE, _LEAST), _MOST)
    source = _further(folder / "further.jsonl", count)
    before = _requested(host, questions)
    under_way = host.call("exchange.import", {"path": str(source)})
    busy = _requested(host, questions, until=under_way.done)
    if under_way.result().value.messages != count:
        raise RuntimeError("the further conversations were not imported")
    settling = host.call("vault.settle", {})
    indexing = _requested(host, questions, until=settling.done)
    settling.result()
    after = _requested(host, questions)
    quiet = (before, after)
    return {
        "turns": count,
        "import": _alongside(busy, *quiet),
        "index": _alongside(indexing, *quiet),
        "quiet": [figures(one) for one in quiet],
    }


def re_embedding(host: Host, questions: list[str]) -> dict[str, Any]:
    """Search while another model's vectors are made, and before that; then the first model's serve again."""
    before = _requested(host, questions)
    host.ask("embedding.change", model=_OTHER_MODEL)
    busy = _requested(host, questions, until=lambda: host.ask("embedding.status").building is None)
    host.ask("embedding.rollback")
    host.ask("vault.settle")
    after = _requested(host, questions)
    return {"change": _alongside(busy, before, after), "quiet": [figures(one) for one in (before, after)]}


def _requested(host: Host, questions: list[str], until: Callable[[], bool] | None = None) -> list[float]:
    """Return the milliseconds of searches, one after the other, until something is over or there are enough.

    What is looked at in between does not count; a search that ends after it began to be over does.
    """
    search = partial(host.ask, "memory.search", limit=_LIMIT)
    taken: list[float] = []
    for text in cycle(questions[workload.WARM_UP :]):
        if len(taken) >= QUERIES or (until is not None and until()):
            return taken
        begun = time.perf_counter()
        search(query=text)
        taken.append((time.perf_counter() - begun) * 1000)
    return taken


def _alongside(busy: list[float], *quiet: list[float]) -> dict[str, Any]:
    """Return the times, and how many times as long they are as those of quiet before and after."""
    found, calm = figures(busy), figures([one for part in quiet for one in part])
    if not busy:
        return found
    return found | {f"{name}_times": round(found[f"{name}_ms"] / calm[f"{name}_ms"], 2) for name in ("p50", "p95")}


def _further(path: Path, count: int) -> Path:
    corpus = Corpus(41)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            session, seq = divmod(number, TURNS_A_SESSION)
            line = {"type": "message", "session": f"further-{session}", "seq": seq + 1, "content": corpus.turn()}
            file.write(json.dumps(line | {"role": "assistant" if seq % 2 else "user"}) + "\n")
    return path
