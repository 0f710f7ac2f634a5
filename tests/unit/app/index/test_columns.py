"""Sorts and owners of chunks by id are what the database has, however they came."""

import apsw
import numpy as np
import pytest

from app.index import columns as module
from app.index.columns import Columns, Sort
from tests.unit.app.shelf import Shelf


def is_memory(sort: Sort) -> bool:
    return sort[0] == "memory"


def ids(mask: "np.typing.NDArray[np.bool_] | None") -> list[int]:
    assert mask is not None
    return [int(one) for one in np.flatnonzero(mask)]


def memories(shelf: Shelf, columns: Columns) -> list[int]:
    last = shelf.rows("SELECT max(id) FROM chunks")[0][0]
    return shelf.do(shelf.store.read(lambda connection: ids(columns.of_sorts(connection, last, is_memory))))


def owned(shelf: Shelf, columns: Columns, session: str) -> list[int]:
    last = shelf.rows("SELECT max(id) FROM chunks")[0][0]
    rows = np.array(shelf.rows("SELECT rowid FROM sessions WHERE id = ?", session), dtype=np.int64).ravel()
    return shelf.do(shelf.store.read(lambda connection: ids(columns.of_sessions(connection, last, rows))))


def test_what_comes_later_is_added(shelf: Shelf) -> None:
    columns = Columns()
    for round_ in range(3):
        shelf.say("heron", "grebe", session=f"s{round_}")
        shelf.save(f"teal {round_}")
        assert memories(shelf, columns) == [row[0] for row in shelf.rows("SELECT id FROM chunks WHERE kind = 'memory'")]
        for session in ("s0", f"s{round_}", "nobody"):
            wanted = shelf.rows("SELECT id FROM chunks WHERE session_id = ? ORDER BY id", session)
            assert owned(shelf, columns, session) == [row[0] for row in wanted]


def test_an_empty_index_has_nothing() -> None:
    made = apsw.Connection(":memory:")
    made.execute(
        "CREATE TABLE chunks (id INTEGER PRIMARY KEY, kind, role, session_id, seq_start);"
        "CREATE TABLE sessions (rowid INTEGER PRIMARY KEY, id);"
        "CREATE INDEX chunks_by_role ON chunks (kind, role);"
        "CREATE INDEX chunks_by_session ON chunks (session_id, kind, seq_start);"
    )
    columns = Columns()
    assert ids(columns.of_sorts(made, 0, is_memory)) == []
    assert ids(columns.of_sessions(made, 0, np.array([0, 7], dtype=np.int64))) == []
    made.close()


def test_more_sorts_than_there_are_numbers_for(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_SORTS", 1)
    shelf.say("heron")
    shelf.save("teal")
    columns = Columns()
    assert shelf.do(shelf.store.read(lambda connection: columns.of_sorts(connection, 2, is_memory))) is None
