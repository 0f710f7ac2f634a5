"""Every table of the real schema has exactly one class, and so has each of its columns."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import apsw
import pytest

from app.core.paths import migrations
from app.store.connection import open_writer
from app.store.migrate import migrate
from app.sync.table_classes import TABLE_CLASSES, TableClass


def _tables(connection: apsw.Connection) -> dict[str, set[str]]:
    """Return the columns of each table, view and virtual table of a vault."""
    names = connection.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite%'"
        " AND name NOT GLOB 'vectors_[0-9]*'"
    ).fetchall()
    sql = "SELECT name FROM pragma_table_info(?)"
    return {str(name): {str(row[0]) for row in connection.execute(sql, (name,))} for (name,) in names}


def _faults(tables: Mapping[str, set[str]]) -> list[str]:
    """Return the tables without a class, the classes without a table, and the columns of which the same is true."""
    faults = [f"table {name}" for name in tables.keys() ^ TABLE_CLASSES.keys()]
    for name in tables.keys() & TABLE_CLASSES.keys():
        kind = TABLE_CLASSES[name]
        if isinstance(kind, Mapping):
            faults += [f"column {name}.{column}" for column in tables[name] ^ kind.keys()]
    return sorted(faults)


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[apsw.Connection]:
    """Yield a connection to an empty vault with the newest schema."""
    connection = open_writer(tmp_path / "memory.db")
    migrate(connection, migrations(), lambda: None)
    yield connection
    connection.close()


def test_each_table_and_column_has_one_class(vault: apsw.Connection) -> None:
    assert not _faults(_tables(vault))


def test_a_new_table_or_column_is_noticed(vault: apsw.Connection) -> None:
    vault.execute("CREATE TABLE unclassed (id INTEGER PRIMARY KEY); ALTER TABLE messages ADD COLUMN mood TEXT")
    assert _faults(_tables(vault)) == ["column messages.mood", "table unclassed"]


def test_what_is_made_here_is_not_shared() -> None:
    for name in ("chunks", "chunks_fts", "mentions", "memory_links"):
        assert TABLE_CLASSES[name] is TableClass.DERIVED


def test_what_no_change_tells_is_of_its_machine_alone() -> None:
    for name in ("agents", "inbox", "judgements", "proposed_merges", "session_summaries", "turn_writers"):
        assert TABLE_CLASSES[name] is TableClass.DEVICE
