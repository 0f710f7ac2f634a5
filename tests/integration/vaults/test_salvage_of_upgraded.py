"""Salvage of vaults that earlier versions made: rows that are older than a column of their table."""

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.core.paths import migrations
from app.recovery.salvage import salvage
from app.recovery.sqlite_pages import PageFile, TreeWalk
from app.store.connection import create_file, open_writer
from app.store.migrate import migrate
from app.store.store import DATABASE, Store

_TURNS = 400
_ADDED = re.compile(r"^ALTER TABLE (\w+) ADD COLUMN (\w+)", re.MULTILINE)
_DERIVED = {"chunks", "generations"}
_COUNTS = {"last_seq", "mention_count"}  # salvage counts anew
_WORDS = "rowid, session_id, seq, role, author, content, tool_name, tool_calls, tool_call_id, created_at, origin"


def rows(vault: Path, sql: str) -> list[Any]:
    with closing(apsw.Connection(str(vault / DATABASE), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return connection.execute(sql).fetchall()


def grown(folder: Path) -> Iterator[apsw.Connection]:
    """Make a vault step by step, yielding its connection after each migration."""
    steps = folder.with_name("migrations")
    steps.mkdir()
    folder.mkdir(mode=0o700)
    create_file(folder / DATABASE)
    with closing(open_writer(folder / DATABASE)) as connection:
        connection.pragma("foreign_keys", False)
        for path in sorted(migrations().glob("*.sql")):
            shutil.copy(path, steps)
            migrate(connection, steps, lambda: None)
            yield connection


def fill(connection: apsw.Connection) -> None:
    """Write a row into each empty table; all rows have the same keys, so that references lead somewhere."""
    names = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%STRICT%'"
    ).fetchall()
    for name, sql in names:
        if connection.execute(f"SELECT count(*) FROM {name}").get:
            continue
        columns = connection.execute(
            'SELECT name, type FROM pragma_table_info(?) WHERE ("notnull" OR pk) AND dflt_value IS NULL', (name,)
        ).fetchall()
        values = [_value(column, kind, sql) for column, kind in columns]
        places = ", ".join("?" * len(values))
        connection.execute(
            f"INSERT INTO {name} ({', '.join(column for column, _ in columns)}) VALUES ({places})", values
        )


def _value(column: str, kind: str, sql: str) -> int | str | bytes:
    """Return a value that the column's checks allow."""
    if choice := re.search(rf"\b{column} IN \('([^']*)'", sql):
        return choice[1]
    if f"json_valid({column})" in sql:
        return "{}"
    return {"INTEGER": 1, "REAL": 1, "BLOB": b"x" * 32}.get(kind, "x")


def stored_widths(vault: Path, table: str) -> set[int]:
    """Return how many values the stored rows of a table have."""
    with closing(PageFile(vault / DATABASE)) as source:
        schema = [row.values for row in source.rows(1, TreeWalk())]
        root = next(row[3] for row in schema if row[:2] == ("table", table))
        assert isinstance(root, int)
        return {len(row.values) for row in source.rows(root, TreeWalk())}


def break_root(vault: Path, table: str) -> None:
    ((root,),) = rows(vault, f"SELECT rootpage FROM sqlite_schema WHERE name = '{table}'")
    break_page(vault, root)


def break_page(vault: Path, page: int) -> None:
    with (vault / DATABASE).open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xa5" * 4096)


def test_each_table_to_which_a_column_was_added_keeps_its_rows(tmp_path: Path) -> None:
    vault, into = tmp_path / "vault", tmp_path / "saved"
    for connection in grown(vault):
        fill(connection)
    found = [match for path in migrations().glob("*.sql") for match in _ADDED.findall(path.read_text("utf-8"))]
    still_there = {name for (name,) in rows(vault, "SELECT name FROM sqlite_schema WHERE type = 'table'")}
    # A vault that was saved goes on in a lane of its own.
    tables = sorted({table for table, _ in found} & still_there - _DERIVED - {"lanes"})
    assert {"messages", "withheld_messages", "memories", "inbox", "agents"} <= set(tables)
    assert any(
        width < len(rows(vault, f"SELECT name FROM pragma_table_info('{table}')"))
        for table in tables
        for width in stored_widths(vault, table)
    )
    wanted = {
        table: ", ".join(
            name for (name,) in rows(vault, f"SELECT name FROM pragma_table_info('{table}')") if name not in _COUNTS
        )
        for table in tables
    }
    before = {table: rows(vault, f"SELECT {names} FROM {table}") for table, names in wanted.items()}
    assert all(before.values())
    salvage(vault, into)
    assert {table: rows(into, f"SELECT {names} FROM {table}") for table, names in wanted.items()} == before


@pytest.fixture
def upgraded(tmp_path: Path) -> Path:
    """Return a vault whose messages were written before they had lanes."""
    vault = tmp_path / "upgraded"
    for connection in grown(vault):
        if connection.pragma("user_version") == 25:
            with connection:
                connection.execute(
                    "INSERT INTO sessions (id, created_at, updated_at, first_seen) VALUES ('talk', 1, 1, 1)"
                )
                connection.executemany(
                    "INSERT INTO messages (session_id, seq, role, author, content, tool_name, tool_calls, tool_call_id,"
                    " tokens, created_at) VALUES ('talk', ?, ?, ?, ?, ?, ?, ?, 9, ?)",
                    _turns(),
                )
                connection.execute("UPDATE sessions SET message_count = ?", (_TURNS,))
                connection.execute(
                    "INSERT INTO chunks (kind, session_id, seq_start, seq_end, role, text, content_hash, created_at)"
                    " SELECT 'message', session_id, seq, seq, role, content, '', created_at FROM messages;"
                    "INSERT INTO chunks_fts (rowid, text, grams) SELECT id, text, grams FROM chunks"
                )
    Store.open(vault, migrations()).close()
    return vault


def _turns() -> Iterator[Sequence[int | str | None]]:
    for seq in range(1, _TURNS + 1):
        content = f"turn {seq} " + "words of it " * 30
        if seq % 2:
            yield seq, "user", "Kenji", content, None, None, None, seq
        else:
            yield seq, "tool", "", content, "weather", '[{"id":"call-1"}]', f"call-{seq}", seq


@pytest.mark.parametrize("is_root_broken", [False, True])
def test_turns_from_before_an_upgrade_are_kept_word_for_word(upgraded: Path, is_root_broken: bool) -> None:
    into = upgraded.with_name("saved")
    said = f"SELECT {_WORDS} FROM messages ORDER BY seq"
    before = rows(upgraded, said)
    assert len(before) == _TURNS
    if is_root_broken:
        break_root(upgraded, "messages")
    report = salvage(upgraded, into)
    assert rows(into, said) == before
    (messages,) = [table for table in report.tables if table.name == "messages"]
    assert (messages.kept, messages.lost, messages.refused, report.regained) == (_TURNS, 0, 0, 0)


def test_turns_are_regained_from_an_index_that_is_older_than_its_columns(upgraded: Path) -> None:
    into = upgraded.with_name("saved")
    said = "SELECT seq, role, content, created_at FROM messages ORDER BY seq"
    before = rows(upgraded, said)
    (page,) = rows(upgraded, "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' LIMIT 1")[0]
    break_page(upgraded, page)
    report = salvage(upgraded, into)
    assert report.regained > 0
    assert rows(into, said) == before


def test_without_the_lanes_no_number_and_no_clock_is_given_twice(upgraded: Path) -> None:
    with closing(open_writer(upgraded / DATABASE)) as connection, connection:
        connection.execute("UPDATE messages SET origin = 2 WHERE seq > 9")
        connection.execute(
            "INSERT INTO memory_history (target_kind, target, event, actor, at, lane, n, hlc)"
            " VALUES ('memory', 'note-1', 'UPDATE', 'person', 5, 77, 1, 10),"
            " ('memory', 'note-1', 'UPDATE', 'person', 6, 77, 2, 20)"
        )
    break_root(upgraded, "lanes")
    into = upgraded.with_name("saved")
    salvage(upgraded, into)
    assert rows(into, "SELECT DISTINCT origin FROM messages ORDER BY origin") == [(1,), (2,)]
    found = rows(into, "SELECT number, n, hlc, sealed, is_own FROM lanes ORDER BY number")
    assert found == [(1, 0, 0, 0, 0), (2, 0, 0, 0, 0), (3, 2, 20, 2, 0), (4, 0, 0, 0, 1)]
    assert rows(into, "SELECT lane FROM lanes WHERE number = 3") == [(77,)]
