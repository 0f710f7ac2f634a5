"""Keys of the vaults that are unlocked in this process.

Every file of a vault tells by its first bytes whether it is encrypted; its key is found by the folder it lies in. So
backups, copies and the vaults of isolated agents, which lie within a vault, are opened with the vault's key.
"""

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.encryption.data_key import DataKey
from app.encryption.key_file import COPIES, KeyFile, has_key_file, read_key_file
from app.encryption.model import EncryptionState
from app.errors import PassphraseRequiredError, VaultUnusableError
from app.sentence import Sentence

_DEPTH: Final = 6  # from a backup of an isolated agent's vault up to the vault, with room


@dataclass(frozen=True, slots=True)
class _Unlocked:
    """An unlocked vault, as its key file was when that was verified.

    What happens to the key file on the disk later changes nothing in this process.
    """

    key: DataKey
    is_plain_expected: bool
    are_new_files_plain: bool


_lock = threading.Lock()
_open: dict[Path, _Unlocked] = {}


def keep_key(vault: Path, key: DataKey, file: KeyFile) -> None:
    """Keep the key of a vault until ``drop_key``.

    Args:
        vault: The vault's folder.
        key: Its data key.
        file: Its key file, which was verified; it says whether plain files are expected and made.
    """
    is_waiting = file.state is EncryptionState.ENCRYPTING and not file.has_begun
    unlocked = _Unlocked(
        key, is_plain_expected=file.state is not EncryptionState.ENCRYPTED, are_new_files_plain=is_waiting
    )
    with _lock:
        _open[vault.absolute()] = unlocked


def drop_key(vault: Path) -> None:
    """Forget the key of a vault; what is open stays open."""
    with _lock:
        _open.pop(vault.absolute(), None)


def is_unlocked(vault: Path) -> bool:
    """Return whether this process has the key of the vault."""
    return _unlocked(vault) is not None


def unlock(vault: Path, passphrase: str) -> None:
    """Unlock a vault with its passphrase; a plain one needs none.

    Takes about a third of a second and 128 MiB.

    Raises:
        WrongPassphraseError: This is not the passphrase.
        VaultDamagedError: The key file was changed.
        MachineError: The key file cannot be read.
    """
    file = read_key_file(vault)
    if file is not None:
        keep_key(vault, file.unwrap(passphrase), file)


def encrypted_vault_of(path: Path) -> Path | None:
    """Return the encrypted vault that a file lies in, ``None`` where it lies in none.

    One that is unlocked stays encrypted when its key file is taken away.
    """
    above = path.absolute().parents[:_DEPTH]
    # The copy beside the backups is the key of the folder above.
    return next(
        (folder for folder in above if folder.name != COPIES and (is_unlocked(folder) or has_key_file(folder))), None
    )


def require_key(vault: Path) -> DataKey:
    """Return the key of an encrypted vault.

    Raises:
        PassphraseRequiredError: It is locked.
    """
    unlocked = _unlocked(vault)
    if unlocked is None:
        raise PassphraseRequiredError(
            "These memories are encrypted. Open Keepsake and type the passphrase, or run 'keepsake serve'.",
            path=str(vault),
        )
    return unlocked.key


def key_for_new_file(path: Path) -> DataKey | None:
    """Return the key for a new file at ``path``, ``None`` in a plain vault.

    Where an encryption has not begun, new files are plain like those that are there.

    Raises:
        PassphraseRequiredError: Its vault is locked.
    """
    vault = encrypted_vault_of(path)
    if vault is None:
        return None
    if (unlocked := _unlocked(vault)) is not None:
        return None if unlocked.are_new_files_plain else unlocked.key
    file = read_key_file(vault)
    # Who has no key can read only what is plain anyway, so a changed key file has nothing to gain here.
    is_waiting = file is not None and file.state is EncryptionState.ENCRYPTING and not file.has_begun
    return None if file is None or is_waiting else require_key(vault)


def key_for_encrypted_file(path: Path) -> DataKey | None:
    """Return the key of an encrypted file, ``None`` outside encrypted vaults.

    Raises:
        PassphraseRequiredError: Its vault is locked.
    """
    vault = encrypted_vault_of(path)
    return None if vault is None else require_key(vault)


def is_plain_expected(path: Path) -> bool:
    """Return whether a plain file may lie at ``path``.

    Its vault is plain, or is being converted.
    """
    vault = encrypted_vault_of(path)
    if vault is None:
        return True
    if (unlocked := _unlocked(vault)) is not None:
        return unlocked.is_plain_expected
    file = read_key_file(vault)
    return file is None or file.state is not EncryptionState.ENCRYPTED


def require_plain_expected(path: Path) -> None:
    """Refuse a plain file in an encrypted vault, into which something else has put it.

    Raises:
        VaultUnusableError: It is one.
    """
    if not is_plain_expected(path):
        raise VaultUnusableError(
            Sentence(
                "{path} is not encrypted, and these memories are: another program has put it there."
                " Nothing was read from it or written to it. Move it out of the folder and put the"
                " encrypted one back; a plain copy that you trust is taken over with 'keepsake backup"
                " restore' and its path.",
                path=path,
            ),
            path=str(path),
            state="plain",
        )


def _unlocked(vault: Path) -> _Unlocked | None:
    with _lock:
        return _open.get(vault.absolute())
