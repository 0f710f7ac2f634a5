"""Keys of unlocked vaults: a file's key is that of the vault it lies in."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.encryption import vault_keys
from app.encryption.key_file import new_key, write_key_file
from app.encryption.model import EncryptionState
from app.errors import PassphraseRequiredError, WrongPassphraseError
from tests.helpers.encryption import PASSPHRASE, locked


@pytest.fixture
def encrypted(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    vault.mkdir()
    file, _ = new_key(PASSPHRASE)
    write_key_file(vault, replace(file, state=EncryptionState.ENCRYPTED))
    return vault


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


def test_new_files_are_plain_while_a_vault_is_being_decrypted(encrypted: Path) -> None:
    file, _ = new_key(PASSPHRASE)
    write_key_file(encrypted, replace(file, state=EncryptionState.DECRYPTING))
    vault_keys.unlock(encrypted, PASSPHRASE)
    assert vault_keys.key_for_new_file(encrypted / "new.db") is None
    assert vault_keys.key_for_encrypted_file(encrypted / "old.db") is not None


def test_new_files_are_plain_until_an_encryption_has_begun(encrypted: Path) -> None:
    file, _ = new_key(PASSPHRASE)
    write_key_file(encrypted, file)
    assert vault_keys.key_for_new_file(encrypted / "new.db") is None
    write_key_file(encrypted, replace(file, has_begun=True))
    with pytest.raises(PassphraseRequiredError):
        vault_keys.key_for_new_file(encrypted / "new.db")


def test_a_plain_vault_needs_no_key(tmp_path: Path) -> None:
    vault_keys.unlock(tmp_path, "whatever it is")
    assert not vault_keys.is_unlocked(tmp_path)
    assert vault_keys.key_for_new_file(tmp_path / "memory.db") is None
