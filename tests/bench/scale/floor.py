"""The floor to compare with: the same rows in bare SQLite FTS5 and sqlite-vec, through bare apsw."""

import json
import time
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from app.store.connection import load_vectors
from tests.bench.retrieval.metrics import percentile
from tests.bench.scale.corpus import Corpus

DIMENSIONS = 256
_APPENDS = 300


def measure(folder: Path, source: Path, questions: list[str]) -> dict[str, Any]:
    """Return milliseconds and rates of bare loops over the turns of ``source``."""
    connection = apsw.Connection(str(folder / "floor.db"))
    connection.pragma("journal_mode", "WAL")
    connection.pragma("synchronous", "FULL")
    load_vectors(connection)
    connection.execute(
        "CREATE TABLE turns (id INTEGER PRIMARY KEY, text TEXT);"
        "CREATE VIRTUAL TABLE words USING fts5 (text, content='turns', content_rowid='id',"
        " tokenize='porter unicode61 remove_diacritics 2');"
        f"CREATE VIRTUAL TABLE vectors USING vec0 (id INTEGER PRIMARY KEY, v float[{DIMENSIONS}]"
        " distance_metric=cosine)"
    )
    count, seconds = _bulk(connection, source)
    result: dict[str, Any] = {"fts5_bulk_per_s": round(count / seconds)}
    result["fts5_append"] = _append(connection, count)
    result["fts5_search"] = _search(connection, questions)
    result["sqlite_vec_search"] = _vectors(connection, count)
    connection.close()
    return result


def _bulk(connection: apsw.Connection, source: Path) -> tuple[int, float]:
    begun = time.perf_counter()
    count = 0
    with source.open(encoding="utf-8") as file:
        batch: list[tuple[str]] = []
        for line in file:
            batch.append((json.loads(line)["content"],))
            if len(batch) == 500:
                count += _insert(connection, batch)
                batch = []
        count += _insert(connection, batch)
    return count, time.perf_counter() - begun


def _insert(connection: apsw.Connection, batch: list[tuple[str]]) -> int:
    with connection:
        for (text,) in batch:
            connection.execute("INSERT INTO turns (text) VALUES (?)", (text,))
            connection.execute("INSERT INTO words (rowid, text) VALUES (last_insert_rowid(), ?)", (text,))
    return len(batch)


def _append(connection: apsw.Connection, _count: int) -> dict[str, float]:
    corpus = Corpus(11)
    return times([lambda: _insert(connection, [(corpus.turn(),)])] * _APPENDS)


def _search(connection: apsw.Connection, questions: list[str]) -> dict[str, float]:
    def ask(question: str) -> None:
        match = " OR ".join(f'"{word}"' for word in question.split())
        connection.execute(
            "SELECT rowid, bm25(words) FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20", (match,)
        ).fetchall()

    return times([lambda question=question: ask(question) for question in questions])  # type: ignore[misc]


def _vectors(connection: apsw.Connection, count: int) -> dict[str, float]:
    random = np.random.default_rng(3)
    for start in range(0, count, 5_000):
        rows = random.standard_normal((min(5_000, count - start), DIMENSIONS), dtype=np.float32)
        with connection:
            connection.executemany(
                "INSERT INTO vectors (id, v) VALUES (?, ?)", [(start + n, row.tobytes()) for n, row in enumerate(rows)]
            )
    query = random.standard_normal(DIMENSIONS, dtype=np.float32).tobytes()
    find = "SELECT id, distance FROM vectors WHERE v MATCH ? AND k = 20"
    return times([lambda: connection.execute(find, (query,)).fetchall()] * 30)


def times(work: "list[Any]") -> dict[str, float]:
    """Return p50 and p95 of the milliseconds each call takes."""
    taken = []
    for one in work:
        begun = time.perf_counter()
        one()
        taken.append((time.perf_counter() - begun) * 1000)
    return {"p50_ms": round(percentile(taken, 0.5), 3), "p95_ms": round(percentile(taken, 0.95), 3)}
