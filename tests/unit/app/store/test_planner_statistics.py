"""The planner has statistics of large tables only, so a vault that grows keeps quick plans."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from app.host import Host
from app.store.planner_statistics import LEAST_ROWS, drop_small_table_statistics, update_planner_statistics


@pytest.fixture
def database(tmp_path: Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(tmp_path / "a.db"))
    connection.execute("CREATE TABLE large (id INTEGER PRIMARY KEY, word TEXT); CREATE INDEX by_word ON large (word)")
    connection.execute("CREATE TABLE small (id INTEGER PRIMARY KEY, word TEXT); CREATE INDEX of_small ON small (word)")
    rows = [(f"word {number % 97}",) for number in range(LEAST_ROWS)]
    with connection:
        connection.executemany("INSERT INTO large (word) VALUES (?)", rows)
        connection.executemany("INSERT INTO small (word) VALUES (?)", rows[1:])
    yield connection
    connection.close()


def measured(connection: apsw.Connection, table: str = "sqlite_stat1") -> set[str]:
    return {str(row[0]) for row in connection.execute(f"SELECT DISTINCT tbl FROM {table}")}


def test_only_large_tables_are_measured(database: apsw.Connection) -> None:
    database.execute("ANALYZE")
    assert measured(database) == {"large", "small"}
    drop_small_table_statistics(database)
    assert measured(database) == {"large"}
    assert measured(database, "sqlite_stat4") <= {"large"}


def test_nothing_is_written_where_nothing_was_measured(database: apsw.Connection) -> None:
    before = database.total_changes()
    drop_small_table_statistics(database)
    assert database.total_changes() == before


def test_a_large_table_is_measured_again(database: apsw.Connection) -> None:
    database.execute("SELECT count(*) FROM large WHERE word = 'word 3'").fetchall()
    update_planner_statistics(database)
    database.execute("ANALYZE large")
    update_planner_statistics(database)
    assert measured(database) == {"large"}


def test_a_vault_measured_while_it_was_small_plans_for_a_large_one(tmp_path: Path) -> None:
    for text in ("One note.", "Two notes."):
        host = Host(tmp_path / "vault", serve=False)
        host.start()
        try:
            host.ask("note.save", content=text)
        finally:
            host.stop()
    connection = apsw.Connection(str(tmp_path / "vault" / "memory.db"))
    connection.execute("ANALYZE")
    assert "chunks" in measured(connection)
    connection.close()
    host = Host(tmp_path / "vault", serve=False)
    host.start()
    try:
        connection = apsw.Connection(str(tmp_path / "vault" / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
        assert not measured(connection)
        connection.close()
    finally:
        host.stop()
    connection = apsw.Connection(str(tmp_path / "vault" / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
    assert not measured(connection)
    connection.close()
