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
from app.encryption.model import KEY_FILE, EncryptionState, EncryptionStatus
from app.encryption.requests import is_noted, new_request, remove_request
from app.encryption.vault_keys import drop_key, is_unlocked, keep_key, require_key
from app.errors import (
    DiskFullError,
    InputError,
    KeyringUnavailableError,
    PassphraseRequiredError,
    VaultReadOnlyError,
    WrongPassphraseError,
)
from app.sentence import Sentence
from app.store.encryption.cipher import CIPHER, is_available
from app.store.encryption.vault_conversion import begin, holds_encrypted_files
from app.store.lock import VaultLock

_INSTEAD: Final = "Open these memories with their passphrase, as before; nothing was changed."
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
        self._keyring = keyring or Keyring(instead=_INSTEAD)

    def status(self) -> EncryptionStatus:
        """Return how much of the vault is encrypted, and whether it is unlocked here.

        Raises:
            MachineError: The key file cannot be read.
            VaultDamagedError: It was changed, which shows where the vault is unlocked.
        """
        file = read_key_file(self._vault)
        if file is not None and is_unlocked(self._vault):
            file.require_unchanged(require_key(self._vault))
        return EncryptionStatus(
            state=EncryptionState.NONE if file is None else file.state,
            is_available=is_available(),
            is_unlocked=is_unlocked(self._vault),
            is_in_keyring=file is not None and file.is_in_keyring,
            cipher="" if file is None else CIPHER,
        )

    def encrypt(self, passphrase: str, *, is_open: bool = False) -> None:
        """Have the next opening encrypt the vault, or finish doing so; calls a decryption off.

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
            file = read_key_file(self._vault)
            if file is None:
                self._begin_encryption(passphrase)
            elif file.state is EncryptionState.ENCRYPTED:
                raise InputError("These memories are encrypted already.")
            else:
                file, key = self._unwrapped(file, passphrase)
                if file.state is EncryptionState.DECRYPTING:
                    self._keep_encrypted(file, key, is_open=is_open)
                elif not is_open:
                    keep_key(self._vault, key, file)

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
            file, key = self._unwrapped(self._file(), passphrase)
            self._request_decryption(file, key, is_open=is_open)

    def must_confirm(self) -> bool:
        """Return whether the person has to confirm a decryption of the vault, which is unlocked.

        Raises:
            MachineError: The key file cannot be read.
        """
        file = read_key_file(self._vault)
        return file is not None and file.state is EncryptionState.DECRYPTING and not is_noted(file.request)

    def confirm(self, *, is_wanted: bool) -> None:
        """Answer for the person whether a decryption is to be carried out.

        The vault is unlocked and closed.

        Args:
            is_wanted: The next opening decrypts it; else what is plain already is encrypted again.

        Raises:
            PassphraseRequiredError: It is locked.
            VaultLockedError: A Keepsake has it open.
            VaultDamagedError: The key file was changed.
        """
        with self._locked(is_open=False):
            file, key = self._file(), require_key(self._vault)
            file.require_unchanged(key)
            if is_wanted:
                self._request_decryption(file, key, is_open=False)
            else:
                self._keep_encrypted(file, key, is_open=False)

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
            if file.has_begun or holds_encrypted_files(self._vault):
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
        key = file.unwrap(old)
        write_key_file(self._vault, file.rewrap(key, new), key)

    def unlock(self, passphrase: str) -> None:
        """Keep the key for this process; a plain vault has none.

        Raises:
            WrongPassphraseError: This is not the passphrase.
            VaultDamagedError: The key file was changed.
        """
        file = read_key_file(self._vault)
        if file is not None:
            file, key = self._unwrapped(file, passphrase)
            keep_key(self._vault, key, file)

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
        key = file.unwrap(passphrase)
        self._keyring.write(_secret_of(file), key.secret.hex())
        write_key_file(self._vault, replace(file, is_in_keyring=True), key)

    def forget(self) -> None:
        """Take the key out of the system's keyring.

        Raises:
            InputError: It was never put there.
            PassphraseRequiredError: The vault is locked, and the keyring does not hold its key any more.
            KeyringUnavailableError: It refuses.
        """
        file = self._file()
        if not file.is_in_keyring:
            raise InputError("The keyring does not hold the key of these memories; there is nothing to forget.")
        key = require_key(self._vault) if is_unlocked(self._vault) else self._remembered(file)
        if key is None:
            raise PassphraseRequiredError(
                "The keyring does not hold the key of these memories any more. Open them with the passphrase first.",
                path=str(self._vault),
            )
        file.require_unchanged(key)
        self._forget(file)
        write_key_file(self._vault, replace(file, is_in_keyring=False), key)

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
                self.unlock(passphrase)
            except WrongPassphraseError:
                raise WrongPassphraseError(
                    Sentence("The passphrase in {variable} is not that of these memories.", variable=VARIABLE)
                ) from None
        elif file.is_in_keyring:
            with suppress(KeyringUnavailableError):  # the passphrase can still be typed
                key = self._remembered(file)
                if key is not None:
                    file.require_unchanged(key)
                    keep_key(self._vault, key, file)

    def _begin_encryption(self, passphrase: str) -> None:
        if holds_encrypted_files(self._vault, backups=False):
            raise InputError(
                Sentence(
                    "{file} is missing, and files of these memories are encrypted: it holds their key. Bring it"
                    " back from a copy of the folder; another passphrase would not open them.",
                    file=KEY_FILE,
                )
            )
        file, key = new_key(passphrase)
        begin(self._vault, file, key)
        keep_key(self._vault, key, file)

    def _request_decryption(self, file: KeyFile, key: DataKey, *, is_open: bool) -> None:
        self._forget(file)
        remove_request(file.request)
        file = replace(file, state=EncryptionState.DECRYPTING, is_in_keyring=False, request=new_request())
        begin(self._vault, file, key)
        if not is_open:  # where it is open, new files stay encrypted until it opens again
            keep_key(self._vault, key, file)

    def _keep_encrypted(self, file: KeyFile, key: DataKey, *, is_open: bool) -> None:
        """Call a decryption off; where it may have begun, the next opening encrypts anew."""
        remove_request(file.request)
        state = EncryptionState.ENCRYPTED if is_open else EncryptionState.ENCRYPTING
        file = replace(file, state=state, has_begun=True, request="")
        write_key_file(self._vault, file, key)
        if not is_open:
            keep_key(self._vault, key, file)

    def _unwrapped(self, file: KeyFile, passphrase: str) -> tuple[KeyFile, DataKey]:
        """Return the key file with its key; one without a tag gets one."""
        key = file.unwrap(passphrase)
        if not file.is_tagged:
            file = file.with_tag(key, passphrase)
            with suppress(VaultReadOnlyError, DiskFullError):  # it is opened as it is
                write_key_file(self._vault, file, key)
        return file, key

    def _remembered(self, file: KeyFile) -> DataKey | None:
        """Return the key that the keyring holds, ``None`` where it holds none."""
        try:
            secret = bytes.fromhex(self._keyring.read(_secret_of(file)))
        except ValueError:
            return None
        return DataKey(secret) if len(secret) == BYTES else None

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
