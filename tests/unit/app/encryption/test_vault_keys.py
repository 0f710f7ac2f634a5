"""Keys of unlocked vaults: a file's key is that of the vault it lies in."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.encryption import vault_keys
from app.encryption.key_file import new_key, remove_key_file, write_key_file
from app.encryption.model import EncryptionState
from app.errors import PassphraseRequiredError, VaultUnusableError, WrongPassphraseError
from tests.helpers.encryption import PASSPHRASE, locked


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[Path]:
    vault = tmp_path / "vault"
    vault.mkdir()
    file, key = new_key(PASSPHRASE)
    write_key_file(vault, replace(file, state=EncryptionState.ENCRYPTED), key)
    yield vault
    locked(vault)


def test_files_of_a_locked_vault_have_no_key(encrypted: Path) -> None:
    with pytest.raises(PassphraseRequiredError, match="encrypted"):
        vault_keys.key_for_encrypted_file(encrypted / "memory.db")
    with pytest.raises(PassphraseRequiredError):
        vault_keys.key_for_new_file(encrypted / "new.db")
    with pytest.raises(WrongPassphraseError):
        vault_keys.unlock(encrypted, "not this one")
    assert not vault_keys.is_unlocked(encrypted)


def test_backups_and_agents_vaults_have_the_vaults_key(encrypted: Path) -> None:
    vault_keys.unlock(encrypted, PASSPHRASE)
    key = vault_keys.key_for_encrypted_file(encrypted / "memory.db")
    assert key is not None
    for name in ("backups/one.db", "agents/scout/memory.db", "agents/scout/backups/one.db", "replaced/memory.db"):
        assert vault_keys.key_for_encrypted_file(encrypted / name) == key
    assert vault_keys.key_for_encrypted_file(encrypted.parent / "memory.db") is None
    locked(encrypted)
    with pytest.raises(PassphraseRequiredError):
        vault_keys.key_for_encrypted_file(encrypted / "backups" / "one.db")


@pytest.mark.parametrize("state", [EncryptionState.ENCRYPTED, EncryptionState.DECRYPTING])
def test_new_files_are_encrypted_until_the_vault_is_decrypted(encrypted: Path, state: EncryptionState) -> None:
    file, key = new_key(PASSPHRASE)
    write_key_file(encrypted, replace(file, state=state), key)
    with pytest.raises(PassphraseRequiredError):
        vault_keys.key_for_new_file(encrypted / "new.db")
    vault_keys.unlock(encrypted, PASSPHRASE)
    assert vault_keys.key_for_new_file(encrypted / "new.db") == key
    assert vault_keys.key_for_encrypted_file(encrypted / "old.db") == key


def test_new_files_are_plain_until_an_encryption_has_begun(encrypted: Path) -> None:
    file, key = new_key(PASSPHRASE)
    write_key_file(encrypted, file, key)
    assert vault_keys.key_for_new_file(encrypted / "new.db") is None
    write_key_file(encrypted, replace(file, has_begun=True), key)
    with pytest.raises(PassphraseRequiredError):
        vault_keys.key_for_new_file(encrypted / "new.db")


def test_an_unlocked_vault_stays_encrypted_whatever_becomes_of_its_key_file(encrypted: Path) -> None:
    vault_keys.unlock(encrypted, PASSPHRASE)
    key = vault_keys.require_key(encrypted)
    file, _ = new_key(PASSPHRASE)  # an encryption that has not begun: new files would be plain
    write_key_file(encrypted, file, key)
    assert vault_keys.key_for_new_file(encrypted / "new.db") == key
    assert not vault_keys.is_plain_expected(encrypted / "memory.db")
    remove_key_file(encrypted)
    assert vault_keys.key_for_new_file(encrypted / "backups" / "new.db") == key
    assert not vault_keys.is_plain_expected(encrypted / "memory.db")


def test_a_plain_file_is_refused_unless_the_vault_is_being_converted(encrypted: Path) -> None:
    database = encrypted / "agents" / "scout" / "memory.db"
    for unlock in (False, True):
        if unlock:
            vault_keys.unlock(encrypted, PASSPHRASE)
        with pytest.raises(VaultUnusableError, match="another program has put it there"):
            vault_keys.require_plain_expected(database)
    for state in (EncryptionState.ENCRYPTING, EncryptionState.DECRYPTING):
        file, key = new_key(PASSPHRASE)
        write_key_file(encrypted, replace(file, state=state), key)
        vault_keys.unlock(encrypted, PASSPHRASE)
        vault_keys.require_plain_expected(database)


def test_a_plain_vault_needs_no_key(tmp_path: Path) -> None:
    vault_keys.unlock(tmp_path, "whatever it is")
    assert not vault_keys.is_unlocked(tmp_path)
    assert vault_keys.key_for_new_file(tmp_path / "memory.db") is None
