"""Migrations: in order, whole or not at all, with a backup before an older vault is touched."""

from pathlib import Path

import apsw
import pytest

from app.core.paths import migrations
from app.errors import InternalError
from app.store.connection import open_writer
from app.store.migrate import migrate, migrations_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    steps = tmp_path / "migrations"
    steps.mkdir()
    (steps / "0001_first.sql").write_text("CREATE TABLE one (a);")
    return steps


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def _never() -> None:
    raise AssertionError("nothing to back up")


def test_a_fresh_vault_takes_every_step_without_a_backup(folder: Path, database: Path) -> None:
    (folder / "0002_second.sql").write_text("ALTER TABLE one ADD COLUMN b;")
    connection = open_writer(database)
    assert migrate(connection, folder, _never) == 2
    assert connection.pragma("user_version") == 2
    assert migrate(connection, folder, _never) == 2
    connection.close()


def test_an_older_vault_is_backed_up_first(folder: Path, database: Path) -> None:
    connection = open_writer(database)
    migrate(connection, folder, _never)
    (folder / "0002_second.sql").write_text("ALTER TABLE one ADD COLUMN b;")
    seen: list[object] = []
    migrate(connection, folder, lambda: seen.append(connection.pragma("user_version")))
    assert seen == [1]
    connection.close()


def test_a_failing_step_leaves_the_vault_as_it_was(folder: Path, database: Path) -> None:
    connection = open_writer(database)
    migrate(connection, folder, _never)
    (folder / "0002_second.sql").write_text("ALTER TABLE one ADD COLUMN b; CREATE TABLE one (c);")
    with pytest.raises(apsw.SQLError):
        migrate(connection, folder, list)
    assert connection.pragma("user_version") == 1
    assert connection.execute("SELECT count(*) FROM pragma_table_info('one')").get == 1
    connection.close()


def test_gaps_in_the_numbers_are_a_bug(folder: Path) -> None:
    (folder / "0003_third.sql").write_text("SELECT 1;")
    with pytest.raises(InternalError, match="numbered"):
        migrations_in(folder)


def test_our_own_schema_is_strict_and_sound(database: Path) -> None:
    connection = open_writer(database)
    migrate(connection, migrations(), _never)
    loose = connection.execute(
        "SELECT group_concat(name) FROM pragma_table_list WHERE type = 'table' AND NOT strict"
        " AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'chunks_fts%'"
    ).get
    assert loose is None
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    connection.close()
