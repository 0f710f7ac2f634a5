"""A write-ahead log beside the database that is not its own: of another vault, or an older one that was put back."""

import shutil
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from app.encryption.sealed_files import SUFFIX
from app.host import Host
from app.store.encryption.vault_encryption import VaultEncryption
from app.store.files.database_file import log_of
from app.store.files.strange_logs import FOREIGN_LOG, set_strange_log_aside
from app.store.store import DATABASE
from tests.helpers.encryption import PASSPHRASE, files_with, needs_cipher

MESSAGES = 400
LATER = 100


def append(host: Host, session: str, count: int) -> None:
    messages = [{"role": "user", "content": f"{session} {number} " + "word " * 30} for number in range(count)]
    host.ask("session.append", session=session, messages=messages)


def running_copy(vault: Path, copies: Path, session: str) -> Path:
    """Write to a vault and return a copy of its log as it lay there meanwhile."""
    host = Host(vault, serve=False)
    host.start()
    try:
        append(host, session, MESSAGES)
        return Path(shutil.copy(log_of(vault / DATABASE), copies / f"{session}-wal"))
    finally:
        host.stop()


def counts(vault: Path) -> dict[str, int]:
    """Open a vault, check it, and return how many messages each conversation has."""
    host = Host(vault, serve=False)
    host.start()
    try:
        checked = host.ask("vault.check")
        assert [finding.what for finding in checked.findings if finding.severity == "error"] == []
        return {item.id: item.message_count for item in host.ask("session.list", limit=50)}
    finally:
        host.stop()


def set_aside(vault: Path) -> list[str]:
    return sorted(path.name for path in vault.glob(f"{DATABASE}-wal.*"))


@pytest.mark.slow
@pytest.mark.parametrize("later", [0, 100, 3_000])
def test_an_older_log_put_back_beside_a_closed_database(vault: Path, tmp_path: Path, later: int) -> None:
    old = running_copy(vault, tmp_path, "first")
    host = Host(vault, serve=False)
    host.start()
    append(host, "second", later or 1)
    host.stop()
    shutil.copy(old, log_of(vault / DATABASE))
    assert counts(vault) == {"first": MESSAGES, "second": later or 1}
    assert set_aside(vault) == [DATABASE + FOREIGN_LOG]
    assert counts(vault) == {"first": MESSAGES, "second": later or 1}


@pytest.mark.slow
@pytest.mark.parametrize("is_killed", [False, True])
def test_the_log_of_another_vault(vault: Path, tmp_path: Path, *, is_killed: bool) -> None:
    other = tmp_path / "other"
    foreign = running_copy(other, tmp_path, "foreign")
    host = Host(vault, serve=False)
    host.start()
    append(host, "own", MESSAGES)
    host.stop()
    if is_killed:  # the header then says that there is a log
        data = bytearray((vault / DATABASE).read_bytes())
        data[18:20] = b"\x02\x02"
        (vault / DATABASE).write_bytes(data)
    shutil.copy(foreign, log_of(vault / DATABASE))
    assert counts(vault) == {"own": MESSAGES}
    assert set_aside(vault) == [DATABASE + FOREIGN_LOG]


def test_what_was_set_aside_is_named(vault: Path, tmp_path: Path) -> None:
    shutil.copy(running_copy(vault, tmp_path, "first"), log_of(vault / DATABASE))
    host = Host(vault, serve=False)
    host.start()
    try:
        findings = [finding.what for finding in host.ask("vault.check").findings]
        assert any(DATABASE + FOREIGN_LOG in what and "whole without it" in what for what in findings), findings
    finally:
        host.stop()


def with_older_log(vault: Path, tmp_path: Path) -> Path:
    """Return a copy of an older log of a closed vault, after it was put back beside the database."""
    old = running_copy(vault, tmp_path, "first")
    host = Host(vault, serve=False)
    host.start()
    append(host, "second", LATER)
    host.stop()
    shutil.copy(old, log_of(vault / DATABASE))
    return old


@needs_cipher
@pytest.mark.slow
def test_an_older_log_is_no_part_of_what_is_encrypted(vault: Path, tmp_path: Path) -> None:
    old = with_older_log(vault, tmp_path)
    encryption = VaultEncryption(vault)
    encryption.encrypt(PASSPHRASE)
    assert counts(vault) == {"first": MESSAGES, "second": LATER}
    assert set_aside(vault) == [DATABASE + FOREIGN_LOG + SUFFIX]
    assert files_with(vault, "first 3") == []
    encryption.decrypt(PASSPHRASE)
    assert counts(vault) == {"first": MESSAGES, "second": LATER}
    assert (vault / (DATABASE + FOREIGN_LOG)).read_bytes() == old.read_bytes()


@needs_cipher
@pytest.mark.slow
def test_an_older_encrypted_log_is_no_part_of_what_is_decrypted(vault: Path, tmp_path: Path) -> None:
    encryption = VaultEncryption(vault)
    encryption.encrypt(PASSPHRASE)
    old = with_older_log(vault, tmp_path)
    assert b"first 3" not in old.read_bytes()
    assert counts(vault) == {"first": MESSAGES, "second": LATER}
    assert set_aside(vault) == [DATABASE + FOREIGN_LOG]
    shutil.copy(old, log_of(vault / DATABASE))
    encryption.decrypt(PASSPHRASE)
    assert counts(vault) == {"first": MESSAGES, "second": LATER}
    assert set_aside(vault) == [DATABASE + FOREIGN_LOG, DATABASE + FOREIGN_LOG + "1"]


@pytest.mark.slow
def test_an_older_log_outlives_a_restore(vault: Path, tmp_path: Path) -> None:
    old = with_older_log(vault, tmp_path)
    counts(vault)
    host = Host(vault, serve=False)
    host.start()
    host.ask("backup.restore", name=host.ask("backup.now").name)
    host.stop()
    shutil.copy(old, log_of(vault / DATABASE))
    assert counts(vault) == {"first": MESSAGES, "second": LATER}
    assert set_aside(vault) == [DATABASE + FOREIGN_LOG, DATABASE + FOREIGN_LOG + "1"]


@needs_cipher
@pytest.mark.slow
@pytest.mark.parametrize("is_plain", [False, True])
def test_forgetting_for_ever_reads_a_log_of_an_encrypted_vault(vault: Path, tmp_path: Path, *, is_plain: bool) -> None:
    encryption = VaultEncryption(vault)
    if not is_plain:
        encryption.encrypt(PASSPHRASE)
    with_older_log(vault, tmp_path)
    if is_plain:
        encryption.encrypt(PASSPHRASE)  # it is sealed then
    host = Host(vault, serve=False)
    host.start()
    try:
        receipt = host.ask("memory.forget_forever", sessions=["first"], confirm=True, backups="delete")
        assert {file.name: file.outcome for file in receipt.backups} == {
            DATABASE + FOREIGN_LOG + (SUFFIX if is_plain else ""): "deleted"
        }
    finally:
        host.stop()
    assert set_aside(vault) == []


def test_no_log_takes_the_place_of_another(tmp_path: Path) -> None:
    for name in (f"{FOREIGN_LOG}1", FOREIGN_LOG + SUFFIX):
        (tmp_path / f"{DATABASE}{name}").write_text("kept")
    with closing(apsw.Connection(str(tmp_path / DATABASE))) as connection:
        connection.execute("CREATE TABLE rose (petal)")
    with closing(apsw.Connection(str(tmp_path / "other.db"))) as other:
        other.pragma("journal_mode", "WAL")
        other.execute("CREATE TABLE rose (petal)")
        shutil.copy(tmp_path / "other.db-wal", log_of(tmp_path / DATABASE))
    set_strange_log_aside(tmp_path / DATABASE)
    names = [f"{DATABASE}{FOREIGN_LOG}{ending}" for ending in (SUFFIX, "1", "2")]
    assert set_aside(tmp_path) == names
