"""Pages read without SQLite: the same rows, from file and log."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import VaultDamagedError, VaultUnusableError
from app.recovery.sqlite_pages import PageFile, StoredRow, TreeWalk
from app.store.files.wal_frames import committed_pages, has_sound_header

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
CELL = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    TEXT,
    st.binary(max_size=40),
    st.builds(lambda text, times: text * times, TEXT, st.integers(0, 400)),
    st.builds(lambda data, times: data * times, st.binary(max_size=40), st.integers(0, 400)),
)
ROWS = st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), CELL, CELL), max_size=25, unique_by=lambda row: row[0])


def rows_of(source: PageFile, name: str) -> Iterator[StoredRow]:
    root = next(row.values[3] for row in source.rows(1, TreeWalk()) if row.values[1] == name)
    assert isinstance(root, int)
    walk = TreeWalk()
    yield from source.rows(root, walk)
    assert not walk.broken


@given(ROWS, st.sampled_from([512, 1024, 4096, 65536]), st.booleans())
@settings(max_examples=25, deadline=None)
def test_the_same_rows_as_sqlite(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, object, object]], page_size: int, is_wal: bool
) -> None:
    path = tmp_path_factory.mktemp("pages") / "a.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("page_size", page_size)
        connection.pragma("journal_mode", "WAL" if is_wal else "DELETE")
        connection.execute("CREATE TABLE plain (rowid INTEGER PRIMARY KEY, a, b)")
        connection.execute("CREATE TABLE keyed (b, a INTEGER, PRIMARY KEY (a)) WITHOUT ROWID")
        connection.executemany("INSERT INTO plain VALUES (?, ?, ?)", rows)
        connection.executemany("INSERT INTO keyed VALUES (?, ?)", [(row[1], row[0]) for row in rows])
        connection.execute("DELETE FROM plain WHERE rowid % 3 = 0")
        source = PageFile(path)
        with closing(source):
            found = {(row.rowid, *row.values[1:]) for row in rows_of(source, "plain")}
            assert found == set(connection.execute("SELECT * FROM plain"))
            keyed = {row.values for row in rows_of(source, "keyed")}
            assert keyed == set(connection.execute("SELECT a, b FROM keyed"))
            assert not source.free_pages() & {1}


def test_only_what_was_committed_is_read_from_a_log(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    log = tmp_path / "a.db-wal"
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("journal_mode", "WAL")
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES ('first')")
        first = log.read_bytes()
        connection.execute("INSERT INTO t VALUES ('second')")
        both = log.read_bytes()
    assert has_sound_header(both[:32])
    assert committed_pages(first, 4096).keys() <= committed_pages(both, 4096).keys()
    # Cut or changed anywhere, the log ends with the commit before; it never gives half of one.
    assert committed_pages(both[:-1], 4096) == committed_pages(first, 4096)
    changed = bytearray(both)
    changed[-1] ^= 1
    assert committed_pages(bytes(changed), 4096) == committed_pages(first, 4096)
    for nothing in (b"", both[:31], b"\0" * len(both), b"x" * 100, bytes([both[0] ^ 1]) + both[1:]):
        assert committed_pages(nothing, 4096) == {}
        assert not has_sound_header(nothing[:32])


@given(st.binary(max_size=5000))
@settings(max_examples=50, deadline=None)
def test_rubbish_is_no_database(tmp_path_factory: pytest.TempPathFactory, rubbish: bytes) -> None:
    path = tmp_path_factory.mktemp("rubbish") / "a.db"
    path.write_bytes(rubbish)
    with pytest.raises(VaultDamagedError, match="Restore a backup"):
        PageFile(path)


@given(st.binary(min_size=1, max_size=600), st.integers(0, 4095), st.integers(2, 12))
@settings(max_examples=100, deadline=None)
def test_any_damage_leaves_the_rows_of_other_pages(small: Path, garbage: bytes, offset: int, page: int) -> None:
    whole = small.read_bytes()
    broken = bytearray(whole)
    start = (page - 1) * 4096 + offset
    broken[start : start + len(garbage)] = garbage
    path = small.with_name("broken.db")
    path.write_bytes(bytes(broken[: len(whole)]))
    source = PageFile(path)
    with closing(source):
        walk = TreeWalk()
        for row in source.rows(1, walk):
            if isinstance(root := row.values[3], int):
                assert all(isinstance(item, StoredRow) for item in source.rows(root, walk))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database of a dozen pages; never write to it."""
    path = tmp_path_factory.mktemp("small") / "a.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("CREATE TABLE t (a, b); CREATE INDEX i ON t (a)")
        with connection:
            connection.executemany("INSERT INTO t VALUES (?, ?)", [(f"key {n}", "x" * n * 10) for n in range(100)])
    assert path.stat().st_size > 12 * 4096
    return path


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(VaultUnusableError):
        PageFile(tmp_path / "nowhere.db")
