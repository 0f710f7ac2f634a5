"""Key file of a vault: its data key, wrapped by the passphrase.

A vault is encrypted with a random data key, so that a new passphrase only wraps that key anew. A copy lies beside the
backups, which cannot be read without it.
"""

import base64
import binascii
import hashlib
import json
import os
import secrets
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from app.core.files import from_os, replace_file
from app.core.regular_files import make_folder, open_for_reading
from app.encryption.data_key import BYTES, DataKey
from app.encryption.model import KEY_FILE, EncryptionState, problem_of
from app.errors import InputError, VaultDamagedError, VaultNewerError, WrongPassphraseError

COPIES: Final = "backups"
"""The folder in the vault with the second copy."""
_FORMAT: Final = "keepsake key"
_VERSION: Final = 1
_MOST: Final = 64 * 1024
_NONCE: Final = 12
_SALT: Final = 16
# scrypt as OWASP's Password Storage Cheat Sheet has it: 128 MiB, about a third of a second.
_COST, _BLOCK, _LANES = 1 << 17, 8, 1
_MAX_COST, _MAX_BLOCK, _MAX_LANES = 1 << 20, 16, 4  # what a planted file may ask for


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A key file as it was read.

    Args:
        id: Names the key, in the system's keyring too.
        state: How much of the vault is encrypted.
        cost: scrypt's N.
        block: scrypt's r.
        lanes: scrypt's p.
        salt: scrypt's salt.
        nonce: Nonce of the wrapping.
        wrapped: The data key under AES-256-GCM.
        is_in_keyring: The data key is in the system's keyring too.
    """

    id: str
    state: EncryptionState
    cost: int
    block: int
    lanes: int
    salt: bytes
    nonce: bytes
    wrapped: bytes
    is_in_keyring: bool = False

    def unwrap(self, passphrase: str) -> DataKey:
        """Return the data key.

        Raises:
            WrongPassphraseError: This is not the passphrase, or the file was changed.
        """
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415  (only encrypted vaults need it)
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        wrapping = _stretch(passphrase, self.salt, self.cost, self.block, self.lanes)
        try:
            return DataKey(AESGCM(wrapping).decrypt(self.nonce, self.wrapped, _bound_to(self.id)))
        except InvalidTag:
            raise WrongPassphraseError("This is not the passphrase of these memories. Try again.") from None

    def rewrap(self, key: DataKey, passphrase: str) -> "KeyFile":
        """Return the file with the same data key under another passphrase.

        Raises:
            InputError: The passphrase cannot be used.
        """
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        if problem := problem_of(passphrase):
            raise InputError(problem, field="passphrase")
        salt, nonce = secrets.token_bytes(_SALT), secrets.token_bytes(_NONCE)
        wrapping = _stretch(passphrase, salt, _COST, _BLOCK, _LANES)
        wrapped = AESGCM(wrapping).encrypt(nonce, key.secret, _bound_to(self.id))
        return replace(self, cost=_COST, block=_BLOCK, lanes=_LANES, salt=salt, nonce=nonce, wrapped=wrapped)


def new_key(passphrase: str) -> tuple[KeyFile, DataKey]:
    """Return a new data key with the key file for a vault.

    Raises:
        InputError: The passphrase cannot be used.
    """
    key = DataKey(secrets.token_bytes(BYTES))
    empty = KeyFile("key-" + secrets.token_hex(8), EncryptionState.ENCRYPTING, 0, 0, 0, b"", b"", b"")
    return empty.rewrap(key, passphrase), key


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


def _stretch(passphrase: str, salt: bytes, cost: int, block: int, lanes: int) -> bytes:
    # One passphrase, however the keyboard composes its letters.
    typed = unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogatepass")
    room = 128 * block * (cost + lanes + 2) + (1 << 20)
    return hashlib.scrypt(typed, salt=salt, n=cost, r=block, p=lanes, maxmem=room, dklen=BYTES)


def _bound_to(key_id: str) -> bytes:
    return f"{_FORMAT} {_VERSION} {key_id}".encode()


def _as_bytes(file: KeyFile) -> bytes:
    def text(data: bytes) -> str:
        return base64.b64encode(data).decode()

    made = {
        "format": _FORMAT,
        "version": _VERSION,
        "id": file.id,
        "state": file.state.value,
        "keyring": file.is_in_keyring,
        "kdf": {"name": "scrypt", "n": file.cost, "r": file.block, "p": file.lanes, "salt": text(file.salt)},
        "key": {"cipher": "aes-256-gcm", "nonce": text(file.nonce), "data": text(file.wrapped)},
    }
    return json.dumps(made, indent=2).encode() + b"\n"


def _parsed(data: bytes) -> KeyFile:
    found: dict[str, Any] = json.loads(data)
    if found["format"] != _FORMAT:
        raise ValueError(found["format"])
    if found["version"] != _VERSION:
        raise VaultNewerError("These memories were encrypted by a newer Keepsake. Update Keepsake to open them.")
    kdf, key = found["kdf"], found["key"]
    cost, block, lanes = int(kdf["n"]), int(kdf["r"]), int(kdf["p"])
    is_bounded = 1 < cost <= _MAX_COST and 1 <= block <= _MAX_BLOCK and 1 <= lanes <= _MAX_LANES
    if kdf["name"] != "scrypt" or key["cipher"] != "aes-256-gcm" or not is_bounded or cost & (cost - 1):
        raise ValueError(kdf["name"])
    return KeyFile(
        id=str(found["id"]),
        state=EncryptionState(found["state"]),
        cost=cost,
        block=block,
        lanes=lanes,
        salt=base64.b64decode(kdf["salt"], validate=True),
        nonce=base64.b64decode(key["nonce"], validate=True),
        wrapped=base64.b64decode(key["data"], validate=True),
        is_in_keyring=found.get("keyring") is True,
    )
