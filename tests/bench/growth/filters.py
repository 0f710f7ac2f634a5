"""Searches narrowed by each operator, to much of the vault and to little of it."""

import json
import random
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from app.core.ids import new_id
from app.errors import TimeLimitError
from app.host import Host
from tests.bench.growth import workload
from tests.bench.growth.measurements import timed
from tests.bench.scale.corpus import TURNS_A_SESSION, Corpus

QUERIES = 60
SHARE = 10  # one memory for so many turns
_RARE = 500  # one memory in so many has the rare tag
_LIMIT = 20
_BEGAN = 1_700_000_000  # when the first message of the corpus was said
_STEP_S = 60
_KINDS = ("fact", "fact", "fact", "observation", "note")
_STORES = ("private",) * 16 + ("shared",) * 3 + ("social",)


def operators(size: int) -> dict[str, str]:
    """Return for each kind of filter one that leaves much, and one that leaves little."""
    session = f"session:bench-{size // TURNS_A_SESSION // 2}"
    late = f"after:{_at(size, 0.5)}"
    return {
        "kind, broad": "kind:message",
        "kind, narrow": "kind:note",
        "tag, broad": "tag:life",
        "tag, narrow": "tag:rare",
        "store, broad": "store:private",
        "store, narrow": "store:social",
        "session, broad": "-session:bench-1",
        "session, narrow": session,
        "agent, broad": "agent:Atlas",
        "role, broad": "role:user",
        "time, broad": late,
        "time, narrow": f"after:{_at(size, 0.99)} before:{_at(size, 0.999)}",
        "role and time": f"role:user {late}",
        "role and session": f"role:user {session}",
    }


def add(host: Host, folder: Path, size: int) -> int:
    """Add memories of several kinds, stores and tags, a tenth as many as there are turns; return how many."""
    count, source = size // SHARE, folder / "memories.jsonl"
    corpus, chance = Corpus(29), random.Random(29)
    with source.open("w", encoding="utf-8") as file:
        for number in range(count):
            kind = chance.choice(_KINDS)
            tags = ["life", f"life/part{number % 30}"] if number % 10 else ["work"]
            line: dict[str, Any] = {"type": "memory", "id": new_id(kind), "kind": kind, "content": corpus.turn()}
            line |= {"tags": [*tags, *(["rare"] if number % _RARE == 0 else [])], "store": chance.choice(_STORES)}
            line |= {"created_at": _BEGAN + number * _STEP_S * SHARE}
            file.write(json.dumps(line) + "\n")
    host.ask("exchange.import", path=str(source))
    host.ask("vault.settle", names=True)
    return count


def measure(host: Host, questions: list[str], size: int) -> dict[str, Any]:
    """Return the times of the same questions without a filter and with each."""
    requested = questions[workload.WARM_UP : workload.WARM_UP + QUERIES]
    result: dict[str, Any] = {}
    for name, operator in {"none": "", **operators(size)}.items():
        result[name] = {"operator": operator} | _times(host, operator, questions[0], requested)
    return result


def _times(host: Host, operator: str, first: str, requested: list[str]) -> dict[str, Any]:
    search = partial(host.ask, "memory.search", limit=_LIMIT)
    try:
        search(query=f"{operator} {first}")
        return timed([partial(search, query=f"{operator} {text}") for text in requested])
    except TimeLimitError as error:
        return {"failed": error.message}


def _at(size: int, share: float) -> str:
    moment = datetime.fromtimestamp(_BEGAN + int(size * share) * _STEP_S, UTC)
    return moment.astimezone().strftime("%Y-%m-%dT%H:%M")
