"""Key file of a vault: its data key, wrapped by the passphrase.

A vault is encrypted with a random data key, so that a new passphrase only wraps that key anew. A copy lies beside the
backups, which cannot be read without it. A tag under a key derived from the data key covers every field: a program that
can write the folder and does not know the passphrase cannot have the vault decrypted by changing a word.
"""

import binascii
import hashlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from app.core.files import from_os, replace_file
from app.core.regular_files import make_folder, open_for_reading
from app.encryption.data_key import BYTES, DataKey
from app.encryption.model import KEY_FILE, EncryptionState
from app.encryption.wrapped_key import WrappedKey, from_fields, wrap, wrap_again
from app.errors import VaultDamagedError, VaultNewerError
from app.sentence import Sentence

COPIES: Final = "backups"
"""The folder in the vault with the second copy."""
_FORMAT: Final = "keepsake key"
_VERSION: Final = 2
_UNTAGGED: Final = 1
"""The version without a tag. The wrapped key is bound to its version, so that no file can be made one of these."""
_TAG: Final = "mac"
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
        request: Names the request for a decryption, ``""`` where there is none; see ``app.encryption.requests``.
        version: Version of its format.
        content: The fields that were read, as the tag covers them.
        tag: The tag that was read.
    """

    id: str
    state: EncryptionState
    wrapped: WrappedKey
    is_in_keyring: bool = False
    has_begun: bool = True
    request: str = ""
    version: int = _VERSION
    content: bytes = field(default=b"", compare=False, repr=False)
    tag: str = field(default="", compare=False, repr=False)

    @property
    def is_tagged(self) -> bool:
        """True where a tag covers the file, as in all but the first version."""
        return self.version != _UNTAGGED

    def unwrap(self, passphrase: str) -> DataKey:
        """Return the data key.

        Raises:
            WrongPassphraseError: This is not the passphrase, or the wrapped key was changed.
            VaultDamagedError: Something else of the file was changed.
        """
        key = DataKey(self.wrapped.unwrap(passphrase, _bound_to(self.id, self.version)))
        self.require_unchanged(key)
        return key

    def require_unchanged(self, key: DataKey) -> None:
        """Refuse a file, as it was read, that was changed without the key.

        Raises:
            VaultDamagedError: It was changed.
        """
        if self.is_tagged and not hmac.compare_digest(
            _tag_of(self.content, key).encode(), self.tag.encode("utf-8", "replace")
        ):
            raise VaultDamagedError(
                Sentence(
                    "{key_file} of these memories was changed, and not by Keepsake. Nothing was opened."
                    " Put a copy in its place that Keepsake wrote: {copies}/{key_file} in the same folder,"
                    " or one of an older copy of the folder.",
                    key_file=KEY_FILE,
                    copies=COPIES,
                ),
                state="key-changed",
            )

    def rewrap(self, key: DataKey, passphrase: str) -> "KeyFile":
        """Return the file with the same data key under another passphrase.

        Raises:
            InputError: The passphrase cannot be used.
        """
        return replace(self, version=_VERSION, wrapped=wrap(key.secret, passphrase, _bound_to(self.id)))

    def with_tag(self, key: DataKey, passphrase: str) -> "KeyFile":
        """Return a file of an earlier version as one that a tag can cover."""
        return replace(self, version=_VERSION, wrapped=wrap_again(key.secret, passphrase, _bound_to(self.id)))


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
        except (ValueError, KeyError, TypeError, RecursionError, binascii.Error):
            damaged = VaultDamagedError(
                Sentence(
                    "{path} is damaged. It holds the key of these memories: bring it back from a copy of the folder.",
                    path=path,
                ),
                path=str(path),
                state="key",
            )
    if damaged is not None:
        raise damaged
    return None


def write_key_file(vault: Path, file: KeyFile, key: DataKey) -> None:
    """Write the key file and its copy, each whole or not at all.

    Args:
        vault: The vault's folder.
        file: What to write.
        key: The data key, under which the fields get their tag.

    Raises:
        MachineError: It cannot be written; the vault opens as before.
    """
    data = _as_bytes(file, key)
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


def _bound_to(key_id: str, version: int = _VERSION) -> bytes:
    return f"{_FORMAT} {version} {key_id}".encode()


def _as_bytes(file: KeyFile, key: DataKey) -> bytes:
    fields = {
        "format": _FORMAT,
        "version": file.version,
        "id": file.id,
        "state": file.state.value,
        "keyring": file.is_in_keyring,
        "begun": file.has_begun,
        "request": file.request,
        **file.wrapped.fields(),
    }
    if file.is_tagged:
        fields[_TAG] = _tag_of(_content(fields), key)
    return json.dumps(fields, indent=2).encode() + b"\n"


def _content(fields: dict[str, Any]) -> bytes:
    return json.dumps({name: fields[name] for name in fields if name != _TAG}, sort_keys=True).encode()


def _tag_of(content: bytes, key: DataKey) -> str:
    return hmac.new(key.key_file, content, hashlib.sha256).hexdigest()


def _parsed(data: bytes) -> KeyFile:
    fields: dict[str, Any] = json.loads(data)
    if fields["format"] != _FORMAT:
        raise ValueError(fields["format"])
    version = fields["version"]
    if version not in {_UNTAGGED, _VERSION}:
        raise VaultNewerError("These memories were encrypted by a newer Keepsake. Update Keepsake to open them.")
    if not str(fields["id"]).isascii():
        raise ValueError(fields["id"])
    return KeyFile(
        id=str(fields["id"]),
        state=EncryptionState(fields["state"]),
        wrapped=from_fields(fields),
        is_in_keyring=fields.get("keyring") is True,
        has_begun=fields.get("begun") is not False,
        request="" if version == _UNTAGGED else str(fields.get("request") or ""),
        version=version,
        content=_content(fields),
        tag=str(fields.get(_TAG)),
    )
