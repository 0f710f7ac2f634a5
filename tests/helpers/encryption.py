"""Encrypted vaults for tests, where SQLite can encrypt."""

from pathlib import Path

import pytest

from app.encryption.vault_keys import drop_key
from app.store.encryption import cipher

PASSPHRASE = "correct horse battery"

needs_cipher = pytest.mark.skipif(
    not cipher.is_available(), reason="needs SQLite with ciphers (the package apsw-sqlite3mc)"
)


def files_with(folder: Path, text: str) -> list[str]:
    """Return the files below a folder whose bytes or names have ``text``."""
    data = text.encode()
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return [str(path.relative_to(folder)) for path in files if data in path.read_bytes() or text in path.name]


def locked(vault: Path) -> Path:
    """Return the vault with its key forgotten in this process."""
    drop_key(vault)
    return vault
