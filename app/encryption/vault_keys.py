"""Keys of the vaults that are unlocked in this process.

Every file of a vault tells by its first bytes whether it is encrypted; its key is found by the folder it lies in. So
backups, copies and the vaults of isolated agents, which lie within a vault, are opened with the vault's key.
"""

import threading
from pathlib import Path
from typing import Final

from app.encryption.data_key import DataKey
from app.encryption.key_file import COPIES, has_key_file, read_key_file
from app.encryption.model import EncryptionState
from app.errors import PassphraseRequiredError

_DEPTH: Final = 6  # from a backup of an isolated agent's vault up to the vault, with room

_lock = threading.Lock()
_open: dict[Path, DataKey] = {}


def keep_key(vault: Path, key: DataKey) -> None:
    """Keep the key of a vault until ``drop_key``."""
    with _lock:
        _open[vault.absolute()] = key


def drop_key(vault: Path) -> None:
    """Forget the key of a vault; what is open stays open."""
    with _lock:
        _open.pop(vault.absolute(), None)


def is_unlocked(vault: Path) -> bool:
    """Return whether this process has the key of the vault."""
    with _lock:
        return vault.absolute() in _open


def unlock(vault: Path, passphrase: str) -> None:
    """Unlock a vault with its passphrase; a plain one needs none.

    Takes about a third of a second and 128 MiB.

    Raises:
        WrongPassphraseError: This is not the passphrase.
        MachineError: The key file cannot be read.
    """
    file = read_key_file(vault)
    if file is not None:
        keep_key(vault, file.unwrap(passphrase))


def encrypted_vault_of(path: Path) -> Path | None:
    """Return the encrypted vault that a file lies in, ``None`` where it lies in none."""
    above = path.absolute().parents[:_DEPTH]
    # The copy beside the backups is the key of the folder above.
    return next((folder for folder in above if folder.name != COPIES and has_key_file(folder)), None)


def require_key(vault: Path) -> DataKey:
    """Return the key of an encrypted vault.

    Raises:
        PassphraseRequiredError: It is locked.
    """
    with _lock:
        key = _open.get(vault.absolute())
    if key is None:
        raise PassphraseRequiredError(
            "These memories are encrypted. Open Keepsake and type the passphrase, or run 'keepsake serve'.",
            path=str(vault),
        )
    return key


def key_for_new_file(path: Path) -> DataKey | None:
    """Return the key for a new file at ``path``, ``None`` in a plain vault.

    Where an encryption has not begun, new files are plain like those that are there.

    Raises:
        PassphraseRequiredError: Its vault is locked.
    """
    vault = encrypted_vault_of(path)
    if vault is None:
        return None
    file = read_key_file(vault)
    if file is None or file.state is EncryptionState.DECRYPTING:
        return None
    if file.state is EncryptionState.ENCRYPTING and not file.has_begun:
        return None
    return require_key(vault)


def key_for_encrypted_file(path: Path) -> DataKey | None:
    """Return the key of an encrypted file, ``None`` outside encrypted vaults.

    Raises:
        PassphraseRequiredError: Its vault is locked.
    """
    vault = encrypted_vault_of(path)
    return None if vault is None else require_key(vault)
