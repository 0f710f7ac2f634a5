"""Vectors as bytes: what a cosine keeps, and vaults that were filled with floats."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import apsw
import numpy as np
import pytest

from app.core.paths import migrations
from app.errors import VaultUnusableError
from app.store.connection import open_writer
from app.store.migrate import migrate, migrations_in
from app.store.vector_bytes import as_stored, decode, encode

WIDTH: Final = 48
COUNT: Final = 1_500  # more than one block of sqlite-vec
BEFORE: Final = 26  # the last schema with floats
GONE: Final = 7

_KILLED_AT_THE_END = """
import os, signal, sys
from pathlib import Path
from app.core.paths import migrations
from app.store.connection import open_writer
from app.store.migrate import migrate
connection = open_writer(Path(sys.argv[1]))
connection.set_commit_hook(lambda: os.kill(os.getpid(), signal.SIGKILL))
migrate(connection, migrations(), lambda: None)
"""


def vectors(count: int, width: int = WIDTH) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """Return random vectors of length one."""
    rows = np.random.default_rng(1).standard_normal((count, width)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """Return a database of the last schema with floats: two generations, one vector deleted."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    for step in migrations_in(migrations())[:BEFORE]:
        shutil.copy(step.path, folder)
    database = tmp_path / "memory.db"
    database.touch()
    connection = open_writer(database)
    migrate(connection, folder, lambda: None)
    with connection:
        for number, width in ((1, WIDTH), (2, 2 * WIDTH)):
            connection.execute(
                "INSERT INTO generations (id, provider, model, dimensions, version, created_at)"
                " VALUES (?, 'p', 'm', ?, '1', 1)",
                (number, width),
            )
            connection.execute(
                f"CREATE VIRTUAL TABLE vectors_{number} USING vec0("
                f"chunk_id INTEGER PRIMARY KEY, embedding float[{width}] distance_metric=cosine)"
            )
            rows = [(chunk, row.tobytes()) for chunk, row in enumerate(vectors(COUNT, width), 1)]
            connection.executemany(f"INSERT INTO vectors_{number} (chunk_id, embedding) VALUES (?, ?)", rows)
            connection.execute(f"DELETE FROM vectors_{number} WHERE chunk_id = ?", (GONE,))
    connection.close()
    return database


def assert_converted(connection: apsw.Connection) -> None:
    for number, width in ((1, WIDTH), (2, 2 * WIDTH)):
        right = vectors(COUNT, width)
        stored = dict(connection.execute(f"SELECT chunk_id, embedding FROM vectors_{number}").fetchall())
        assert sorted(stored) == [chunk for chunk in range(1, COUNT + 1) if chunk != GONE]
        assert all(stored[chunk] == as_stored(right[chunk - 1].tobytes()) for chunk in stored)
        nearest = connection.execute(
            f"SELECT chunk_id, 1 - distance FROM vectors_{number} WHERE embedding MATCH vec_int8(?) AND k = 1",
            (as_stored(right[700].tobytes()),),
        ).fetchall()
        assert nearest == [(701, pytest.approx(1, abs=1e-5))]
        new = (COUNT + 1, as_stored(right[0].tobytes()))
        connection.execute(f"INSERT INTO vectors_{number} (chunk_id, embedding) VALUES (?, vec_int8(?))", new)
    assert connection.execute("PRAGMA integrity_check").get == "ok"


def test_a_cosine_is_right_to_a_hundredth() -> None:
    rows = vectors(200, 256)
    again = decode(encode([row.tobytes() for row in rows]), 256)
    assert np.abs(again @ again.T - rows @ rows.T).max() < 0.01
    assert np.allclose(np.linalg.norm(again, axis=1), 1)


def test_what_has_no_direction_is_zero() -> None:
    broken = np.array([[0, 0], [np.nan, 1], [np.inf, 1], [0, -3]], dtype="<f4")
    stored = encode([row.tobytes() for row in broken])
    assert decode(stored, 2).tolist() == [[0, 0], [0, 0], [0, 0], [0, -1]]
    assert encode([]) == []
    assert decode([], 2).shape == (0, 2)


def test_the_smallest_vectors_have_a_direction() -> None:
    smallest = np.array([[0, 1e-45], [-3e-39, 3e-39]], dtype="<f4")
    with np.errstate(all="raise", under="ignore"):
        stored = encode([row.tobytes() for row in smallest])
    assert [list(np.frombuffer(row, dtype=np.int8)) for row in stored] == [[0, 127], [-127, 127]]


@pytest.mark.parametrize("vectors", ["substr(vectors, 1, 1000)", "substr(vectors, 1, 1023)", "x''"])
def test_a_cut_block_of_vectors_is_refused_and_nothing_changed(older: Path, vectors: str) -> None:
    connection = open_writer(older)
    connection.execute(f"UPDATE vectors_1_vector_chunks00 SET vectors = {vectors}")
    with pytest.raises(VaultUnusableError, match=f"step {BEFORE + 1}.*keepsake salvage"):
        migrate(connection, migrations(), lambda: None)
    assert connection.pragma("user_version") == BEFORE
    connection.close()


def test_an_older_vault_keeps_its_vectors_as_bytes(older: Path) -> None:
    connection = open_writer(older)
    migrate(connection, migrations(), lambda: None)
    assert_converted(connection)
    connection.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process is killed")
def test_killed_while_they_are_converted_it_begins_anew(older: Path) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED_AT_THE_END, str(older)], env={**os.environ}, cwd=migrations().parent, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    connection = open_writer(older)
    assert connection.pragma("user_version") == BEFORE
    sizes = connection.execute("SELECT DISTINCT length(embedding) FROM vectors_1").fetchall()
    assert sizes == [(4 * WIDTH,)]
    migrate(connection, migrations(), lambda: None)
    assert_converted(connection)
    connection.close()
