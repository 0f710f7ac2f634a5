"""Migrations: ordered, atomic, and with a backup before."""

from pathlib import Path
from threading import Timer

import apsw
import pytest

from app.core.paths import migrations
from app.core.vault_opening import OpeningStep, VaultOpening
from app.embed.model import EmbeddingIdentity
from app.errors import CancelledByPersonError, InternalError, VaultUnusableError
from app.index import rebuild
from app.index.vectors import vector_repo
from app.store.connection import open_writer
from app.store.migrate import migrate, migrations_in
from app.store.store import Store


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


def test_the_steps_of_an_older_vault_are_reported(folder: Path, database: Path) -> None:
    connection = open_writer(database)
    reported: list[OpeningStep] = []
    migrate(connection, folder, _never, opening=VaultOpening(reported.append))
    assert reported == []  # a new vault is made at once
    (folder / "0002_second.sql").write_text("ALTER TABLE one ADD COLUMN b;")
    (folder / "0003_third.sql").write_text("ALTER TABLE one ADD COLUMN c;")
    migrate(connection, folder, lambda: None, opening=VaultOpening(reported.append))
    connection.close()
    assert reported == [OpeningStep("migration", 1, 2), OpeningStep("migration", 2, 2)]


def test_a_stopped_migration_keeps_the_finished_steps(folder: Path, database: Path) -> None:
    connection = open_writer(database)
    migrate(connection, folder, _never)
    (folder / "0002_second.sql").write_text("ALTER TABLE one ADD COLUMN b;")
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n;"
    (folder / "0003_third.sql").write_text(f"ALTER TABLE one ADD COLUMN c; {endless}")

    def stop_in_the_third(step: OpeningStep) -> None:
        if step.number == 2:
            Timer(0.05, opening.stop.set).start()

    opening = VaultOpening(stop_in_the_third)
    with pytest.raises(CancelledByPersonError):
        migrate(connection, folder, lambda: None, opening=opening)
    assert connection.pragma("user_version") == 2
    assert not connection.in_transaction
    (folder / "0003_third.sql").write_text("ALTER TABLE one ADD COLUMN c;")
    assert migrate(connection, folder, lambda: None) == 3
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
    with pytest.raises(VaultUnusableError, match="keepsake salvage"):
        migrate(connection, folder, list)
    assert connection.pragma("user_version") == 1
    assert connection.execute("SELECT count(*) FROM pragma_table_info('one')").get == 1
    connection.close()


META = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);"


def records(connection: apsw.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT key, substr(value, 1, 14) FROM meta ORDER BY key").fetchall()


def test_what_was_applied_is_recorded(folder: Path, database: Path) -> None:
    (folder / "0001_first.sql").write_text(META)
    (folder / "0002_second.sql").write_text("CREATE TABLE two (a);")
    connection = open_writer(database)
    migrate(connection, folder, _never)
    expected = [("migration:0001", "0001_first.sql"), ("migration:0002", "0002_second.sq")]
    assert records(connection) == expected
    connection.execute("DELETE FROM meta")
    assert migrate(connection, folder, _never) == 2
    assert records(connection) == expected
    connection.close()


def test_an_edited_comment_is_no_other_schema(folder: Path, database: Path) -> None:
    (folder / "0001_first.sql").write_text(META)
    connection = open_writer(database)
    migrate(connection, folder, _never)
    (folder / "0001_first.sql").write_text("-- What is said of the vault.\n" + META.replace(", ", ",\n  "))
    assert migrate(connection, folder, _never) == 1
    connection.close()


@pytest.mark.parametrize("is_recorded", [False, True])
def test_another_schema_of_the_same_number_is_refused_untouched(
    folder: Path, database: Path, *, is_recorded: bool
) -> None:
    (folder / "0001_first.sql").write_text(META)
    connection = open_writer(database)
    migrate(connection, folder, _never)
    if not is_recorded:
        connection.execute("DELETE FROM meta")
    (folder / "0001_first.sql").write_text(META + "CREATE INDEX by_value ON meta (value);")
    (folder / "0002_second.sql").write_text("CREATE TABLE two (a);")
    with pytest.raises(VaultUnusableError, match=r"unreleased.*keepsake salvage"):
        migrate(connection, folder, _never)
    assert connection.pragma("user_version") == 1
    connection.close()


def test_a_migration_that_fails_again_and_again_leaves_one_backup(folder: Path, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    Store.open(vault, folder).close()
    (folder / "0002_second.sql").write_text("CREATE TABLE one (c);")
    for _ in range(3):
        with pytest.raises(VaultUnusableError):
            Store.open(vault, folder)
    assert len(list((vault / "backups").iterdir())) == 1


def test_a_rebuilt_index_and_new_vectors_are_the_same_schema(database: Path) -> None:
    connection = open_writer(database)
    migrate(connection, migrations(), _never)
    rebuild.clear(connection)
    vector_repo.open_generation(connection, EmbeddingIdentity("hashed", "hashed", 16, "1"), 1)
    connection.execute("DELETE FROM meta WHERE key LIKE 'migration:%'")
    assert migrate(connection, migrations(), _never) == len(migrations_in(migrations()))
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
