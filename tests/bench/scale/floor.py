"""The floor to compare with: the same rows in bare SQLite FTS5 and sqlite-vec, through bare apsw."""

import json
import threading
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
_BUSY_READERS = 4
CHANGES = 1_000


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
    result["busy_append"] = _busy_append(connection, folder / "floor.db", questions)
    result["changes"] = _changes(connection)
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


def _busy_append(connection: apsw.Connection, path: Path, questions: list[str]) -> dict[str, float]:
    """Append while four bare connections search all the while, in threads of this process as ours do."""
    stop = threading.Event()

    def read() -> None:
        reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        while not stop.is_set():
            for question in questions:
                _ask(reader, question)
        reader.close()

    readers = [threading.Thread(target=read) for _ in range(_BUSY_READERS)]
    for reader in readers:
        reader.start()
    try:
        return _append(connection, 0)
    finally:
        stop.set()
        for reader in readers:
            reader.join()


def _changes(connection: apsw.Connection) -> dict[str, float]:
    """Return the milliseconds in which bare apsw writes the rows of a run of changes: item, tag and history."""
    connection.execute(
        "CREATE TABLE items (id TEXT PRIMARY KEY, content TEXT, version INTEGER);"
        "CREATE TABLE tags (item TEXT, tag TEXT, PRIMARY KEY (item, tag)) WITHOUT ROWID;"
        "CREATE TABLE history (id INTEGER PRIMARY KEY, item TEXT, before TEXT, after TEXT)"
    )
    corpus = Corpus(19)
    rows = [(f"item-{number}", corpus.turn()) for number in range(CHANGES)]
    with connection:
        connection.executemany("INSERT INTO items VALUES (?, ?, 1)", rows)
        connection.executemany("INSERT INTO tags VALUES (?, 'bench')", [(key,) for key, _ in rows])
    begun = time.perf_counter()
    with connection:
        for key, content in rows:
            state = json.dumps({"id": key, "content": content})
            connection.execute("SELECT * FROM items WHERE id = ?", (key,)).fetchall()
            connection.execute("UPDATE items SET content = ?, version = version + 1 WHERE id = ?", (content, key))
            connection.execute("DELETE FROM tags WHERE item = ?", (key,))
            connection.execute("INSERT INTO history (item, before, after) VALUES (?, ?, ?)", (key, state, state))
    return {"undo_ms": round((time.perf_counter() - begun) * 1000, 1)}


def _search(connection: apsw.Connection, questions: list[str]) -> dict[str, float]:
    return times([lambda question=question: _ask(connection, question) for question in questions])


def _ask(connection: apsw.Connection, question: str) -> None:
    match = " OR ".join(f'"{word}"' for word in question.split())
    connection.execute(
        "SELECT rowid, bm25(words) FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20", (match,)
    ).fetchall()


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
