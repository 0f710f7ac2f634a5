"""Forgetting for ever with backups of every earlier schema: only what held it is changed."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

import apsw
import pytest

from app.core.paths import migrations
from app.host import Host
from app.store.connection import create_file, open_writer
from app.store.migrate import migrate, migrations_in
from app.store.store import DATABASE

WORDS: Final = "Quandary of Plumbago Zwickelbauer in Hamburg"
TRACE: Final = b"lumbago Zwick"
SCHEMAS: Final = range(1, len(migrations_in(migrations())) + 1)
_FIRST: Final = {"saved search": 16}  # schemas before this cannot hold one


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def make_session(host: Host) -> dict[str, list[str]]:
    host.ask("session.append", session="talk", title=WORDS, messages=[{"role": "user", "content": WORDS}])
    return {"sessions": ["talk"]}


def make_note(host: Host) -> dict[str, list[str]]:
    note = host.ask("note.save", content=f"{WORDS} with Dr. Ferdinand Zwickelbauer", title=WORDS)
    host.ask("note.update", id=note.id, version=note.version, content=f"{WORDS} again, with Dr. Ferdinand Zwickelbauer")
    return {"ids": [note.id]}


def make_fact(host: Host) -> dict[str, list[str]]:
    return {"ids": [host.ask("fact.set", category="people", key="met", value=WORDS).fact.id]}


def make_schedule(host: Host) -> dict[str, list[str]]:
    cadence = {"kind": "cron", "expression": "0 9 * * 1"}
    return {"ids": [host.ask("schedule.create", name=WORDS, goal=WORDS, cadence=cadence).id]}


def make_saved_search(host: Host) -> dict[str, list[str]]:
    return {"ids": [host.ask("saved_search.save", name=WORDS, query=WORDS).id]}


MAKERS: Final[dict[str, Callable[[Host], dict[str, list[str]]]]] = {
    "session": make_session,
    "note": make_note,
    "fact": make_fact,
    "schedule": make_schedule,
    "saved search": make_saved_search,
}


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> dict[int, bytes]:
    """Return an empty database of every schema."""
    folder = tmp_path_factory.mktemp("schemas")
    steps, database = folder / "steps", folder / "growing.db"
    steps.mkdir()
    create_file(database)
    databases = {}
    for step in migrations_in(migrations()):
        shutil.copy(step.path, steps)
        with closing(open_writer(database)) as connection:
            migrate(connection, steps, lambda: None)
            connection.pragma("journal_mode", "DELETE")
        databases[step.number] = database.read_bytes()
    return databases


@pytest.fixture
def make_backups(schemas: dict[int, bytes], host: Host, tmp_path: Path) -> Callable[..., dict[int, Path]]:
    """Return what stores all that the vault holds as backups of every schema."""
    return partial(_make_backups, schemas, host.vault, tmp_path)


def _make_backups(schemas: dict[int, bytes], vault: Path, folder: Path, name: str, words: str = "") -> dict[int, Path]:
    """Return the backups by their schema; ``words`` are also said by something in each that is not forgotten."""
    (vault / "backups").mkdir(exist_ok=True)
    backups = {}
    for number, database in schemas.items():
        built = folder / f"20260101T0000{number:02}Z-{name}.db"
        built.write_bytes(database)
        with closing(open_writer(built)) as copy:
            copy.execute("ATTACH ? AS live", (str(vault / DATABASE),))
            copy.pragma("foreign_keys", False)
            with copy:
                _fill(copy)
                if words:
                    copy.execute("INSERT INTO meta (key, value) VALUES ('said', ?)", (words,))
            copy.execute("DETACH live")
            copy.pragma("journal_mode", "DELETE")
        backups[number] = vault / "backups" / built.name
        built.rename(backups[number])  # whole, since the host reads what lies there
    return backups


def _fill(copy: apsw.Connection) -> None:
    tables = "SELECT name FROM pragma_table_list WHERE schema = ? AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    here, there = ({str(row[0]) for row in copy.execute(tables, (schema,))} for schema in ("main", "live"))
    for table in sorted((here & there) - {"meta", "generations"}):
        columns = "SELECT name FROM pragma_table_info(?, ?)"
        old, new = ([str(row[0]) for row in copy.execute(columns, (table, schema))] for schema in ("main", "live"))
        both = ", ".join(f'"{column}"' for column in old if column in new)
        copy.execute(f"INSERT OR IGNORE INTO main.{table} ({both}) SELECT {both} FROM live.{table}")
    copy.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')")


def names_in(path: Path) -> int:
    """Return how many things or people of a backup have the name that is forgotten."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as copy:
        return int(copy.execute("SELECT count(*) FROM entities WHERE name_key LIKE '%zwickelbauer%'").get)


@pytest.mark.parametrize("kind", MAKERS)
def test_only_backups_that_held_it_are_rewritten(
    host: Host, make_backups: Callable[..., dict[int, Path]], kind: str
) -> None:
    host.ask("note.save", content="A heron stays", title="Kept")
    healthy = make_backups("healthy", WORDS)
    before = {path: path.read_bytes() for path in healthy.values()}
    target = MAKERS[kind](host)
    host.ask("vault.settle", names=True)
    backups = make_backups("held")
    held = {path.name: path for number, path in backups.items() if number >= _FIRST.get(kind, 1)}
    assert [name for name, path in held.items() if TRACE not in path.read_bytes()] == []
    if kind == "note":
        assert [name for name, path in held.items() if not names_in(path)] == []
    receipt = host.ask("memory.forget_forever", **target, confirm=True, backups="rewrite")
    assert {file.name: file.outcome for file in receipt.backups} == dict.fromkeys(held, "rewritten")
    assert [path.name for path, data in before.items() if path.read_bytes() != data] == []
    assert [name for name, path in held.items() if TRACE in path.read_bytes()] == []
    for number, path in backups.items():
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as copy:
            assert copy.pragma("user_version") == number
            assert not names_in(path)
            assert copy.pragma("integrity_check") == "ok"
            assert copy.execute("SELECT count(*) FROM memories WHERE title = 'Kept'").get == 1


def record_calls(path: Path, item: str) -> None:
    """Let the ledger of a backup name an item in every way that its schema has."""
    built = path.parent.parent / path.name
    path.rename(built)  # the host reads what lies among the backups
    with closing(open_writer(built)) as copy:
        columns = {
            table: {str(row[1]) for row in copy.execute(f"PRAGMA table_info({table})")}
            for table in ("audit", "audit_items")
        }
        ids = sorted({"ids_read", "ids_written"} & columns["audit"])
        for number, names in enumerate(([item, "note-other"], [f"{item}#3"], ["note-other"]), 1):
            copy.execute(
                f"INSERT INTO audit (id, at, agent, operation, outcome, milliseconds{', '.join(['', *ids])})"
                f" VALUES (?, 0, 'a', 'note.rows', 'done', 1{', ?' * len(ids)})",
                (number, *[json.dumps(names)] * len(ids)),
            )
            for name in names:
                if "item" in columns["audit_items"]:
                    copy.execute("INSERT INTO audit_items (item, audit_id) VALUES (?, ?)", (name, number))
                elif columns["audit_items"] and "#" not in name:
                    copy.execute("INSERT INTO audit_names (item) VALUES (?) ON CONFLICT DO NOTHING", (name,))
                    copy.execute(
                        "INSERT INTO audit_items SELECT ?, 0, id FROM audit_names WHERE item = ?", (number, name)
                    )
        copy.pragma("journal_mode", "DELETE")
    built.rename(path)


@pytest.mark.parametrize("kind", ["session", "note", "schedule"])
def test_the_ledger_of_an_earlier_backup_forgets_it_too(
    host: Host, make_backups: Callable[..., dict[int, Path]], kind: str
) -> None:
    target = MAKERS[kind](host)
    (item,) = next(iter(target.values()))
    host.ask("vault.settle", names=True)
    backups = make_backups("held")
    for path in backups.values():
        record_calls(path, item)
    receipt = host.ask("memory.forget_forever", **target, confirm=True, backups="rewrite")
    assert {file.outcome for file in receipt.backups} == {"rewritten"}
    for number, path in backups.items():
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as copy:
            tables = [str(row[0]) for row in copy.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'audit%'")]
            rows = repr([copy.execute(f"SELECT * FROM {table}").fetchall() for table in tables if "_by_" not in table])
            assert copy.execute("SELECT count(*) FROM audit").get == 3, number
        assert item not in rows, number
        assert "note-other" in rows, number


@pytest.mark.parametrize("kind", ["schedule", "saved search"])
def test_only_backups_that_held_it_are_deleted(
    host: Host, make_backups: Callable[..., dict[int, Path]], kind: str
) -> None:
    healthy = make_backups("healthy", WORDS)
    target = MAKERS[kind](host)
    backups = make_backups("held", WORDS)
    receipt = host.ask("memory.forget_forever", **target, confirm=True, backups="delete")
    first = _FIRST.get(kind, 1)
    assert {file.name for file in receipt.backups} == {path.name for number, path in backups.items() if number >= first}
    assert all(path.exists() for path in healthy.values())
    assert {number for number, path in backups.items() if path.exists()} == {n for n in SCHEMAS if n < first}
