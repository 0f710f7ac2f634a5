"""Who can write a vault's folder and does not know the passphrase gets nothing of it in plain text."""

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.encryption.key_file import COPIES, read_key_file, remove_key_file, write_key_file
from app.encryption.model import KEY_FILE, EncryptionState
from app.encryption.requests import is_noted, remove_request
from app.encryption.vault_keys import require_key
from app.encryption.wrapped_key import wrap
from app.errors import InputError, KeepsakeError, PassphraseRequiredError, VaultDamagedError, VaultUnusableError
from app.host import Host
from app.store.encryption.vault_encryption import VARIABLE, VaultEncryption
from app.upkeep.closed_vault import ClosedVault
from tests.helpers.encryption import PASSPHRASE, files_with, locked, needs_cipher
from tests.helpers.processes.warm_start import keepsake_command
from tests.helpers.sample_data import ROOT

pytestmark = needs_cipher

NEEDLE = "Zanzibarian"


def fill(vault: Path) -> None:
    with opened(vault) as host:
        host.ask("note.save", title=f"{NEEDLE} roses", content=f"The {NEEDLE} rose blooms in June.")
        data = base64.b64encode(f"{NEEDLE} in a file".encode()).decode()
        host.ask("attachment.add", name="roses.txt", data=data)
        host.ask("vault.settle")
        host.ask("backup.now")


class opened:  # noqa: N801  (reads as a function)
    """A host on a vault for the length of a block."""

    def __init__(self, vault: Path) -> None:
        self._host = Host(vault, serve=False)

    def __enter__(self) -> Host:
        self._host.start()
        return self._host

    def __exit__(self, *_error: object) -> None:
        self._host.stop()


@pytest.fixture
def encrypted(vault: Path) -> Iterator[Path]:
    """Return a vault that was filled and encrypted, locked."""
    fill(vault)
    VaultEncryption(vault).encrypt(PASSPHRASE)
    with opened(vault):
        pass
    assert files_with(vault, NEEDLE) == []
    yield locked(vault)
    locked(vault)


def command(vault: Path, *arguments: str, given: str = "", passphrase: str = "") -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    if passphrase:
        environment[VARIABLE] = passphrase
    line = [*keepsake_command(), "--vault", str(vault), *arguments]
    return subprocess.run(
        line, cwd=ROOT, env=environment, input=given, capture_output=True, text=True, timeout=120, check=False
    )


def change(vault: Path, **fields: Any) -> None:
    """Change fields of the key file and of its copy, as anyone can who may write the folder."""
    for path in (vault / KEY_FILE, vault / COPIES / KEY_FILE):
        path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def as_earlier_version(vault: Path, **fields: Any) -> None:
    """Write the key file as Keepsake wrote it before there was a tag, with some fields changed."""
    file = read_key_file(vault)
    assert file is not None
    key = file.unwrap(PASSPHRASE)
    wrapped = wrap(key.secret, PASSPHRASE, f"keepsake key 1 {file.id}".encode())
    write_key_file(vault, replace(file, version=1, wrapped=wrapped), key)
    change(vault, **fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"state": "decrypting"},
        {"state": "decrypting", "request": "0" * 32},
        {"state": "encrypting"},
        {"state": "encrypting", "begun": False},
        {"begun": False},
        {"keyring": True},
        {"mac": None},
        {"anything": "else"},
    ],
    ids=str,
)
def test_a_changed_key_file_opens_nothing(encrypted: Path, fields: dict[str, Any]) -> None:
    before = {path: path.read_bytes() for path in encrypted.rglob("*.db")}
    change(encrypted, **fields)
    refused = command(encrypted, "search", "roses", passphrase=PASSPHRASE)
    assert refused.returncode != 0
    assert "not by Keepsake" in refused.stderr
    assert NEEDLE not in refused.stdout
    with pytest.raises(VaultDamagedError, match="not by Keepsake"):
        VaultEncryption(encrypted).unlock(PASSPHRASE)
    assert {path: path.read_bytes() for path in encrypted.rglob("*.db")} == before
    assert files_with(encrypted, NEEDLE) == []


def test_a_key_file_changed_while_it_is_open_makes_no_plain_file(encrypted: Path) -> None:
    file = read_key_file(encrypted)
    VaultEncryption(encrypted).unlock(PASSPHRASE)
    with opened(encrypted) as host:
        for spoil in (
            lambda: change(encrypted, state="encrypting", begun=False),
            lambda: change(encrypted, state="decrypting"),
            lambda: remove_key_file(encrypted),
        ):
            spoil()
            host.ask("backup.now")
            host.ask("note.save", title=f"{NEEDLE} again", content=f"One more {NEEDLE} rose.")
            data = base64.b64encode(f"{NEEDLE} {spoil!r}".encode()).decode()
            host.ask("attachment.add", name="more.txt", data=data)
            host.ask("vault.settle")
        assert files_with(encrypted, NEEDLE) == []
    with pytest.raises(VaultDamagedError, match="is gone"):
        Host(encrypted, serve=False).start()
    assert file is not None
    write_key_file(encrypted, file, require_key(encrypted))


def test_an_encryption_is_not_called_off_where_files_are_encrypted(encrypted: Path) -> None:
    change(encrypted, state="encrypting", begun=False)
    with pytest.raises(PassphraseRequiredError) as refused:
        Host(encrypted, serve=False).start()
    assert "can_cancel" not in refused.value.data
    with pytest.raises(InputError, match="has begun"):
        VaultEncryption(encrypted).cancel()
    assert (encrypted / KEY_FILE).exists()


def test_a_lost_key_file_is_not_replaced_by_a_new_one(encrypted: Path) -> None:
    remove_key_file(encrypted)
    with pytest.raises(InputError, match="is missing"):
        VaultEncryption(encrypted).encrypt(PASSPHRASE)
    assert not (encrypted / KEY_FILE).exists()


def test_a_decryption_that_was_not_requested_here_waits_for_the_person(encrypted: Path) -> None:
    encryption = VaultEncryption(encrypted)
    encryption.decrypt(PASSPHRASE)
    older = (encrypted / KEY_FILE).read_bytes()
    encryption.encrypt(PASSPHRASE)  # it is called off
    with opened(encrypted):
        pass
    assert encryption.status().state is EncryptionState.ENCRYPTED
    locked(encrypted)
    for path in (encrypted / KEY_FILE, encrypted / COPIES / KEY_FILE):
        path.write_bytes(older)  # the tag is right: Keepsake wrote this file once
    refused = command(encrypted, "search", "roses", passphrase=PASSPHRASE)
    assert refused.returncode == PassphraseRequiredError.exit_status
    assert "'keepsake encryption encrypt' keeps them" in refused.stderr
    assert files_with(encrypted, NEEDLE) == []
    encryption.unlock(PASSPHRASE)
    assert encryption.must_confirm()
    with pytest.raises(PassphraseRequiredError) as waiting:
        Host(encrypted, serve=False).start()
    assert waiting.value.data["must_confirm"] is True
    assert files_with(encrypted, NEEDLE) == []
    encryption.confirm(is_wanted=False)
    with opened(encrypted) as host:
        assert [note.title for note in host.ask("note.list")] == [f"{NEEDLE} roses"]
    assert encryption.status().state is EncryptionState.ENCRYPTED
    assert files_with(encrypted, NEEDLE) == []
    for path in (encrypted / KEY_FILE, encrypted / COPIES / KEY_FILE):
        path.write_bytes(older)
    encryption.confirm(is_wanted=True)
    with opened(encrypted):
        pass
    assert not (encrypted / KEY_FILE).exists()


def test_a_requested_decryption_goes_on_after_a_restart_and_is_noted_once(encrypted: Path) -> None:
    VaultEncryption(encrypted).decrypt(PASSPHRASE)
    file = read_key_file(encrypted)
    assert file is not None
    assert is_noted(file.request)
    locked(encrypted)
    done = command(encrypted, "search", "roses", passphrase=PASSPHRASE)
    assert (done.returncode, NEEDLE in done.stdout) == (0, True)
    assert not (encrypted / KEY_FILE).exists()
    assert not is_noted(file.request)


@pytest.mark.skipif(os.name != "posix", reason="a pseudo terminal")
@pytest.mark.parametrize("answer", ["n", "y"])
def test_the_terminal_asks_about_a_decryption_that_was_not_requested_here(encrypted: Path, answer: str) -> None:
    VaultEncryption(encrypted).decrypt(PASSPHRASE)
    file = read_key_file(locked(encrypted))
    assert file is not None
    remove_request(file.request)
    master, slave = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "--vault", str(encrypted), "note", "list"],
        cwd=ROOT,
        env={**os.environ, VARIABLE: PASSPHRASE},
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=slave,
    )
    os.close(slave)
    shown = b""
    while b"Decrypt them?" not in shown:
        shown += os.read(master, 1000)
    assert files_with(encrypted, NEEDLE) == []
    os.write(master, answer.encode() + b"\n")
    listed, _ = process.communicate(timeout=120)
    os.close(master)
    assert (process.returncode, f"{NEEDLE} roses" in listed.decode()) == (0, True)
    assert (encrypted / KEY_FILE).exists() == (answer == "n")


@pytest.mark.parametrize("name", ["", "..", "../decryptions", "a/b", "a" * 300])
def test_a_request_is_no_path(name: str) -> None:
    remove_request(name)
    assert not is_noted(name)


def test_the_key_file_of_an_earlier_encryption_converts_nothing(encrypted: Path) -> None:
    mine = (encrypted / KEY_FILE).read_bytes()
    remove_key_file(encrypted)
    shutil.move(encrypted / "memory.db", encrypted.parent / "aside.db")
    other = encrypted.parent / "other"
    VaultEncryption(other).encrypt(PASSPHRASE)
    with opened(other):
        pass
    VaultEncryption(other).decrypt(PASSPHRASE)
    locked(other)
    shutil.move(encrypted.parent / "aside.db", encrypted / "memory.db")
    shutil.copy(other / KEY_FILE, encrypted / KEY_FILE)
    VaultEncryption(encrypted).unlock(PASSPHRASE)
    with pytest.raises(VaultDamagedError, match="does not hold the key"):
        Host(encrypted, serve=False).start()
    (encrypted / KEY_FILE).write_bytes(mine)
    locked(encrypted)
    VaultEncryption(encrypted).unlock(PASSPHRASE)
    with opened(encrypted) as host:
        assert len(host.ask("note.list")) == 1


def test_a_vault_of_an_earlier_version_opens_and_gets_a_tag(encrypted: Path) -> None:
    as_earlier_version(encrypted)
    done = command(encrypted, "search", "roses", passphrase=PASSPHRASE)
    assert done.returncode == 0, done.stderr
    file = read_key_file(encrypted)
    assert file is not None
    assert file.is_tagged
    assert file.state is EncryptionState.ENCRYPTED


def test_a_decryption_that_nothing_proves_is_not_carried_out(encrypted: Path) -> None:
    as_earlier_version(encrypted, state="decrypting")
    refused = command(encrypted, "search", "roses", passphrase=PASSPHRASE)
    assert refused.returncode == PassphraseRequiredError.exit_status
    assert "not from this account" in refused.stderr
    assert files_with(encrypted, NEEDLE) == []


# Plain files -------------------------------------------------------------------------------------------------------


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """Return the database of another vault, which is plain."""
    other = tmp_path / "plain"
    with opened(other) as host:
        host.ask("note.save", title="Planted", content="Planted words.")
    return other / "memory.db"


def plant(encrypted: Path, plain: Path) -> None:
    for name in ("memory.db-wal", "memory.db-shm"):
        (encrypted / name).unlink(missing_ok=True)
    shutil.copy(plain, encrypted / "memory.db")


def test_a_plain_database_is_not_opened(encrypted: Path, plain: Path) -> None:
    plant(encrypted, plain)
    planted = plain.read_bytes()
    for arguments in (
        ("capture", "ZQXNEWSECRET"),
        ("search", "Planted"),
        ("check",),
        ("salvage", "--into", str(encrypted.parent / "rescued")),
    ):
        refused = command(encrypted, *arguments, passphrase=PASSPHRASE)
        assert refused.returncode != 0, arguments
        assert "another program has put it there" in refused.stdout + refused.stderr
        assert "Planted words" not in refused.stdout
    assert files_with(encrypted, "ZQXNEWSECRET") == []
    assert (encrypted / "memory.db").read_bytes() == planted
    for unlocked in (False, True):
        if unlocked:
            VaultEncryption(encrypted).unlock(PASSPHRASE)
        with pytest.raises((VaultUnusableError, PassphraseRequiredError)):
            Host(encrypted, serve=False).start()


def test_a_plain_database_planted_as_a_backup_or_a_restore_is_refused(encrypted: Path, plain: Path) -> None:
    planted = encrypted / "backups" / "20261121T031500Z-daily.db"
    shutil.copy(plain, planted)
    VaultEncryption(encrypted).unlock(PASSPHRASE)
    closed = ClosedVault(encrypted)
    with pytest.raises(KeepsakeError, match="another program has put it there"):
        closed.restore(planted.name)
    shutil.copy(plain, encrypted / "restore.db")
    with pytest.raises(VaultDamagedError, match="called off"):
        Host(encrypted, serve=False).start()
    with opened(encrypted) as host:
        assert [note.title for note in host.ask("note.list")] == [f"{NEEDLE} roses"]


def test_a_plain_database_of_an_isolated_agent_is_refused(encrypted: Path, plain: Path) -> None:
    VaultEncryption(encrypted).unlock(PASSPHRASE)
    host = Host(encrypted)
    host.start()
    try:
        host.ask("agent.add", name="scout", trust="inner", isolated=True)
        token = host.ask("agent.rotate", name="scout").token
        caller = host.authenticate(token, "scout", "1")
        host.call("note.save", {"title": "Mine", "content": "My own."}, caller).result()
    finally:
        host.stop()
    (own,) = (encrypted / "agents").rglob("memory.db")
    shutil.copy(plain, own)
    host = Host(encrypted)
    host.start()
    try:
        caller = host.authenticate(token, "scout", "1")
        with pytest.raises(KeepsakeError, match="another program has put it there"):
            host.call("note.save", {"title": "Mine", "content": "ZQXNEWSECRET"}, caller).result()
    finally:
        host.stop()
    assert files_with(encrypted, "ZQXNEWSECRET") == []


def test_plain_files_are_not_read_and_the_check_names_them(encrypted: Path, plain: Path) -> None:
    (encrypted / "attachments" / "planted.txt").write_text("Planted words.")
    (encrypted / "vectors.cache").write_bytes(b"keepsake vectors, planted")
    (encrypted / "backups" / "attachments").mkdir(exist_ok=True)
    (encrypted / "backups" / "attachments" / "old.txt").write_text("Planted words.")
    shutil.copy(plain, encrypted / "backups" / "20261121T031500Z-daily.db")
    VaultEncryption(encrypted).unlock(PASSPHRASE)
    with opened(encrypted) as host:
        with pytest.raises(KeepsakeError, match="attach it again"):
            host.ask("attachment.read", link="attachments/planted.txt")
        # One of the same name is kept beside it, encrypted.
        data = base64.b64encode(b"Planted words.").decode()
        added = host.ask("attachment.add", name="planted.txt", data=data)
        assert added.name != "planted.txt"
        host.ask("backup.now")
        said = " ".join(item.what for item in host.ask("vault.check").findings)
        for name in ("attachments/planted.txt", "backups/attachments/old.txt", "20261121T031500Z-daily.db"):
            assert f"{name} is not encrypted" in said
    assert not (encrypted / "backups" / "attachments" / "planted.txt").exists()


def test_plain_files_are_taken_while_the_vault_is_being_encrypted(vault: Path) -> None:
    fill(vault)
    encryption = VaultEncryption(vault)
    encryption.encrypt(PASSPHRASE)
    (vault / "attachments" / "late.txt").write_text(f"{NEEDLE} late")
    with opened(vault) as host:
        assert {file.name for file in host.ask("attachment.list")} == {"roses.txt", "late.txt"}
        assert host.ask("vault.check").findings == ()
    assert files_with(vault, NEEDLE) == []
    locked(vault)


def spoiled(path: Path, spoil: Callable[[bytes], bytes]) -> None:
    path.write_bytes(spoil(path.read_bytes()))


def test_a_damaged_database_is_not_given_up_by_decrypting(encrypted: Path) -> None:
    spoiled(encrypted / "memory.db", lambda data: os.urandom(4096) + data[4096:])
    VaultEncryption(encrypted).decrypt(PASSPHRASE)
    with pytest.raises(VaultDamagedError, match="Nothing was changed"):
        Host(encrypted, serve=False).start()
    assert (encrypted / KEY_FILE).exists()
