"""Key file: the passphrase wraps the data key, and a damaged or planted file does no harm."""

import json
import os
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.encryption.data_key import DataKey
from app.encryption.key_file import (
    COPIES,
    KeyFile,
    has_key_file,
    new_key,
    read_key_file,
    remove_key_file,
    write_key_file,
)
from app.encryption.model import KEY_FILE, MAX_PASSPHRASE, EncryptionState, problem_of
from app.encryption.wrapped_key import wrap
from app.errors import InputError, VaultDamagedError, VaultNewerError, VaultUnusableError, WrongPassphraseError
from tests.helpers.encryption import COST, LIGHT_COST, PASSPHRASE


def test_the_passphrase_unwraps_the_key_and_another_does_not(tmp_path: Path) -> None:
    file, key = new_key(PASSPHRASE)
    write_key_file(tmp_path, file, key)
    found = read_key_file(tmp_path)
    assert found == file
    assert found.unwrap(PASSPHRASE) == key
    with pytest.raises(WrongPassphraseError):
        found.unwrap(PASSPHRASE + ".")


def stored(vault: Path, file: KeyFile, key: DataKey) -> KeyFile:
    """Return the file as it is read after it was written."""
    write_key_file(vault, file, key)
    found = read_key_file(vault)
    assert found is not None
    return found


def test_the_program_stretches_a_passphrase_for_a_third_of_a_second() -> None:
    """As OWASP's Password Storage Cheat Sheet has it; the process of the tests alone does it lightly."""
    assert COST == 1 << 17
    assert wrap(bytes(32), "correct horse battery", b"").cost == LIGHT_COST


def test_a_new_passphrase_wraps_the_same_key(tmp_path: Path) -> None:
    file, key = new_key(PASSPHRASE)
    changed = stored(tmp_path, file.rewrap(key, "another fine phrase"), key)
    assert changed.unwrap("another fine phrase") == key
    for name in ("salt", "nonce", "data"):
        assert getattr(changed.wrapped, name) != getattr(file.wrapped, name)
    with pytest.raises(WrongPassphraseError):
        changed.unwrap(PASSPHRASE)


def test_two_vaults_never_share_a_key() -> None:
    (first, one), (second, two) = new_key(PASSPHRASE), new_key(PASSPHRASE)
    assert one != two
    assert first.id != second.id
    # The wrapped key belongs to its file: in another one it is nothing.
    with pytest.raises(WrongPassphraseError):
        replace(first, id=second.id).unwrap(PASSPHRASE)


def test_composed_and_decomposed_letters_are_one_passphrase(tmp_path: Path) -> None:
    file, key = new_key(unicodedata.normalize("NFC", "Grüße aus Zürich"))
    assert stored(tmp_path, file, key).unwrap(unicodedata.normalize("NFD", "Grüße aus Zürich")) == key


def test_keys_for_pages_files_and_names_differ() -> None:
    _, key = new_key(PASSPHRASE)
    assert len({key.secret, key.database, key.files, key.names}) == 4
    assert key.secret.hex() not in repr(key)


@pytest.mark.parametrize(
    ("passphrase", "said"),
    [
        ("", "at least 8"),
        ("short", "at least 8"),
        ("x" * (MAX_PASSPHRASE + 1), "at most 1,024"),
        ("two\nlines of it", "one line"),
        (" begins with a space", "begin or end"),
        *(
            (word, "first that anyone tries")
            for word in ("password", "Password123!", "P@ssw0rd", "12345678", "87654321")
        ),
        *(
            (word, "first that anyone tries")
            for word in ("qwertyuiop", "aaaaaaaa", "abababab", "Iloveyou2024", "1q2w3e4r")
        ),
        *((word, "first that anyone tries") for word in ("19841984", "Contraseña1", "correct horse battery staple")),
        ("passwords are weak", ""),
        ("a good long one", ""),
        ("пароль из слов", ""),
    ],
)
def test_what_a_passphrase_must_be(passphrase: str, said: str) -> None:
    assert said in problem_of(passphrase)
    if said:
        with pytest.raises(InputError, match=said):
            new_key(passphrase)
    else:
        assert problem_of(passphrase) == ""


def test_a_lost_or_damaged_file_is_read_from_its_copy(tmp_path: Path) -> None:
    file, key = new_key(PASSPHRASE)
    write_key_file(tmp_path, file, key)
    (tmp_path / KEY_FILE).write_bytes(b"{")
    assert read_key_file(tmp_path) == file
    (tmp_path / KEY_FILE).unlink()
    assert has_key_file(tmp_path)
    assert read_key_file(tmp_path) == file
    (tmp_path / COPIES / KEY_FILE).write_bytes(b"")
    with pytest.raises(VaultDamagedError, match="holds the key"):
        read_key_file(tmp_path)
    remove_key_file(tmp_path)
    assert read_key_file(tmp_path) is None


def changed(path: Path, *where: str, value: Any) -> None:
    made = json.loads(path.read_text())
    inner = made
    for name in where[:-1]:
        inner = inner[name]
    inner[where[-1]] = value
    path.write_text(json.dumps(made))


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("kdf", "n"), 1 << 40),
        (("kdf", "n"), 3),
        (("kdf", "r"), 10_000),
        (("kdf", "p"), 0),
        (("kdf", "name"), "none"),
        (("kdf", "salt"), "not base64!"),
        (("key", "cipher"), "rot13"),
        (("key", "data"), 7),
        (("state",), "half"),
        (("format",), "other"),
        (("kdf",), []),
    ],
)
def test_a_planted_file_asks_for_nothing_unreasonable(tmp_path: Path, where: tuple[str, ...], value: Any) -> None:
    file, key = new_key(PASSPHRASE)
    write_key_file(tmp_path, file, key)
    for path in (tmp_path / KEY_FILE, tmp_path / COPIES / KEY_FILE):
        changed(path, *where, value=value)
    with pytest.raises(VaultDamagedError):
        read_key_file(tmp_path)


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    file, key = new_key(PASSPHRASE)
    write_key_file(tmp_path, file, key)
    changed(tmp_path / KEY_FILE, "version", value=3)
    with pytest.raises(VaultNewerError, match="newer Keepsake"):
        read_key_file(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="links and modes of POSIX")
def test_a_link_in_its_place_is_refused_and_it_is_private(tmp_path: Path) -> None:
    file, key = new_key(PASSPHRASE)
    write_key_file(tmp_path, replace(file, state=EncryptionState.ENCRYPTED), key)
    path = tmp_path / KEY_FILE
    assert path.stat().st_mode & 0o077 == 0
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(VaultUnusableError, match="link"):
        read_key_file(tmp_path)


EVERY_FIELD = [
    (("state",), "decrypting"),
    (("state",), "encrypting"),
    (("begun",), False),
    (("begun",), "perhaps"),
    (("keyring",), True),
    (("keyring",), 0),
    (("request",), "0" * 32),
    (("id",), "key-0000000000000000"),
    (("mac",), "0" * 64),
    (("mac",), None),
    (("mac",), "\ud800"),
    (("version",), 1),
    (("added",), "a field that Keepsake does not know"),
    (("kdf", "n"), 1 << 14),
    (("kdf", "r"), 4),
    (("kdf", "p"), 2),
    (("kdf", "salt"), "AAAAAAAAAAAAAAAAAAAAAA=="),
    (("kdf", "added"), 1),
    (("key", "nonce"), "AAAAAAAAAAAAAAAA"),
    (("key", "data"), "AAAA"),
    (("key", "added"), None),
]


@pytest.mark.parametrize(
    ("where", "value"), EVERY_FIELD, ids=lambda part: str(part).encode("ascii", "replace").decode()
)
def test_a_file_with_one_changed_field_opens_nothing(tmp_path: Path, where: tuple[str, ...], value: Any) -> None:
    file, key = new_key(PASSPHRASE)
    encrypted = replace(file, state=EncryptionState.ENCRYPTED, has_begun=True)
    assert stored(tmp_path, encrypted, key).unwrap(PASSPHRASE) == key
    changed(tmp_path / KEY_FILE, *where, value=value)
    found = read_key_file(tmp_path)
    assert found is not None
    with pytest.raises((VaultDamagedError, WrongPassphraseError)):
        found.unwrap(PASSPHRASE)
    if found.is_tagged:  # as with the key from the keyring, which unwraps nothing
        with pytest.raises(VaultDamagedError, match="not by Keepsake"):
            found.require_unchanged(key)


def test_a_file_without_its_tag_is_refused_and_cannot_be_made_an_earlier_one(tmp_path: Path) -> None:
    file, key = new_key(PASSPHRASE)
    write_key_file(tmp_path, file, key)
    fields = json.loads((tmp_path / KEY_FILE).read_text())
    del fields["mac"]
    for version, refusal in ((2, VaultDamagedError), (1, WrongPassphraseError), (True, WrongPassphraseError)):
        (tmp_path / KEY_FILE).write_text(json.dumps({**fields, "version": version}))
        found = read_key_file(tmp_path)
        assert found is not None
        with pytest.raises(refusal):
            found.unwrap(PASSPHRASE)


def test_a_tag_of_another_vaults_key_is_refused(tmp_path: Path) -> None:
    file, key = new_key(PASSPHRASE)
    _, other = new_key(PASSPHRASE)
    with pytest.raises(VaultDamagedError, match="not by Keepsake"):
        stored(tmp_path, file, other).unwrap(PASSPHRASE)
    assert stored(tmp_path, file, key).unwrap(PASSPHRASE) == key
