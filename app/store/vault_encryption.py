"""Encryption of a vault: its passphrase, and the ways to its key."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from app.config.keyring import Keyring
from app.core.files import from_os
from app.encryption.data_key import BYTES, DataKey
from app.encryption.key_file import (
    KeyFile,
    new_key,
    read_key_file,
    remove_key_file,
    write_key_file,
)
from app.encryption.model import EncryptionState, EncryptionStatus
from app.encryption.vault_keys import drop_key, is_unlocked, keep_key, unlock
from app.errors import InputError, KeyringUnavailableError, WrongPassphraseError
from app.store.cipher import CIPHER, is_available
from app.store.lock import VaultLock
from app.store.vault_conversion import begin

VARIABLE: Final = "KEEPSAKE_PASSPHRASE"
"""The environment variable that opens a vault where nobody can type."""


class VaultEncryption:
    """Encryption of the vault at a folder.

    Calls block: the passphrase takes a third of a second, the keyring may wait for the person.

    Args:
        vault: The vault's folder.
        keyring: The system's keyring.
    """

    def __init__(self, vault: Path, keyring: Keyring | None = None) -> None:
        self._vault = vault.absolute()
        self._keyring = keyring or Keyring()

    def status(self) -> EncryptionStatus:
        """Return how much of the vault is encrypted, and whether it is unlocked here.

        Raises:
            MachineError: The key file cannot be read.
        """
        file = read_key_file(self._vault)
        return EncryptionStatus(
            state=EncryptionState.NONE if file is None else file.state,
            is_available=is_available(),
            is_unlocked=is_unlocked(self._vault),
            is_in_keyring=file is not None and file.is_in_keyring,
            cipher="" if file is None else CIPHER,
        )

    def encrypt(self, passphrase: str, *, is_open: bool = False) -> None:
        """Have the next opening encrypt the vault, or finish doing so.

        Args:
            passphrase: What will open it.
            is_open: This process has the vault open; else it must be closed.

        Raises:
            InputError: It is encrypted already, or the passphrase cannot be used.
            WrongPassphraseError: This is not the passphrase of the encryption that was cut off.
            VaultLockedError: A Keepsake has it open.
            EncryptionUnavailableError: This SQLite cannot encrypt.
            DiskFullError: There is no room for it.
        """
        with self._locked(is_open=is_open):
            pending = read_key_file(self._vault)
            if pending is not None and pending.state is EncryptionState.ENCRYPTING:
                keep_key(self._vault, pending.unwrap(passphrase))
                return
            if pending is not None:
                raise InputError("These memories are encrypted already.")
            file, key = new_key(passphrase)
            begin(self._vault, file)
            keep_key(self._vault, key)

    def decrypt(self, passphrase: str, *, is_open: bool = False) -> None:
        """Have the next opening decrypt the vault, also one whose encryption has not begun.

        Args:
            passphrase: The vault's passphrase.
            is_open: This process has the vault open; else it must be closed.

        Raises:
            InputError: It is not encrypted.
            WrongPassphraseError: This is not the passphrase.
            VaultLockedError: A Keepsake has it open.
            DiskFullError: There is no room for it.
        """
        with self._locked(is_open=is_open):
            file = self._file()
            key = file.unwrap(passphrase)
            self._forget(file)
            begin(self._vault, replace(file, state=EncryptionState.DECRYPTING, is_in_keyring=False))
            keep_key(self._vault, key)

    def cancel(self, *, is_open: bool = False) -> None:
        """Call off an encryption of which no file is encrypted yet; it needs no passphrase.

        Args:
            is_open: This process has the vault open; else it must be closed.

        Raises:
            InputError: There is none, or it has begun.
            VaultLockedError: A Keepsake has it open.
            MachineError: The key file cannot be removed.
        """
        with self._locked(is_open=is_open):
            file = self._file()
            if file.state is not EncryptionState.ENCRYPTING:
                raise InputError("There is no encryption to call off. To decrypt these memories, use the passphrase.")
            if file.has_begun:
                raise InputError(
                    "The encryption has begun, so it cannot be called off any more. Open Keepsake with the passphrase;"
                    " when everything is encrypted, it can be decrypted."
                )
            with suppress(KeyringUnavailableError):  # what is left there opens nothing
                self._forget(file)
            remove_key_file(self._vault)
            drop_key(self._vault)

    def change(self, old: str, new: str) -> None:
        """Put another passphrase in the place of the old one; the vault may be open.

        Raises:
            InputError: It is not encrypted, or the new passphrase cannot be used.
            WrongPassphraseError: The old one is not the passphrase.
        """
        file = self._file()
        write_key_file(self._vault, file.rewrap(file.unwrap(old), new))

    def unlock(self, passphrase: str) -> None:
        """Keep the key for this process.

        Raises:
            WrongPassphraseError: This is not the passphrase.
        """
        unlock(self._vault, passphrase)

    def lock(self) -> None:
        """Forget the key in this process; the vault must be closed."""
        drop_key(self._vault)

    def remember(self, passphrase: str) -> None:
        """Put the key into the system's keyring, for this account's next starts.

        Raises:
            WrongPassphraseError: This is not the passphrase.
            KeyringUnavailableError: There is no keyring, or it refuses.
        """
        file = self._file()
        self._keyring.write(_secret_of(file), file.unwrap(passphrase).secret.hex())
        write_key_file(self._vault, replace(file, is_in_keyring=True))

    def forget(self) -> None:
        """Take the key out of the system's keyring.

        Raises:
            KeyringUnavailableError: It refuses.
        """
        file = self._file()
        self._forget(file)
        write_key_file(self._vault, replace(file, is_in_keyring=False))

    def unlock_unattended(self, environment: Mapping[str, str]) -> None:
        """Unlock the vault with the environment's passphrase or the keyring's key.

        A keyring that fails leaves it locked.

        Args:
            environment: May hold the passphrase as ``KEEPSAKE_PASSPHRASE``.

        Raises:
            WrongPassphraseError: The environment's passphrase is not the vault's.
            MachineError: The key file cannot be read.
        """
        file = read_key_file(self._vault)
        if file is None or is_unlocked(self._vault):
            return
        if passphrase := environment.get(VARIABLE, ""):
            try:
                keep_key(self._vault, file.unwrap(passphrase))
            except WrongPassphraseError:
                raise WrongPassphraseError(f"The passphrase in {VARIABLE} is not that of these memories.") from None
        elif file.is_in_keyring:
            with suppress(KeyringUnavailableError, ValueError):  # the passphrase can still be typed
                secret = bytes.fromhex(self._keyring.read(_secret_of(file)))
                if len(secret) == BYTES:
                    keep_key(self._vault, DataKey(secret))

    def _file(self) -> KeyFile:
        file = read_key_file(self._vault)
        if file is None:
            raise InputError("These memories are not encrypted.")
        return file

    def _forget(self, file: KeyFile) -> None:
        if file.is_in_keyring:
            self._keyring.remove(_secret_of(file))

    @contextmanager
    def _locked(self, *, is_open: bool) -> Iterator[None]:
        if is_open:
            yield
            return
        try:
            self._vault.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise from_os(error, self._vault) from error
        lock = VaultLock(self._vault).acquire()
        try:
            yield
        finally:
            lock.release()


def _secret_of(file: KeyFile) -> str:
    return f"vault {file.id}"
