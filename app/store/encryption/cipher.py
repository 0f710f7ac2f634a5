"""Cipher of database files: the key that a connection needs, by the file it opens."""

from pathlib import Path
from typing import Final

import apsw

from app.encryption.data_key import DataKey
from app.encryption.vault_keys import key_for_encrypted_file, key_for_new_file, require_plain_expected
from app.errors import EncryptionUnavailableError
from app.store.files.database_file import LOCKLESS_VFS, SYSTEM_VFS, open_database_file

CIPHER: Final = "chacha20"  # ChaCha20 with a Poly1305 tag for each page: what is changed on the disk is noticed
_CIPHER_VFS: Final = "multipleciphers-"  # of SQLite3 Multiple Ciphers, which adds the name of the layer below
PLAIN_HEADER: Final = b"SQLite format 3\x00"


def is_available() -> bool:
    """Return whether this SQLite can encrypt, as that of the package ``apsw-sqlite3mc`` can."""
    return hasattr(apsw, "mc_version")


def require_available() -> None:
    """Refuse to encrypt with a SQLite that cannot.

    Raises:
        EncryptionUnavailableError: The sentence says what to install.
    """
    if not is_available():
        raise EncryptionUnavailableError(
            "This installation of Keepsake cannot encrypt: the package apsw has taken the place of apsw-sqlite3mc."
            " Remove both (pip uninstall apsw apsw-sqlite3mc) and install Keepsake's wheel again, or use one of its"
            " packages."
        )


def beginning_of(path: Path) -> bytes:
    """Return the first bytes of a file, none where it is empty or missing."""
    try:
        with open_database_file(path) as file:
            return file.read(len(PLAIN_HEADER))
    except OSError:
        return b""  # SQLite says why it cannot be opened


def key_of(path: Path) -> DataKey | None:
    """Return the key of a database file, or the one for a new file.

    ``None`` where it is plain.

    Raises:
        PassphraseRequiredError: Its vault is locked.
        VaultUnusableError: It is plain, and its vault is encrypted.
    """
    beginning = beginning_of(path)
    if beginning == PLAIN_HEADER:
        require_plain_expected(path)
        return None
    return key_for_encrypted_file(path) if beginning else key_for_new_file(path)


def vfs_for(key: DataKey | None, *, is_lockless: bool = False) -> str:
    """Return the file layer of SQLite that a database with this key is opened through.

    A plain database goes through the system's own: that of the ciphers hides read errors of plain pages, so a writer
    takes what it could not read for empty and damages the file.

    Args:
        key: The database's key, ``None`` where it is plain.
        is_lockless: Without locks, which is safe only where nobody can write.
    """
    layer = LOCKLESS_VFS if is_lockless else SYSTEM_VFS
    return layer if key is None else _CIPHER_VFS + layer


def apply_key(connection: apsw.Connection, key: DataKey | None) -> None:
    """Give a connection the key of its file, before anything is read."""
    if key is not None:
        connection.pragma("cipher", CIPHER)
        # A raw key: it is random, so no iterations are spent on it, for each of many connections.
        connection.pragma("key", f"raw:{key.database.hex()}")


def vacuum_into(connection: apsw.Connection, path: Path, key: DataKey | None) -> None:
    """Copy a database to ``path``, which is empty or missing.

    Args:
        connection: The source, opened with ``SQLITE_OPEN_URI``.
        path: The file to make.
        key: Encrypts the copy; it is plain when ``None``.

    Raises:
        apsw.Error: It failed; the message does not repeat the key, which SQLite's own does.
    """
    written = path.absolute().as_uri()
    # Without a file layer of its own, the copy would go through that of the source, which may know no ciphers.
    name = f"{written}?vfs={vfs_for(key)}"
    name += "&key=" if key is None else f"&cipher={CIPHER}&key=raw:{key.database.hex()}"
    was_query_only = connection.pragma("query_only")
    connection.pragma("query_only", False)  # the copy counts as a change
    try:
        connection.execute("VACUUM INTO ?", (name,))
    except apsw.Error as error:
        failed = _without_key(error)
    else:
        return
    finally:
        connection.pragma("query_only", was_query_only)
    raise failed


def _without_key(error: apsw.Error) -> apsw.Error:
    failure = type(error)("the copy could not be made")
    for name in ("result", "extendedresult"):
        setattr(failure, name, getattr(error, name, 0))
    return failure
