"""Salvage: copy the readable rows of a damaged database into a new vault.

The damaged files are only read.
"""

import shutil
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import apsw

from app.attachments.model import FOLDER as ATTACHMENTS
from app.attachments.service import copy_missing
from app.config.config import FILE
from app.core.clock import SystemClock
from app.core.files import from_os
from app.core.paths import migrations
from app.core.regular_files import make_folder
from app.core.stop_signal import StopSignal
from app.encryption.key_file import read_key_file, write_key_file
from app.encryption.model import EncryptionState
from app.encryption.vault_keys import drop_key, keep_key, require_key
from app.errors import InputError, VaultDamagedError, VaultNewerError, VaultUnusableError
from app.history import history_repo
from app.index import rebuild
from app.recovery import redundant_copies, referential_repair
from app.recovery.model import SalvagedTable, SalvageReport
from app.recovery.sqlite_pages import BrokenPageError, Cell, PageFile, StoredRow, TreeWalk
from app.sentence import Sentence
from app.store import lanes
from app.store.backup import copy_settings
from app.store.connection import APPLICATION_ID, open_writer
from app.store.files.preflight import SALVAGING
from app.store.interruption import interruptible
from app.store.migrate import migrations_in
from app.store.sqlite_errors import translate_sqlite_errors
from app.store.store import DATABASE, Store

_SCHEMA_ROOT = 1
_OF_OPENING = ("lock", "trace")
_SCHEMA_COLUMNS = 5
# Made anew from the rest. What names a text has is read again, and vectors are made again.
_DERIVED = (
    "chunk_lengths",
    "chunks",
    "chunks_fts",
    "generations",
    "mentions",
    "pending_mentions",
    "pending_vectors",
    "sqlite_",
    "token_vectors_",
    "vectors_",
)
_KEPT_META = ("vault_id",)
_TYPES: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "TEXT": (str,),
    "REAL": (int, float),
    "BLOB": (bytes,),
    "ANY": (str, bytes),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: name, type, whether it is required, primary key position and default.

    The position counts from 1; 0 is outside the key. Without a default, ``default`` is ``None``.
    """

    name: str
    type: str
    is_required: bool
    key: int
    default: Cell = None

    @property
    def may_be_missing(self) -> bool:
        """Return whether a row written before the column was added has a value for it."""
        return self.default is not None or not (self.is_required or self.key)


@dataclass(frozen=True, slots=True)
class SalvageTable:
    """A table of the new vault, with ``columns`` in the order of storage."""

    name: str
    columns: tuple[Column, ...]
    has_rowid: bool

    @property
    def alias(self) -> str:
        """Return the column that is another name of the rowid, ``""`` when there is none."""
        keys = [column for column in self.columns if column.key]
        is_alias = self.has_rowid and len(keys) == 1 and keys[0].type == "INTEGER"
        return keys[0].name if is_alias else ""

    def fits(self, row: StoredRow) -> bool:
        """Return whether ``row`` could be one of this table, by its width and types."""
        if len(row.values) > len(self.columns) or (row.rowid is None) == self.has_rowid:
            return False
        if not all(column.may_be_missing for column in self.columns[len(row.values) :]):
            return False
        return all(self._holds(column, value) for column, value in zip(self.columns, self.whole(row), strict=True))

    def whole(self, row: StoredRow) -> tuple[Cell, ...]:
        """Return a value of ``row`` for each column.

        SQLite leaves stored rows as they are when a column is added: what they lack has the column's default.
        """
        width = len(self.columns)
        return row.values[:width] + tuple(column.default for column in self.columns[len(row.values) :])

    def _holds(self, column: Column, value: Cell) -> bool:
        if column.name == self.alias or value is None:
            return value is None and (column.name == self.alias or not column.is_required)
        return isinstance(value, _TYPES[column.type])


@dataclass(frozen=True, slots=True)
class SchemaEntry:
    """A line of the damaged database's own schema."""

    kind: str
    name: str
    table: str
    root: int
    sql: str


def salvage(vault: Path, into: Path, stop: StopSignal | None = None) -> SalvageReport:
    """Copy everything readable of the vault at ``vault`` into a new one.

    Args:
        vault: The folder with the damaged ``memory.db``; nothing in it is changed.
        into: A folder that does not exist yet or is empty.
        stop: Stops it; nothing is left of the new vault then.

    Raises:
        CancelledByPersonError: ``stop`` was set.
        VaultDamagedError: Not even the beginning of the file can be read.
        VaultNewerError: It is from a newer Keepsake.
        VaultUnusableError: It is no database of Keepsake, or there is none.
        InputError: ``into`` is in use, or lies inside the vault.
    """
    _check_place(vault, into)
    source = PageFile(_database_of(vault))
    try:
        _check_owner(source)
        return _salvage(source, vault, into, stop or StopSignal())
    finally:
        source.close()


def _salvage(source: PageFile, vault: Path, into: Path, stop: StopSignal) -> SalvageReport:
    is_new = not into.exists()
    # Until it is whole it is no vault: killed, this leaves nothing that would be taken for all that could be saved.
    place = into / SALVAGING
    try:
        for name in (SALVAGING, *_OF_OPENING):
            _remove(into / name)
        if file := read_key_file(vault):
            # What comes out of an encrypted vault is under the same key.
            make_folder(place)
            key = require_key(vault)
            file.require_unchanged(key)
            file = replace(file, state=EncryptionState.ENCRYPTED)
            write_key_file(place, file, key)
            for folder in (place, into):
                keep_key(folder, key, file)
        Store.open(place, migrations()).close()
        connection = open_writer(place / DATABASE)
        try:
            with interruptible(connection, stop), translate_sqlite_errors():
                report = _Salvage(source, connection, stop).run(vault, into)
        finally:
            connection.close()
        if (vault / FILE).is_file():
            copy_settings(vault / FILE, place / FILE)
        unreadable: list[str] = []
        copy_missing(vault / ATTACHMENTS, place / ATTACHMENTS, unreadable=unreadable)
        _move_up(place, into)
    except BaseException as error:
        for folder in (place, into):
            drop_key(folder)
        shutil.rmtree(into, ignore_errors=True)
        if not is_new:
            into.mkdir(mode=0o700, exist_ok=True)
        if isinstance(error, OSError):
            raise from_os(error, into) from error
        raise
    return replace(report, attachments_lost=tuple(unreadable))


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _move_up(place: Path, into: Path) -> None:
    """Move a finished vault out of ``place``, the database last."""
    for path in sorted(place.iterdir(), key=lambda path: path.name == DATABASE):
        path.rename(into / path.name)
    place.rmdir()


def _database_of(vault: Path) -> Path:
    path = vault / DATABASE
    if not path.is_file() or not path.stat().st_size:
        state = Sentence("{path} is not there", path=path)
        if path.is_file():
            state = Sentence("{path} is empty", path=path)
        raise VaultUnusableError(
            Sentence(
                "{state}, so there is nothing to salvage. 'keepsake backup list' shows the backups.",
                state=state,
            ),
            path=str(path),
        )
    return path


def _check_place(vault: Path, into: Path) -> None:
    if into.exists() and (not into.is_dir() or (any(into.iterdir()) and not _is_cut_off(into))):
        raise InputError(
            Sentence("{into} is in use. Name a new or empty folder with --into.", into=into), path=str(into)
        )
    if into.resolve().is_relative_to(vault.resolve()):
        raise InputError(
            Sentence("{into} lies inside the damaged vault. Name a folder elsewhere with --into.", into=into),
            path=str(into),
        )


def _is_cut_off(into: Path) -> bool:
    """Return whether a salvage into the folder was killed.

    Opening such a folder leaves a lock and a trace.
    """
    names = {path.name for path in into.iterdir()}
    return SALVAGING in names and names <= {SALVAGING, *_OF_OPENING}


def _check_owner(source: PageFile) -> None:
    known = len(migrations_in(migrations()))
    if source.application != APPLICATION_ID:
        raise VaultUnusableError("memory.db is the database of another program; there is nothing of Keepsake in it.")
    if source.schema > known:
        raise VaultNewerError(
            Sentence(
                "This vault was written by a newer Keepsake (schema {schema}; this one knows {known})."
                " Update Keepsake and salvage with that.",
                schema=source.schema,
                known=known,
            ),
            schema=source.schema,
            known=known,
        )


class _Salvage:
    """One copying from broken pages into a new database."""

    def __init__(self, source: PageFile, connection: apsw.Connection, stop: StopSignal) -> None:
        self._source = source
        self._stop = stop
        self._connection = connection
        self._tables = _tables_of(connection)
        self._seen: set[int] = set()
        self._broken: set[int] = set()
        self._refused: dict[str, int] = {}
        self._is_schema_whole = True

    def run(self, vault: Path, into: Path) -> SalvageReport:
        self._connection.pragma("foreign_keys", False)
        walk = TreeWalk()
        schema = list(_entries(self._source.rows(_SCHEMA_ROOT, walk)))
        self._met(walk)
        self._is_schema_whole = not walk.broken
        with self._connection:
            # The numbers of lanes are those of the damaged database, as its messages name them.
            self._connection.execute("DELETE FROM lanes")
            copies = [self._copy(table, schema) for table in self._tables]
            self._walk_rest(schema)
            strays = self._copy_strays() if self._broken else 0
            regained = self._regain(schema) if self._broken else 0
            count = int(self._connection.execute("SELECT coalesce(sum(message_count), 0) FROM sessions").get)
            made_up, dropped = referential_repair.join_pieces(self._connection)
            rebuild.request_rebuild(self._connection)
            referential_repair.restore_lanes(self._connection)
            lanes.begin(self._connection, SystemClock().now_ms())
            history_repo.place_unplaced(self._connection)
        # What the conversations say of themselves counts where the index of their messages is broken too.
        counted = {"messages": count}
        tables = tuple(
            self._report(table, broken, max(indexed or 0, counted.get(table.name, 0)) or indexed, dropped)
            for table, broken, indexed in copies
        )
        if not any(item.kept for item in tables if item.name not in ("meta", "lanes")):
            raise VaultDamagedError(
                "Nothing of what was written can be read. Restore a backup: 'keepsake backup list' shows them."
            )
        return SalvageReport(str(vault), str(into), tables, len(self._broken), strays, regained, made_up)

    def _rows(self, root: int, walk: TreeWalk) -> Iterator[StoredRow]:
        """Yield the rows below a page, until the person stops it."""
        for row in self._source.rows(root, walk):
            self._stop.check()
            yield row

    def _met(self, walk: TreeWalk) -> None:
        self._seen |= walk.seen
        self._broken |= walk.broken

    def _copy(self, table: SalvageTable, schema: list[SchemaEntry]) -> tuple[SalvageTable, int, int | None]:
        """Return a table with its number of broken pages and of rows by its indexes."""
        root = next((entry.root for entry in schema if entry.kind == "table" and entry.name == table.name), 0)
        walk = TreeWalk()
        if root:
            self._insert(_stored_table(table, schema), self._rows(root, walk))
        elif not self._is_schema_whole:
            walk.broken.add(_SCHEMA_ROOT)  # nobody knows where it was
        self._met(walk)
        return table, len(walk.broken), self._indexed_rows(table, schema)

    def _indexed_rows(self, table: SalvageTable, schema: list[SchemaEntry]) -> int | None:
        """Return the number of rows in a sound index of the table, ``None`` without one."""
        counts = []
        for entry in schema:
            if entry.kind == "index" and entry.table == table.name:
                walk = TreeWalk()
                count = sum(1 for _ in self._rows(entry.root, walk))
                self._met(walk)
                if not walk.broken and " WHERE " not in entry.sql.upper().replace("\n", " "):
                    counts.append(count)
        return max(counts) if counts else None

    def _walk_rest(self, schema: list[SchemaEntry]) -> None:
        """Visit the pages of derived tables, so that none counts as a stray."""
        for entry in schema:
            if entry.root and entry.root not in self._seen:
                walk = TreeWalk()
                for _ in self._rows(entry.root, walk):
                    pass
                self._met(walk)

    def _copy_strays(self) -> int:
        """Copy rows from stray pages, whose parent page is broken."""
        free = self._source.free_pages()
        copied = 0
        for number in range(2, self._source.pages + 1):
            self._stop.check()
            if number not in self._seen and number not in free:
                copied += self._copy_stray(number)
        return copied

    def _copy_stray(self, number: int) -> int:
        try:
            _, rows = self._source.read(number, TreeWalk())
        except BrokenPageError:
            return 0
        fitting = [table for table in self._tables if rows and all(table.fits(row) for row in rows)]
        # A table whose rows are as wide comes before one that would have to make values up.
        fitting.sort(key=lambda table: len(table.columns) - max(len(row.values) for row in rows))
        return next((copied for table in fitting if (copied := self._insert(table, rows, is_stray=True))), 0)

    def _insert(self, table: SalvageTable, rows: Iterable[StoredRow], *, is_stray: bool = False) -> int:
        has = {column.name for known in self._tables if known.name == table.name for column in known.columns}
        names = [column.name for column in table.columns if column.name in has]
        statement = (
            f"INSERT OR IGNORE INTO {_quoted(table.name)} ({', '.join(map(_quoted, names))})"
            f" VALUES ({', '.join('?' * len(names))})"
        )
        copied = refused = 0
        for row in rows:
            if table.name == "meta" and row.values[0] not in _KEPT_META:
                continue
            is_copied = self._take(statement, _bindings(table, row, has))
            copied += is_copied
            refused += not is_copied
        if refused and not is_stray:
            self._refused[table.name] = self._refused.get(table.name, 0) + refused
        return copied

    def _regain(self, schema: list[SchemaEntry]) -> int:
        """Recover rows of broken pages through the indexes and return their number."""
        have = {str(row[0]) for row in self._connection.execute("SELECT id FROM memories")}
        known = {str(row.values[0]) for row in self._indexed(schema, "sqlite_autoindex_memories_1")}
        regained = redundant_copies.memories(self._connection, known - have)
        index = self._indexed(schema, "sqlite_autoindex_messages_1")
        messages = {(row.values[0], row.values[1]): row.values[2] for row in index}
        for key in self._connection.execute("SELECT session_id, seq FROM messages"):
            messages.pop((key[0], key[1]), None)
        return regained + (
            redundant_copies.messages(self._connection, messages, self._chunks(schema)) if messages else 0
        )

    def _indexed(self, schema: list[SchemaEntry], name: str) -> Iterator[StoredRow]:
        root = next((entry.root for entry in schema if entry.name == name), 0)
        return self._rows(root, TreeWalk()) if root else iter(())

    def _chunks(self, schema: list[SchemaEntry]) -> Iterator[dict[str, Cell]]:
        entry = next((entry for entry in schema if entry.name == "chunks"), None)
        if entry is not None:
            table = SalvageTable("chunks", _stored_columns(self._connection, "chunks", has_rowid=True), has_rowid=True)
            table = _stored_table(table, schema)
            names = [column.name for column in table.columns]
            for row in self._rows(entry.root, TreeWalk()):
                if table.fits(row):
                    yield dict(zip(names, table.whole(row), strict=True))

    def _take(self, statement: str, values: tuple[Cell, ...]) -> bool:
        try:
            self._connection.execute(statement, values)
        except (apsw.ConstraintError, apsw.MismatchError):
            return False  # a broken row that happened to read as one
        return bool(self._connection.changes())

    def _report(self, table: SalvageTable, broken: int, indexed: int | None, dropped: dict[str, int]) -> SalvagedTable:
        count = int(self._connection.execute(f"SELECT count(*) FROM {_quoted(table.name)}").get)
        refused = self._refused.get(table.name, 0) + dropped.get(table.name, 0)
        lost = None if indexed is None and broken else max(0, (indexed or 0) - count - refused)
        return SalvagedTable(table.name, count, lost, broken, refused)


def _tables_of(connection: apsw.Connection) -> list[SalvageTable]:
    names = connection.execute(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name"
    ).fetchall()
    return [
        SalvageTable(name, _stored_columns(connection, name, has_rowid=not without), not without)
        for name, without in ((str(name), bool(without)) for name, without in names)
        if not name.startswith(_DERIVED) and name != "meta"
    ] + [SalvageTable("meta", _stored_columns(connection, "meta", has_rowid=False), has_rowid=False)]


def _stored_columns(connection: apsw.Connection, table: str, *, has_rowid: bool) -> tuple[Column, ...]:
    rows = connection.execute(
        'SELECT name, type, "notnull", pk, dflt_value FROM pragma_table_info(?) ORDER BY cid', (table,)
    ).fetchall()
    columns = [
        Column(str(name), str(kind), bool(required), int(str(key)), _constant(connection, default))
        for name, kind, required, key, default in rows
    ]
    if has_rowid:
        return tuple(columns)
    # Without rowids a table is its key's index: first the key, then the rest.
    return tuple(sorted(columns, key=lambda column: (not column.key, column.key)))


def _constant(connection: apsw.Connection, expression: object) -> Cell:
    """Return the value of a default, which the schema has as SQL."""
    return None if expression is None else connection.execute(f"SELECT {expression!s}").get


def _stored_table(table: SalvageTable, schema: list[SchemaEntry]) -> SalvageTable:
    """Return ``table`` with its columns in the damaged, perhaps older, database."""
    sql = next((entry.sql for entry in schema if entry.kind == "table" and entry.name == table.name), "")
    scratch = apsw.Connection(":memory:")
    try:
        scratch.execute(sql)
        columns = _stored_columns(scratch, table.name, has_rowid=table.has_rowid)
    except apsw.Error:
        columns = ()
    finally:
        scratch.close()
    return SalvageTable(table.name, columns or table.columns, table.has_rowid)


def _entries(rows: Iterable[StoredRow]) -> Iterator[SchemaEntry]:
    for row in rows:
        if len(row.values) == _SCHEMA_COLUMNS and row.values[0] in {"table", "index"}:
            kind, name, table, root, sql = row.values
            yield SchemaEntry(str(kind), str(name), str(table), root if isinstance(root, int) else 0, str(sql or ""))


def _bindings(table: SalvageTable, row: StoredRow, has: Collection[str]) -> tuple[Cell, ...]:
    """Return the values of the columns that the new table has too."""
    return tuple(
        row.rowid if column.name == table.alias else value
        for column, value in zip(table.columns, table.whole(row), strict=True)
        if column.name in has
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
