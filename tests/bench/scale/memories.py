"""Memories: one written beside the same rows through bare apsw, and the questions a person asks of many."""

import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw

from app.core.ids import new_id
from app.host import Host
from tests.bench.scale import floor
from tests.bench.scale.corpus import Corpus

LENGTHS = (10, 20, 60)  # words of a text
_WRITES = 150
_QUERIES = 20
_MADE = 1_700_000_000
_OVERRIDES = {"backup.before_import": False}
_QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("fact.by_metadata", {"key": "project", "value": "p7"}),
    ("fact.conflicts", {"content": "the plan of project seven was changed again"}),
    ("fact.list", {}),
    ("fact.list", {"category": "c7"}),
    ("memory.timeline", {}),
    ("memory.stats", {}),
    ("memory.people", {}),
    ("tag.list", {}),
)


def measure(folder: Path, count: int) -> dict[str, Any]:
    """Return milliseconds of writes and questions in a vault of ``count`` memories, bare writes beside them."""
    vault, report = folder / "memories", dict[str, Any](memories=count)
    host = Host(vault, serve=False, overrides=_OVERRIDES)
    host.start()
    try:
        begun = time.perf_counter()
        imported = host.ask("exchange.import", path=str(_written(folder / "memories.jsonl", count)))
        report["import_per_s"] = round(imported.memories / (time.perf_counter() - begun))
        host.ask("vault.settle", names=True)
        report["asked"] = {
            f"{name} {' '.join(requested)}".strip(): _times(host, name, [requested] * _QUERIES)
            for name, requested in _QUESTIONS
        }
        texts = _texts(31)
        report["write"] = {
            words: _times(host, "memory.write", [{"content": text} for text in texts[words]]) for words in LENGTHS
        }
        host.ask("vault.settle", names=True)
    finally:
        host.stop()
    report["bare_write"] = bare(vault / "memory.db", _texts(37))
    return report


def bare(database: Path, texts: dict[int, list[str]]) -> dict[int, dict[str, float]]:
    """Return milliseconds in which bare apsw writes the rows that a memory has, without looking for similar ones."""
    connection = apsw.Connection(str(database))
    connection.pragma("synchronous", "FULL")
    rows = {table: _last(connection, table) for table in ("memories", "memory_history", "chunks")}
    taken = {
        words: floor.times([lambda text=text: _insert(connection, rows, text) for text in some])
        for words, some in texts.items()
    }
    connection.close()
    return taken


def _written(path: Path, count: int) -> Path:
    corpus, chance = Corpus(29), random.Random(29)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            kind = chance.choice(("fact", "fact", "observation", "note"))
            made = _MADE + 300 * number
            line = {"type": "memory", "id": new_id(kind), "kind": kind, "content": corpus.turn(), "created_at": made}
            line |= {"tags": [f"tag{chance.randrange(60)}", f"area{number % 6}/part{number % 36}"]}
            line |= {"store": chance.choice(("private", "private", "shared", "social"))}
            line |= {"attributes": {"project": f"p{chance.randrange(300)}"}}
            if kind == "fact" and number % 3 == 0:
                line |= {"category": f"c{number % 40}", "key": f"k{number}"}
            file.write(json.dumps(line) + "\n")
    return path


def _texts(seed: int) -> dict[int, list[str]]:
    corpus = Corpus(seed)
    return {words: [corpus.words(words) for _ in range(_WRITES)] for words in LENGTHS}


def _times(host: Host, operation: str, requested: Sequence[dict[str, Any]]) -> dict[str, float]:
    host.ask(operation, **requested[0])
    return floor.times([lambda one=one: host.ask(operation, **one) for one in requested])


def _last(connection: apsw.Connection, table: str) -> dict[str, Any]:
    names = [str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")]
    found = connection.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY rowid DESC LIMIT 1").fetchone()
    assert found is not None
    return {name: value for name, value in zip(names, found, strict=True) if name not in ("rowid", "valid_until")}


def _insert(connection: apsw.Connection, rows: dict[str, dict[str, Any]], text: str) -> None:
    memory_id = new_id("observation")
    rows["memory_history"]["n"] += 1  # no two entries of a lane have the same number
    changed: dict[str, dict[str, Any]] = {
        "memories": {"id": memory_id, "content": text},
        "memory_history": {"id": None, "target": memory_id, "after": json.dumps({"id": memory_id, "content": text})},
        "chunks": {"id": None, "memory_id": memory_id, "content_length": len(text)},
    }
    connection.execute("BEGIN IMMEDIATE")
    for table, values in changed.items():
        row = rows[table] | values
        marks = ", ".join(f":{name}" for name in row)
        connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", row)
    connection.execute("COMMIT")
