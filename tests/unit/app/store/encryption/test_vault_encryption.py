"""Encryption of a vault: nothing plain is left, and nothing is lost on the way there and back."""

import asyncio
import os
import shutil
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import apsw
import keyring
import pytest

from app.config.keyring import Keyring
from app.core.paths import migrations
from app.core.stop_signal import StopSignal
from app.core.vault_opening import OpeningStep, VaultOpening
from app.encryption.key_file import read_key_file
from app.encryption.model import KEY_FILE, EncryptionState
from app.encryption.vault_keys import is_unlocked, require_key
from app.errors import (
    CancelledByPersonError,
    DiskFullError,
    EncryptionUnavailableError,
    InputError,
    KeyringUnavailableError,
    PassphraseRequiredError,
    VaultDamagedError,
    VaultLockedError,
    WrongPassphraseError,
)
from app.store import staged_restore
from app.store.connection import open_frozen_reader, open_writer
from app.store.encryption import cipher
from app.store.encryption.vault_conversion import finish_conversion
from app.store.encryption.vault_encryption import VARIABLE, VaultEncryption
from app.store.files.page_cipher import decrypt_page, decrypted_blocks
from app.store.options import StoreOptions
from app.store.store import DATABASE, Store
from tests.helpers.disks import SmallDisk
from tests.helpers.encryption import PASSPHRASE, files_with, locked, needs_cipher
from tests.helpers.keyrings import MemoryKeyring

NEEDLE = "Zanzibarian"
SQL = "INSERT INTO meta VALUES ('word', ?) ON CONFLICT DO UPDATE SET value = excluded.value"


def write(vault: Path, text: str = NEEDLE) -> None:
    store = Store.open(vault, migrations())
    asyncio.run(store.write(lambda connection: connection.execute(SQL, (text,)).get))
    store.close()


def word(vault: Path) -> str:
    store = Store.open(vault, migrations())
    try:
        return str(asyncio.run(store.read(lambda c: c.execute("SELECT value FROM meta WHERE key = 'word'").get)))
    finally:
        store.close()


def backed_up(vault: Path) -> Path:
    store = Store.open(vault, migrations())
    path = asyncio.run(store.back_up("manual"))
    store.close()
    return path


def stop_after(count: int, stop: StopSignal, steps: list[OpeningStep], step: OpeningStep) -> None:
    """Set ``stop`` at the step of number ``count``."""
    steps.append(step)
    if len(steps) >= count:
        stop.set()


@pytest.fixture
def written(vault: Path) -> Path:
    """Return a vault with the needle in its database, a backup, an agent's vault and an attachment."""
    write(vault)
    backed_up(vault)
    (vault / "attachments").mkdir()
    (vault / "attachments" / f"{NEEDLE}.txt").write_text(NEEDLE)
    (vault / "vectors.cache").write_text(NEEDLE)
    agent = vault / "agents" / "scout"
    agent.mkdir(parents=True)
    shutil.copy(vault / DATABASE, agent / DATABASE)
    return vault


@pytest.fixture
def encrypted(written: Path) -> Path:
    VaultEncryption(written).encrypt(PASSPHRASE)
    assert word(written) == NEEDLE
    return written


@needs_cipher
def test_nothing_plain_is_left(encrypted: Path) -> None:
    assert files_with(encrypted, NEEDLE) == []
    assert VaultEncryption(encrypted).status().state is EncryptionState.ENCRYPTED
    assert word(encrypted / "agents" / "scout") == NEEDLE
    write(encrypted, NEEDLE + " again")
    backed_up(encrypted)
    assert files_with(encrypted, NEEDLE) == []


@needs_cipher
def test_a_log_is_read_where_nothing_can_be_written(encrypted: Path) -> None:
    store = Store.open(encrypted, migrations())
    asyncio.run(store.write(lambda connection: connection.execute(SQL, ("only in the log",)).get))
    files = {ending: (encrypted / (DATABASE + ending)).read_bytes() for ending in ("", "-wal")}
    store.close()
    for ending, data in files.items():  # as after a kill
        (encrypted / (DATABASE + ending)).write_bytes(data)
    with closing(open_frozen_reader(encrypted / DATABASE)) as reader:
        assert reader.execute("SELECT value FROM meta WHERE key = 'word'").get == "only in the log"


@needs_cipher
def test_it_opens_with_the_passphrase_only(encrypted: Path) -> None:
    locked(encrypted)
    before = {path: path.read_bytes() for path in encrypted.rglob("*.db")}
    with pytest.raises(PassphraseRequiredError):
        Store.open(encrypted, migrations())
    encryption = VaultEncryption(encrypted)
    with pytest.raises(WrongPassphraseError):
        encryption.unlock("wrong horse battery")
    assert {path: path.read_bytes() for path in encrypted.rglob("*.db")} == before
    encryption.unlock(PASSPHRASE)
    assert word(encrypted) == NEEDLE


@needs_cipher
def test_decrypting_brings_everything_back(encrypted: Path) -> None:
    VaultEncryption(encrypted).decrypt(PASSPHRASE)
    assert word(encrypted) == NEEDLE
    assert not (encrypted / KEY_FILE).exists()
    assert not list(encrypted.rglob(KEY_FILE))
    assert (encrypted / "attachments" / f"{NEEDLE}.txt").read_text() == NEEDLE
    locked(encrypted)
    assert word(encrypted) == NEEDLE
    backup = next((encrypted / "backups").glob("*.db"))
    with closing(staged_restore.open_copy(backup)) as connection:
        assert connection.execute("SELECT value FROM meta WHERE key = 'word'").get == NEEDLE


@needs_cipher
def test_a_changed_passphrase_opens_at_once_and_the_old_one_does_not(encrypted: Path) -> None:
    encryption = VaultEncryption(encrypted)
    with pytest.raises(WrongPassphraseError):
        encryption.change("wrong horse battery", "another fine phrase")
    with pytest.raises(InputError, match="at least 8"):
        encryption.change(PASSPHRASE, "short")
    encryption.change(PASSPHRASE, "another fine phrase")
    locked(encrypted)
    with pytest.raises(WrongPassphraseError):
        encryption.unlock(PASSPHRASE)
    encryption.unlock("another fine phrase")
    assert word(encrypted) == NEEDLE


@needs_cipher
def test_states_that_do_not_fit_are_refused(encrypted: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="already"):
        VaultEncryption(encrypted).encrypt(PASSPHRASE)
    with pytest.raises(InputError, match="not encrypted"):
        VaultEncryption(tmp_path / "other").decrypt(PASSPHRASE)
    store = Store.open(encrypted, migrations())
    with pytest.raises(VaultLockedError):
        VaultEncryption(encrypted).decrypt(PASSPHRASE)
    store.close()


@needs_cipher
def test_a_new_vault_can_be_encrypted_from_the_beginning(tmp_path: Path) -> None:
    vault = tmp_path / "fresh"
    VaultEncryption(vault).encrypt(PASSPHRASE)
    write(vault)
    assert files_with(vault, NEEDLE) == []


@needs_cipher
def test_encryption_can_be_called_off_before_it_begins(written: Path) -> None:
    VaultEncryption(written).encrypt(PASSPHRASE)
    locked(written)
    with pytest.raises(PassphraseRequiredError):
        Store.open(written, migrations())
    VaultEncryption(written).decrypt(PASSPHRASE)
    assert word(written) == NEEDLE
    assert not (written / KEY_FILE).exists()


@needs_cipher
def test_encrypting_again_goes_on_with_what_was_cut_off(written: Path) -> None:
    VaultEncryption(written).encrypt(PASSPHRASE)
    locked(written)
    with pytest.raises(WrongPassphraseError):
        VaultEncryption(written).encrypt("another passphrase")
    assert not is_unlocked(written)
    VaultEncryption(written).encrypt(PASSPHRASE)
    assert word(written) == NEEDLE
    assert VaultEncryption(written).status().state is EncryptionState.ENCRYPTED
    assert files_with(written, NEEDLE) == []


@needs_cipher
@pytest.mark.parametrize("is_encrypting", [True, False])
def test_a_stopped_conversion_goes_on_at_the_next_opening(written: Path, *, is_encrypting: bool) -> None:
    encryption = VaultEncryption(written)
    encryption.encrypt(PASSPHRASE)
    if not is_encrypting:
        assert word(written) == NEEDLE
        encryption.decrypt(PASSPHRASE)
    stopped = 0
    while True:
        stop = StopSignal()
        # One step further each time.
        opening = VaultOpening(partial(stop_after, stopped + 1, stop, []), stop)
        try:
            Store.open(written, migrations(), options=StoreOptions(opening=opening)).close()
        except CancelledByPersonError:
            stopped += 1
            # Each file is whole, whichever way it is.
            for path in written.rglob("*.db"):
                with closing(staged_restore.open_copy(path)) as connection:
                    assert connection.execute("SELECT value FROM meta WHERE key = 'word'").get == NEEDLE
            continue
        break
    assert stopped > 2
    assert word(written) == NEEDLE
    assert not list(written.rglob("*.converting"))
    assert bool(files_with(written, NEEDLE)) is not is_encrypting


@needs_cipher
def test_progress_reaches_a_hundred_percent(written: Path) -> None:
    steps: list[OpeningStep] = []
    VaultEncryption(written).encrypt(PASSPHRASE)
    Store.open(written, migrations(), options=StoreOptions(opening=VaultOpening(steps.append))).close()
    percent = [step.number for step in steps if step.work == "encryption"]
    assert percent == sorted(set(percent))
    assert percent[-1] == 100


@needs_cipher
def test_a_full_disk_loses_nothing(template_db: Path, small_disk: SmallDisk) -> None:
    vault = small_disk(16) / "vault"
    vault.mkdir()
    shutil.copy(template_db, vault / DATABASE)
    write(vault)
    size = (vault / DATABASE).stat().st_size
    (vault.parent / "filler").write_bytes(bytes(16 * 1024 * 1024 - 2 * size - (1 << 20)))
    with pytest.raises(DiskFullError, match="free space"):
        VaultEncryption(vault).encrypt(PASSPHRASE)
    assert not (vault / KEY_FILE).exists()
    assert word(vault) == NEEDLE


@needs_cipher
def test_a_damaged_backup_is_kept_as_it_is_and_holds_nothing_up(written: Path) -> None:
    backup = next((written / "backups").glob("*.db"))
    data = backup.read_bytes()
    data = data[:5_000] + b"\xff" * 8_000 + data[13_000:]
    backup.write_bytes(data)
    encryption = VaultEncryption(written)
    encryption.encrypt(PASSPHRASE)
    assert word(written) == NEEDLE
    assert files_with(written, NEEDLE) == []
    assert not backup.exists()
    encryption.decrypt(PASSPHRASE)
    assert word(written) == NEEDLE
    assert backup.read_bytes() == data


@needs_cipher
def test_logs_and_broken_databases_are_sealed_and_come_back(written: Path) -> None:
    kept = written / "backups" / "20261121T031500Z-before-restore"
    kept.mkdir()
    remains = {
        written / "memory.db-wal.damaged": b"\x37\x7f\x06\x82 of another log, " + NEEDLE.encode(),
        written / "memory.db-wal.foreign": b"of another vault, " + NEEDLE.encode(),
        written / "memory.db-wal.foreign1": b"of this vault, and older, " + NEEDLE.encode(),
        kept / DATABASE: bytes(4096) + NEEDLE.encode(),
        kept / "memory.db-wal": b"a log, " + NEEDLE.encode(),
        written / "restore.db.refused": b"no database: " + NEEDLE.encode(),
    }
    for path, data in remains.items():
        path.write_bytes(data)
    encryption = VaultEncryption(written)
    encryption.encrypt(PASSPHRASE)
    assert word(written) == NEEDLE
    assert files_with(written, NEEDLE) == []
    encryption.decrypt(PASSPHRASE)
    assert word(written) == NEEDLE
    assert {path: path.read_bytes() for path in remains} == remains


@needs_cipher
@pytest.mark.skipif(os.name != "posix", reason="an open file that is deleted")
def test_what_encrypting_deletes_is_overwritten_first(written: Path) -> None:
    (written / "window.ini").write_text(NEEDLE)
    (written / "agents" / "scout" / "vectors.cache").write_text(NEEDLE)
    writer = open_writer(written / DATABASE)
    writer.execute(SQL, (NEEDLE + " in the log",))
    log = (written / (DATABASE + "-wal")).open("rb")
    logged = log.read()
    assert NEEDLE.encode() in logged
    database = (written / DATABASE).read_bytes()
    writer.close()
    # As after a kill: the log is there.
    (written / DATABASE).write_bytes(database)
    (written / (DATABASE + "-wal")).write_bytes(logged)
    log.close()
    gone = [written / name for name in ("window.ini", "vectors.cache", DATABASE, DATABASE + "-wal")]
    gone += [written / "agents" / "scout" / "vectors.cache", written / "attachments" / f"{NEEDLE}.txt"]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("rb")) for path in gone]
        VaultEncryption(written).encrypt(PASSPHRASE)
        assert word(written) == NEEDLE + " in the log"
        for path, file in zip(gone, files, strict=True):
            assert NEEDLE.encode() not in file.read(), path


@needs_cipher
def test_a_damaged_vault_is_not_encrypted_and_can_go_on_plain(written: Path) -> None:
    database = written / DATABASE
    data = database.read_bytes()
    database.write_bytes(data[:5_000] + b"\xff" * 8_000 + data[13_000:])
    broken = database.read_bytes()
    encryption = VaultEncryption(written)
    encryption.encrypt(PASSPHRASE)
    with pytest.raises(VaultDamagedError):
        Store.open(written, migrations())
    assert database.read_bytes() == broken
    database.write_bytes(data)
    encryption.decrypt(PASSPHRASE)
    assert word(written) == NEEDLE
    assert not (written / KEY_FILE).exists()


@needs_cipher
def test_a_plain_copy_is_restored_into_an_encrypted_vault(encrypted: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    write(plain, "from elsewhere")
    staged_restore.stage(encrypted, plain / DATABASE)
    assert files_with(encrypted, "from elsewhere") == []
    assert word(encrypted) == "from elsewhere"
    # What was there before is kept, encrypted.
    assert files_with(encrypted, NEEDLE) == []


@needs_cipher
def test_an_encrypted_backup_is_restored_into_a_plain_vault(encrypted: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    write(plain, "before")
    staged_restore.stage(plain, next((encrypted / "backups").glob("*.db")))
    assert word(plain) == NEEDLE


@needs_cipher
def test_pages_are_decrypted_without_sqlite(encrypted: Path) -> None:
    store = Store.open(encrypted, migrations())
    asyncio.run(store.write(lambda connection: connection.execute(SQL, ("in the log",)).get))
    key = require_key(encrypted).database
    try:
        assert b"in the log" in b"".join(decrypted_blocks(encrypted / f"{DATABASE}-wal", key, 1 << 20))
    finally:
        store.close()
    raw = (encrypted / DATABASE).read_bytes()
    size = int.from_bytes(raw[16:18])
    pages = [decrypt_page(key, at // size + 1, raw[at : at + size]) for at in range(0, len(raw), size)]
    assert b"".join(decrypted_blocks(encrypted / DATABASE, key, 1 << 20)) == b"".join(pages)
    copy = encrypted.parent / "copy.db"
    copy.write_bytes(b"".join(pages))
    with closing(apsw.Connection(str(copy))) as connection:
        assert connection.execute("SELECT value FROM meta WHERE key = 'word'").get == "in the log"


@needs_cipher
def test_a_page_changed_on_the_disk_is_noticed(encrypted: Path) -> None:
    database = encrypted / DATABASE
    data = bytearray(database.read_bytes())
    data[3 * 4096 + 100] ^= 1
    database.write_bytes(bytes(data))

    def verdict() -> str:
        try:
            with closing(staged_restore.open_copy(database)) as connection:
                return str(connection.execute("PRAGMA integrity_check").get)
        except apsw.Error as error:
            return type(error).__name__

    assert verdict() != "ok"


@needs_cipher
def test_the_environment_opens_it_and_a_wrong_one_is_said(encrypted: Path) -> None:
    locked(encrypted)
    encryption = VaultEncryption(encrypted)
    encryption.unlock_unattended({})
    assert not is_unlocked(encrypted)
    with pytest.raises(WrongPassphraseError, match=VARIABLE):
        encryption.unlock_unattended({VARIABLE: "wrong horse battery"})
    encryption.unlock_unattended({VARIABLE: PASSPHRASE})
    assert word(encrypted) == NEEDLE


@needs_cipher
def test_the_keyring_opens_it_while_it_is_remembered(encrypted: Path, memory_keyring: MemoryKeyring) -> None:
    encryption = VaultEncryption(encrypted, Keyring())
    with pytest.raises(WrongPassphraseError):
        encryption.remember("wrong horse battery")
    encryption.remember(PASSPHRASE)
    assert encryption.status().is_in_keyring
    assert PASSPHRASE not in str(memory_keyring.kept)
    locked(encrypted)
    encryption.unlock_unattended({})
    assert word(encrypted) == NEEDLE
    encryption.forget()
    assert memory_keyring.kept == {}
    locked(encrypted)
    encryption.unlock_unattended({})
    assert not is_unlocked(encrypted)


@needs_cipher
def test_what_the_keyring_does_not_hold_is_not_forgotten(encrypted: Path, memory_keyring: MemoryKeyring) -> None:
    encryption = VaultEncryption(encrypted)
    with pytest.raises(InputError, match="nothing to forget"):
        encryption.forget()
    encryption.remember(PASSPHRASE)
    memory_keyring.kept.clear()
    locked(encrypted)
    with pytest.raises(PassphraseRequiredError, match="any more"):
        encryption.forget()
    encryption.unlock(PASSPHRASE)
    encryption.forget()
    assert not encryption.status().is_in_keyring


@needs_cipher
def test_without_a_keyring_the_passphrase_is_what_helps(encrypted: Path) -> None:
    with pytest.raises(KeyringUnavailableError, match="with their passphrase"):
        VaultEncryption(encrypted).remember(PASSPHRASE)


@needs_cipher
def test_decrypting_takes_the_key_out_of_the_keyring(encrypted: Path, memory_keyring: MemoryKeyring) -> None:
    encryption = VaultEncryption(encrypted, Keyring())
    encryption.remember(PASSPHRASE)
    encryption.decrypt(PASSPHRASE)
    assert memory_keyring.kept == {}
    assert keyring.get_password("Keepsake", "vault") is None


def test_without_ciphers_it_is_said_and_nothing_is_changed(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(apsw, "mc_version", raising=False)
    assert not cipher.is_available()
    with pytest.raises(EncryptionUnavailableError, match="apsw-sqlite3mc"):
        VaultEncryption(vault).encrypt(PASSPHRASE)
    assert read_key_file(vault) is None
    write(vault)
    assert word(vault) == NEEDLE


def test_a_conversion_has_nothing_to_do_in_a_plain_vault(vault: Path) -> None:
    steps: list[OpeningStep] = []
    finish_conversion(vault, VaultOpening(steps.append))
    assert steps == []
