"""Key file of a vault: its data key, wrapped by the passphrase.

A vault is encrypted with a random data key, so that a new passphrase only wraps that key anew. A copy lies beside the
backups, which cannot be read without it.
"""

import binascii
import json
import os
import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from app.core.files import from_os, replace_file
from app.core.regular_files import make_folder, open_for_reading
from app.encryption.data_key import BYTES, DataKey
from app.encryption.model import KEY_FILE, EncryptionState
from app.encryption.wrapped_key import WrappedKey, from_fields, wrap
from app.errors import VaultDamagedError, VaultNewerError

COPIES: Final = "backups"
"""The folder in the vault with the second copy."""
_FORMAT: Final = "keepsake key"
_VERSION: Final = 1
_MOST: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A key file as it was read.

    Args:
        id: Names the key, in the system's keyring too.
        state: How much of the vault is encrypted.
        wrapped: The data key under the passphrase.
        is_in_keyring: The data key is in the system's keyring too.
        has_begun: A file may be encrypted with it; before that an encryption can be called off.
    """

    id: str
    state: EncryptionState
    wrapped: WrappedKey
    is_in_keyring: bool = False
    has_begun: bool = True

    def unwrap(self, passphrase: str) -> DataKey:
        """Return the data key.

        Raises:
            WrongPassphraseError: This is not the passphrase, or the file was changed.
        """
        return DataKey(self.wrapped.unwrap(passphrase, _bound_to(self.id)))

    def rewrap(self, key: DataKey, passphrase: str) -> "KeyFile":
        """Return the file with the same data key under another passphrase.

        Raises:
            InputError: The passphrase cannot be used.
        """
        return replace(self, wrapped=wrap(key.secret, passphrase, _bound_to(self.id)))


def new_key(passphrase: str) -> tuple[KeyFile, DataKey]:
    """Return a new data key with the key file for a vault.

    Raises:
        InputError: The passphrase cannot be used.
    """
    key = DataKey(secrets.token_bytes(BYTES))
    key_id = "key-" + secrets.token_hex(8)
    return KeyFile(
        key_id, EncryptionState.ENCRYPTING, wrap(key.secret, passphrase, _bound_to(key_id)), has_begun=False
    ), key


def has_key_file(vault: Path) -> bool:
    """Return whether the vault is encrypted, or about to be."""
    return any(os.path.lexists(path) for path in _places(vault))


def read_key_file(vault: Path) -> KeyFile | None:
    """Return the key file of a vault, ``None`` where it is not encrypted.

    Raises:
        VaultDamagedError: It is there and cannot be read.
        VaultNewerError: It is from a newer Keepsake.
        MachineError: It is a link, or the disk refuses.
    """
    damaged: VaultDamagedError | None = None
    for path in _places(vault):
        try:
            with open_for_reading(path) as file:
                return _parsed(file.read(_MOST))
        except FileNotFoundError:
            continue
        except OSError as error:
            raise from_os(error, path) from error
        except (ValueError, KeyError, TypeError, binascii.Error):
            damaged = VaultDamagedError(
                f"{path} is damaged. It holds the key of these memories: bring it back from a copy of the folder.",
                path=str(path),
                state="key",
            )
    if damaged is not None:
        raise damaged
    return None


def write_key_file(vault: Path, file: KeyFile) -> None:
    """Write the key file and its copy, each whole or not at all.

    Raises:
        MachineError: It cannot be written; the vault opens as before.
    """
    data = _as_bytes(file)
    first, second = _places(vault)
    try:
        make_folder(second.parent)
    except OSError as error:
        raise from_os(error, second) from error
    # The copy first: what is read first is then never newer than what is left when it is lost.
    for path in (second, first):
        replace_file(path, data)


def remove_key_file(vault: Path) -> None:
    """Delete the key file and its copy: nothing of the vault is encrypted any more."""
    for path in reversed(_places(vault)):
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise from_os(error, path) from error


def _places(vault: Path) -> tuple[Path, Path]:
    return vault / KEY_FILE, vault / COPIES / KEY_FILE


def _bound_to(key_id: str) -> bytes:
    return f"{_FORMAT} {_VERSION} {key_id}".encode()


def _as_bytes(file: KeyFile) -> bytes:
    made = {
        "format": _FORMAT,
        "version": _VERSION,
        "id": file.id,
        "state": file.state.value,
        "keyring": file.is_in_keyring,
        "begun": file.has_begun,
        **file.wrapped.fields(),
    }
    return json.dumps(made, indent=2).encode() + b"\n"


def _parsed(data: bytes) -> KeyFile:
    found: dict[str, Any] = json.loads(data)
    if found["format"] != _FORMAT:
        raise ValueError(found["format"])
    if found["version"] != _VERSION:
        raise VaultNewerError("These memories were encrypted by a newer Keepsake. Update Keepsake to open them.")
    return KeyFile(
        id=str(found["id"]),
        state=EncryptionState(found["state"]),
        wrapped=from_fields(found),
        is_in_keyring=found.get("keyring") is True,
        has_begun=found.get("begun") is not False,
    )
