"""Bytes of database files, read while SQLite has them open."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from app.core.process.open_databases import is_open
from app.core.regular_files import UnsafeFileError, open_for_reading
from app.erasure.file_residue import files_of, found_in
from app.recovery.sqlite_pages import PageFile
from app.store.connection import create_file, open_reader, open_writer
from app.store.encryption.cipher import beginning_of
from app.store.files.database_file import open_database_file
from app.upkeep.backups.backup_files import list_backups


def locks_of(path: Path) -> set[tuple[str, ...]]:
    """Return the locks of this process on a file, as the system lists them."""
    if sys.platform != "linux":
        pytest.skip("/proc/locks tells of locks on Linux only")
    status, own = path.stat(), str(os.getpid())
    lines = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return {tuple(line[1:]) for line in lines if line[-4] == own and line[-3].endswith(f":{status.st_ino}")}


@pytest.fixture
def writer(migrated_db: Path) -> Iterator[apsw.Connection]:
    with closing(open_writer(migrated_db)) as connection:
        connection.execute("SELECT count(*) FROM memories").fetchall()
        yield connection


def read_beginning(database: Path) -> None:
    assert beginning_of(database) == b"SQLite format 3\x00"


def look_for_residue(database: Path) -> None:
    assert found_in(files_of(database), ["CREATE TABLE"]) == {"CREATE TABLE"}


def read_pages(database: Path) -> None:
    with closing(PageFile(database)) as pages:
        assert pages.page(1)


def open_another(database: Path) -> None:
    open_reader(database).close()


def list_all_backups(database: Path) -> None:
    folder = database.parent / "backups"
    folder.mkdir()
    os.link(database, folder / "20260101T000000Z-daily.db")
    assert [item.schema > 0 for item in list_backups(database.parent)] == [True]


@pytest.mark.parametrize(
    "read", [read_beginning, look_for_residue, read_pages, open_another, create_file, list_all_backups]
)
@pytest.mark.usefixtures("writer")
def test_reading_an_open_database_keeps_its_locks(migrated_db: Path, read: Callable[[Path], None]) -> None:
    index = migrated_db.with_name(migrated_db.name + "-shm")
    before = locks_of(migrated_db), locks_of(index)
    assert all(before)
    read(migrated_db)
    assert (locks_of(migrated_db), locks_of(index)) == before


@pytest.mark.usefixtures("writer")
def test_open_and_close_would_give_them_back(migrated_db: Path) -> None:
    """What the module is for; where this fails, it is not needed any more."""
    migrated_db.open("rb").close()
    assert not locks_of(migrated_db)


@pytest.mark.parametrize("size", [0, 1, 511, 100_000])
def test_every_byte_is_read(tmp_path: Path, size: int) -> None:
    file = tmp_path / "some.db"
    file.write_bytes(os.urandom(size))
    with open_database_file(file) as opened:
        assert opened.read() == file.read_bytes()
        assert opened.seek(-min(size, 10), os.SEEK_END) == max(0, size - 10)
        assert opened.read(100) == file.read_bytes()[max(0, size - 10) :]


def test_only_a_file_of_its_own_is_opened(tmp_path: Path) -> None:
    (tmp_path / "real.db").write_bytes(b"x")
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    os.mkfifo(tmp_path / "pipe.db")
    with pytest.raises(FileNotFoundError):
        open_database_file(tmp_path / "missing.db")
    for name in ("link.db", "pipe.db", "."):
        with pytest.raises(UnsafeFileError):
            open_database_file(tmp_path / name)


@pytest.mark.usefixtures("writer")
def test_an_open_database_is_known_by_any_name(migrated_db: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_bytes(migrated_db.read_bytes())
    os.link(migrated_db, tmp_path / "same.txt")
    assert is_open(migrated_db)
    assert is_open(migrated_db.with_name(migrated_db.name + "-shm"))
    assert is_open(tmp_path / "same.txt")
    assert not is_open(other)
    assert not is_open(tmp_path / "missing.db")
    with pytest.raises(UnsafeFileError, match="open"):
        open_for_reading(tmp_path / "same.txt")
