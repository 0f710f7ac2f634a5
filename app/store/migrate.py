"""Migrations: numbered SQL files, one transaction each.

A newer vault is refused and an older one backed up first. The vault records name and SHA-256 of each file that was
applied; where that record is missing or differs, its schema must be the one that these files make.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import apsw

from app.core.process.lazy_module import LazyModule
from app.core.vault_opening import VaultOpening
from app.errors import InternalError, VaultDamagedError, VaultNewerError, VaultUnusableError
from app.sentence import Sentence
from app.store import meta
from app.store.connection import APPLICATION_ID, register_schema_functions
from app.store.interruption import interruptible
from app.store.sqlite_errors import translate_sqlite_errors
from app.trace.trace import Trace

if TYPE_CHECKING:
    from app.store import vector_bytes
else:
    vector_bytes = LazyModule("app.store.vector_bytes")  # loads numpy

_KEY = "migration:"
_NAME = re.compile(r"(\d{4})_\w+\.sql\Z")
_COMMENT = re.compile(r"--[^\n]*")
_SPACE = re.compile(r"\s+")
_LOOSE = re.compile(r"\s*([(),;=<>])\s*")
_MADE_LATER = re.compile(r"(token_)?vectors_\d+")  # tables of vectors come and go with the models that make them
Objects = frozenset[tuple[str, str, str]]
_SMALL_VECTORS: Final = 27  # the step whose data the program converts, not its SQL


@dataclass(frozen=True, slots=True, order=True)
class Migration:
    """One step of the schema."""

    number: int
    path: Path

    @property
    def sql(self) -> str:
        """Return its statements, with the same line ends on every system."""
        return self.path.read_text(encoding="utf-8")

    @property
    def record(self) -> str:
        """Return its file name and SHA-256, as the vault records them."""
        return f"{self.path.name} {hashlib.sha256(self.sql.encode()).hexdigest()}"


def migrations_in(folder: Path) -> list[Migration]:
    """Return the migrations of ``folder`` in order; numbers must run from 1 without a gap."""
    migrations = (
        sorted(Migration(int(match[1]), path) for path in folder.iterdir() if (match := _NAME.fullmatch(path.name)))
        if folder.is_dir()
        else []
    )
    if [step.number for step in migrations] != list(range(1, len(migrations) + 1)) or not migrations:
        raise InternalError(Sentence("The migrations in {folder} are not numbered 1, 2, 3…", folder=folder))
    return migrations


def migrate(
    connection: apsw.Connection,
    folder: Path,
    back_up: Callable[[], object],
    trace: Trace | None = None,
    opening: VaultOpening | None = None,
) -> int:
    """Bring the vault up to the newest schema.

    Args:
        connection: The writer, outside a transaction.
        folder: Where the SQL files are.
        back_up: Called before the first step when the vault is not empty.
        trace: Told of each step.
        opening: Hears of each step of a vault that is not empty, and can stop them.

    Returns:
        The schema's number.

    Raises:
        CancelledByPersonError: The opening was stopped; the finished steps stay.
        VaultNewerError: The vault is from a newer Keepsake.
        VaultUnusableError: The file is a database of another program, its schema is not the one its number promises, or
            a step failed; nothing was changed.
    """
    steps = migrations_in(folder)
    opening = opening or VaultOpening()
    with interruptible(connection, opening.stop), translate_sqlite_errors():
        have = int(str(connection.pragma("user_version")))
        _check_owner(connection, have)
        if have > len(steps):
            raise VaultNewerError(
                Sentence(
                    "This vault was written by a newer Keepsake (schema {have}; this one knows {known}). Update"
                    " Keepsake, or open another vault.",
                    have=have,
                    known=len(steps),
                ),
                schema=have,
                known=len(steps),
            )
        is_recorded = check_applied(connection, steps[:have])
        if 0 < have < len(steps):
            back_up()
        if have == len(steps) and not is_recorded:
            _record(connection, steps)
        for step in steps[have:]:
            if have:
                opening.begin("migration", step.number - have, len(steps) - have)
            with (trace or Trace()).span("store.migration", before=step.number - 1, after=step.number):
                _apply(connection, step, steps[: step.number])
    return len(steps)


def check_applied(connection: apsw.Connection, applied: Sequence[Migration]) -> bool:
    """Check that the vault was made by the ``applied`` migrations.

    Returns whether it has them on record.

    Raises:
        VaultUnusableError: They are not; an unreleased Keepsake made the vault.
    """
    if not applied or _recorded(connection) == {_key(step): step.record for step in applied}:
        return True
    with translate_sqlite_errors():
        if objects_of(connection) == expected_objects([step.sql for step in applied]):
            return False
    raise VaultUnusableError(
        "This vault was made by an unreleased version of Keepsake, and its tables differ from those of every release."
        " Nothing was changed. 'keepsake salvage --into FOLDER' copies everything readable into a new vault.",
        schema=applied[-1].number,
        state="outdated",
    )


def _recorded(connection: apsw.Connection) -> dict[str, str]:
    if not _has_meta(connection):
        return {}
    rows = connection.execute("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (_KEY, _KEY + "~"))
    return {str(key): str(value) for key, value in rows}


def _record(connection: apsw.Connection, steps: Sequence[Migration]) -> None:
    if not _has_meta(connection):
        return
    for step in steps:
        meta.write(connection, _key(step), step.record)


def _has_meta(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'meta'").get)


def _key(step: Migration) -> str:
    return f"{_KEY}{step.number:04}"


def _check_owner(connection: apsw.Connection, have: int) -> None:
    owner = int(str(connection.pragma("application_id")))
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    if owner != APPLICATION_ID and (have or tables):
        raise VaultUnusableError("memory.db is the database of another program; nothing was changed.", state="foreign")


def _apply(connection: apsw.Connection, step: Migration, applied: Sequence[Migration]) -> None:
    try:
        _run(connection, step, applied)
    except (apsw.SQLError, apsw.ConstraintError, VaultDamagedError) as error:
        raise VaultUnusableError(
            Sentence(
                "This vault could not be brought up to date (step {step}). Nothing was changed. 'keepsake"
                " salvage --into FOLDER' copies everything readable into a new vault.",
                step=step.number,
            ),
            schema=step.number - 1,
            state="outdated",
            sqlite=type(error).__name__,
        ) from error


def _run(connection: apsw.Connection, step: Migration, applied: Sequence[Migration]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(step.sql)
        if step.number == _SMALL_VECTORS:
            vector_bytes.convert_tables(connection)
        _record(connection, applied)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", step.number)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def objects_of(connection: apsw.Connection) -> Objects:
    """Return type, name and SQL of all schema objects, without comments and layout."""
    rows = connection.execute("SELECT type, name, coalesce(sql, '') FROM main.sqlite_schema ORDER BY name")
    return frozenset(
        (str(kind), str(name), _plain(str(sql)))
        for kind, name, sql in rows
        if not str(name).startswith("sqlite_") and not _MADE_LATER.match(str(name))
    )


def expected_objects(scripts: Sequence[str]) -> Objects:
    """Return the schema that SQL ``scripts`` make, run in order on an empty database."""
    with closing(apsw.Connection(":memory:")) as scratch:
        register_schema_functions(scratch)
        for script in scripts:
            scratch.execute(script)
        return objects_of(scratch)


def _plain(sql: str) -> str:
    return _LOOSE.sub(r"\1", _SPACE.sub(" ", _COMMENT.sub(" ", sql))).strip()
