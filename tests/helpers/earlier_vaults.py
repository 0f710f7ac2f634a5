"""Vaults of earlier schemas."""

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from app.core.paths import migrations
from app.store.connection import create_file, open_writer
from app.store.migrate import migrate
from app.store.store import DATABASE


@contextmanager
def vault_before(migration: str, folder: Path) -> Iterator[apsw.Connection]:
    """Make a vault as it was before a migration, and yield its database to be filled.

    Args:
        migration: The name of the migration without its number.
        folder: The vault's folder, which is made.
    """
    steps = folder.with_name(f"{folder.name}-migrations")
    steps.mkdir()
    (own_step,) = migrations().glob(f"*_{migration}.sql")
    for path in migrations().glob("*.sql"):
        if path.name < own_step.name:
            shutil.copy(path, steps / path.name)
    folder.mkdir(mode=0o700)
    create_file(folder / DATABASE)
    with closing(open_writer(folder / DATABASE)) as connection:
        migrate(connection, steps, lambda: None)
        with connection:
            yield connection
