"""Residue of erased text in the bytes of a database's files, and its removal."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import apsw

from app.core.files import from_os
from app.core.regular_files import open_for_reading
from app.encryption.sealed_files import SUFFIX, open_parts
from app.encryption.vault_keys import key_for_encrypted_file
from app.errors import VaultDamagedError
from app.store.encryption.cipher import key_of
from app.store.files.database_file import open_database_file
from app.store.files.page_cipher import decrypted_blocks

_BLOCK = 4 * 1024 * 1024
_WORD_PAGES = 100  # of the word index, rewritten in one step: about ten milliseconds
_SPARE = 64 * 1024 * 1024


def files_of(database: Path) -> list[Path]:
    """Return the files that hold a database's content: itself, its log, its rollback journal."""
    files = (database.with_name(database.name + ending) for ending in ("", "-wal", "-journal"))
    return [path for path in files if path.exists()]


Needle = TypeVar("Needle", bound=str | bytes)


def found_in(paths: Iterable[Path], needles: Sequence[Needle]) -> set[Needle]:
    """Return the ``needles`` that are anywhere in the files, texts as UTF-8.

    Free pages count as well.

    Raises:
        MachineError: A file cannot be read.
    """
    wanted = {needle: needle.encode() if isinstance(needle, str) else needle for needle in needles if needle}
    places: set[Needle] = set()
    for path in paths:
        for block in _blocks(path, max(map(len, wanted.values()), default=1)):
            places.update([needle for needle, data in wanted.items() if needle not in places and data in block])
    return places


def _blocks(path: Path, overlap: int) -> Iterable[bytes]:
    tail = b""
    try:
        for data in _readable_blocks(path):
            yield tail + data
            tail = data[-overlap:]
    except FileNotFoundError:  # the log goes with the last connection
        return
    except OSError as error:
        raise from_os(error, path) from error


def _readable_blocks(path: Path) -> Iterator[bytes]:
    """Yield the contents of a database, a log or a sealed file, decrypted."""
    if path.name.endswith(SUFFIX):
        yield from _unsealed_blocks(path)
        return
    name, log, set_aside = path.name.partition("-wal")
    # A log begins with a header of its own, so its database says whether it is encrypted.
    key = key_of(path.with_name(name) if log else path)
    if key is None or set_aside:  # what was set aside may be of another vault
        yield from _plain_blocks(path)
    if key is not None:
        yield from decrypted_blocks(path, key.database, _BLOCK)


def _unsealed_blocks(path: Path) -> Iterator[bytes]:
    key = key_for_encrypted_file(path)
    # Nobody reads what stands after a damaged place.
    with open_for_reading(path) as file, suppress(VaultDamagedError):
        if key is not None:
            yield from open_parts(key, file)


def _plain_blocks(path: Path) -> Iterable[bytes]:
    with open_database_file(path) as file:
        while data := file.read(_BLOCK):
            yield data


def begin_merging_words(connection: apsw.Connection, table: str) -> None:
    """Ask a full-text index to become one segment, without what was deleted; ``merge_words`` does it."""
    connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (-_WORD_PAGES,))


def merge_words(connection: apsw.Connection, table: str) -> bool:
    """Merge some more of a full-text index and return whether anything was left to do."""
    before = connection.total_changes()
    connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (_WORD_PAGES,))
    return connection.total_changes() - before > 1  # as FTS5's documentation has it


def rebuild_words(connection: apsw.Connection, table: str) -> None:
    """Make a full-text index anew from the texts that are there.

    Merging leaves deleted words where FTS5 takes the segments for not the oldest: under a level that has become empty.
    """
    connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")


def forget_statistics(connection: apsw.Connection) -> None:
    """Delete the statistics of indexes, which contain some of their keys.

    The next optimisation collects new ones.
    """
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'").fetchone():
        connection.execute("DELETE FROM sqlite_stat4")


def has_room_to_rewrite(database: Path) -> bool:
    """Return whether there is disk space for a second copy and its log."""
    try:
        size = database.stat().st_size
        here, temporary = shutil.disk_usage(database.parent), shutil.disk_usage(tempfile.gettempdir())
    except OSError as error:
        raise from_os(error, database) from error
    return here.free > 2 * size + _SPARE and temporary.free > size + _SPARE  # they may be one disk


def rewrite(connection: apsw.Connection) -> None:
    """Rewrite the whole database without free space; outside a transaction.

    Previous contents of pages are gone afterwards.
    """
    # In memory, where temporary tables are, there may be no room for a whole vault.
    connection.pragma("temp_store", "FILE")
    try:
        connection.execute("VACUUM")
    finally:
        connection.pragma("temp_store", "MEMORY")
