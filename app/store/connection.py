"""Connections to the vault's database, each with the same settings and the vector extension."""

import os
import zlib
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, cast

import apsw

from app.core.files import from_os
from app.core.ids import seen_entity_id
from app.core.regular_files import open_file, require_file
from app.core.text_rules.spellings import Place, spelled_alike
from app.store.encryption.cipher import apply_key, key_of, require_available, vfs_for
from app.store.files.database_file import DatabaseConnection, has_log
from app.store.sqlite_errors import translate_sqlite_errors
from app.store.words.tokenizer import kept_roots

APPLICATION_ID = 0x4B454550  # "KEEP"
BUSY_MS = 5_000
_CHECKPOINT_MS = 200  # so long a checkpoint waits for readers before others may write again
_HELD_MS = 200  # that opening waits for another program to finish a write
PAGE_CACHE_KIB = 8_192
MMAP_BYTES = 0  # mapped pages count as memory once for each connection, and gain a tenth of a search at most

INDEXED_ROWS_FUNCTION = "indexed_rows"
"""An auxiliary function of FTS5 on every connection: how many rows the full-text index has."""
_KEPT_ROOTS_FUNCTION = "kept_roots"  # the roots of a text's kept words; a migration names it
_INDEXED_WORDS_FUNCTION = "indexed_words"  # how many words it has of one row; the migrations name it
_PACKED_KIND: Final = "memory"
_LEAST_PACKED: Final = 1_024  # characters; less would save next to nothing
_PACKING: Final = 1  # the next levels of zlib take up to three times as long for a tenth less

VOCABULARY_TABLE = "chunks_words"
"""A table that each reader has for itself: every place at which the index has a word."""


def create_file(path: Path) -> None:
    """Create an empty database file for its owner only.

    SQLite gives ``-wal`` and ``-shm`` the same mode. An existing file is left alone: see
    ``app.store.files.database_file``.
    """
    try:
        require_file(path)
        if not path.exists():
            os.close(open_file(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    except OSError as error:
        raise from_os(error, path) from error


def open_writer(
    path: Path, busy_ms: int = BUSY_MS, *, is_wal: bool = True, may_be_held: bool = False
) -> apsw.Connection:
    """Open the one connection that writes; see ``app.store.options.StoreOptions``.

    Args:
        path: The file.
        busy_ms: Milliseconds to wait for another program.
        is_wal: Keep a write-ahead log.
        may_be_held: Open it, without a log, where another program is writing to it: it is read all the same.
    """

    def configure(connection: apsw.Connection) -> None:
        try:
            connection.set_busy_timeout(min(busy_ms, _HELD_MS) if may_be_held else busy_ms)
            connection.pragma("journal_mode", "WAL" if is_wal else "DELETE")
        except apsw.BusyError:
            if not may_be_held:
                raise
        connection.set_busy_timeout(busy_ms)
        connection.pragma("synchronous", "FULL")
        connection.pragma("foreign_keys", True)
        # What is deleted is overwritten at once, so that forgetting for ever leaves nothing in free space.
        connection.pragma("secure_delete", True)
        connection.pragma("journal_size_limit", 64 * 1024 * 1024)

    return _open(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, busy_ms, configure)


def open_reader(path: Path, busy_ms: int = BUSY_MS) -> apsw.Connection:
    """Open a connection that cannot write."""
    return _open(path, apsw.SQLITE_OPEN_READONLY, busy_ms, _make_readable)


def open_frozen_reader(path: Path, busy_ms: int = BUSY_MS) -> apsw.Connection:
    """Open a reader on a disk that is full or read-only.

    Nothing is written beside it. A log with data is read too, with its index in memory instead of a shared file; that
    needs a file system layer without locks, which is safe because nobody can write.
    """
    is_logged = has_log(path)
    name = f"{path.absolute().as_uri()}?mode=ro" + ("" if is_logged else "&immutable=1")

    def configure(connection: apsw.Connection) -> None:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        _make_readable(connection)

    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return _open(path, flags, busy_ms, configure, uri=name, is_lockless=is_logged)


def connect(path: Path, flags: int, uri: str = "", *, is_lockless: bool = False) -> apsw.Connection:
    """Open a database file of a vault with its key, and nothing else set.

    Args:
        path: The file.
        flags: SQLite's.
        uri: Its name with parameters, where it needs some.
        is_lockless: Without locks; nobody else can write.

    Raises:
        PassphraseRequiredError: The vault is encrypted and locked.
        EncryptionUnavailableError: It is encrypted, and this SQLite has no ciphers.
    """
    key = key_of(path)
    if key is not None:
        require_available()
    connection = DatabaseConnection(path, flags, vfs_for(key, is_lockless=is_lockless), uri)
    try:
        apply_key(connection, key)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_readable(connection: apsw.Connection) -> None:
    # Before nothing can be made any more. What it lists is looked for when it is asked, not now.
    connection.execute(
        f"CREATE VIRTUAL TABLE temp.{VOCABULARY_TABLE} USING fts5vocab ('main', 'chunks_fts', 'instance')"
    )
    connection.pragma("query_only", True)


def _open(
    path: Path,
    flags: int,
    busy_ms: int,
    configure: Callable[[apsw.Connection], object],
    *,
    uri: str = "",
    is_lockless: bool = False,
) -> apsw.Connection:
    with translate_sqlite_errors(path):
        # The name of a copy that is made later may be a URI.
        connection = connect(path, flags | apsw.SQLITE_OPEN_URI, uri, is_lockless=is_lockless)
        try:
            if is_lockless:
                connection.pragma("locking_mode", "EXCLUSIVE")  # before the first read, or the log needs shared memory
            _configure(connection, busy_ms)
            configure(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _configure(connection: apsw.Connection, busy_ms: int) -> None:
    connection.set_busy_timeout(busy_ms)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1)  # the FTS triggers write to virtual tables
    connection.pragma("temp_store", "MEMORY")
    connection.pragma("cache_size", -PAGE_CACHE_KIB)
    connection.pragma("mmap_size", MMAP_BYTES)
    register_schema_functions(connection)
    connection.create_scalar_function("seen_entity_id", _seen_entity_id, 1, deterministic=True)
    connection.create_scalar_function("spelled_alike", _spelled_alike, 3, deterministic=True)
    load_vectors(connection)


def _seen_entity_id(*surfaces: object) -> str:
    return seen_entity_id(str(surfaces[0]))


def _spelled_alike(*values: object) -> bool:
    place, stored, wanted = map(str, values)
    return spelled_alike(cast("Place", place), stored, wanted)


def register_schema_functions(connection: apsw.Connection) -> None:
    """Register the functions of index and history that our SQL and the migrations call."""
    connection.register_fts5_function(INDEXED_ROWS_FUNCTION, _indexed_rows)
    connection.register_fts5_function(_INDEXED_WORDS_FUNCTION, _indexed_words)
    connection.create_scalar_function(_KEPT_ROOTS_FUNCTION, _kept_roots, 1, deterministic=True)
    connection.create_scalar_function("stored_state", _stored_state, 2, deterministic=True)
    connection.create_scalar_function("state_json", _state_json, 1, deterministic=True)


def _stored_state(*values: object) -> str | bytes | None:
    """Return a state's JSON as the history stores it, by the kind of its target.

    A memory's state has the whole text of it, so a long one is packed and is a blob then; ``_state_json`` unpacks it.
    """
    kind, state = values
    if not isinstance(state, str) or kind != _PACKED_KIND or len(state) < _LEAST_PACKED:
        return cast("str | bytes | None", state)
    text = state.encode()
    packed = zlib.compress(text, _PACKING)
    return packed if len(packed) < len(text) else state


def _state_json(*values: object) -> str | None:
    state = values[0]
    if not isinstance(state, bytes):
        return cast("str | None", state)
    try:
        return zlib.decompress(state).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise apsw.CorruptError(f"a state in the history cannot be unpacked: {error}") from error


def _kept_roots(*texts: object) -> str:
    return kept_roots(str(texts[0]))


def _indexed_rows(index: apsw.FTS5ExtensionApi, *_arguments: object) -> int:
    return index.row_count


def _indexed_words(index: apsw.FTS5ExtensionApi, *_arguments: object) -> int:
    return index.column_size()


@cache
def _vectors_path() -> str:
    """Return the path of the shared library of sqlite-vec.

    The package is not imported: it would import all of numpy on the engine's thread, in the middle of what other
    threads import of it, and Python's own SQLite besides.
    """
    spec = find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'sqlite_vec'", name="sqlite_vec")
    return str(Path(spec.submodule_search_locations[0]) / "vec0")


def load_vectors(connection: apsw.Connection) -> None:
    """Load sqlite-vec into ``connection``."""
    connection.enable_load_extension(True)
    connection.load_extension(_vectors_path())
    connection.enable_load_extension(False)


def empty_log(connection: apsw.Connection) -> bool:
    """Checkpoint the write-ahead log and truncate it; False while a reader needs it."""
    connection.set_busy_timeout(_CHECKPOINT_MS)
    try:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
    except apsw.BusyError:
        return False
    finally:
        connection.set_busy_timeout(BUSY_MS)
    return not busy
