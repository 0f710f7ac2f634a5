"""Encrypted vaults for tests, where SQLite can encrypt."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.encryption import wrapped_key
from app.encryption.vault_keys import drop_key
from app.store.encryption import cipher

PASSPHRASE = "correct horse battery"

COST = wrapped_key.COST
"""scrypt's N of the program, which takes a third of a second for each passphrase."""
LIGHT_COST = 1 << 10

needs_cipher = pytest.mark.skipif(
    not cipher.is_available(), reason="needs SQLite with ciphers (the package apsw-sqlite3mc)"
)


@pytest.fixture(autouse=True, scope="session")
def _stretch_lightly() -> Iterator[None]:
    """Stretch passphrases lightly in the process of the tests; programs that tests start do as the person's do."""
    wrapped_key.COST = LIGHT_COST
    yield
    wrapped_key.COST = COST


def files_with(folder: Path, text: str) -> list[str]:
    """Return the files below a folder whose bytes or names have ``text``."""
    data = text.encode()
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return [str(path.relative_to(folder)) for path in files if data in path.read_bytes() or text in path.name]


def locked(vault: Path) -> Path:
    """Return the vault with its key forgotten in this process."""
    drop_key(vault)
    return vault
