"""Read-only vaults open for reading, log included, and refuse writes with the reason."""

import os
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from app.core.paths import migrations
from app.errors import VaultLockedError, VaultReadOnlyError
from app.host import Host
from app.store.connection import open_writer
from tests.helpers.disks import SmallDisk, make_read_only, make_writable
from tests.helpers.guards.unexpected_logs import AllowLogs

SETTINGS = {"embedding.model": "hashed", "sessions.after_turn": False}


def opened(vault: Path) -> Host:
    host = Host(vault, serve=False, overrides=SETTINGS)
    host.start()
    return host


def fill(vault: Path) -> None:
    host = opened(vault)
    host.ask("note.save", title="Boiler", content="The boiler was mended by Marta")
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "The roses are in the garden"}])
    host.ask("vault.settle")
    host.stop()


def leave_log(vault: Path) -> None:
    """Add a note and leave it in the log, as after a crash."""
    connection = open_writer(vault / "memory.db")
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.execute("UPDATE memories SET title = 'Boiler in the log'")
    connection.close()
    assert (vault / "memory.db-wal").stat().st_size
    (vault / "memory.db-shm").unlink(missing_ok=True)


@pytest.fixture
def place(small_disk: SmallDisk) -> Iterator[Path]:
    place = small_disk(16)
    fill(place / "vault")
    yield place
    make_writable(place)


@pytest.mark.parametrize("has_log", [False, True])
def test_a_read_only_disk_can_be_read(place: Path, tmp_path: Path, *, has_log: bool) -> None:
    vault = place / "vault"
    if has_log:
        leave_log(vault)
    make_read_only(place)
    before = {path.name: path.stat().st_mtime_ns for path in vault.iterdir()}
    host = opened(vault)
    try:
        title = "Boiler in the log" if has_log else "Boiler"
        assert host.ask("memory.search", query="boiler mended").hits[0].title == title
        assert host.ask("memory.search", query="roses garden").hits[0].id == "s#1"
        assert [item.title for item in host.ask("memory.list")] == [title]
        assert host.ask("vault.check").ok
        status = host.ask("vault.settle", names=True)
        assert "cannot be written" in status.read_only
        assert status.notes == ()
        host.ask("exchange.export", path=str(tmp_path / "all.jsonl"), format="jsonl")
        assert title in (tmp_path / "all.jsonl").read_text()
        for operation, arguments in (
            ("note.save", {"content": "x"}),
            ("backup.now", {}),
            ("session.append", {"session": "s", "messages": [{"role": "user", "content": "more"}]}),
        ):
            with pytest.raises(VaultReadOnlyError, match="reading only"):
                host.ask(operation, **arguments)
    finally:
        host.stop()
    assert {path.name: path.stat().st_mtime_ns for path in vault.iterdir()} == before


def test_it_is_writable_again_later(place: Path) -> None:
    make_read_only(place)
    opened(place / "vault").stop()
    make_writable(place)
    host = opened(place / "vault")
    try:
        assert host.ask("vault.status").read_only == ""
        host.ask("note.save", content="more")
        assert host.ask("vault.check").ok
    finally:
        host.stop()


def test_other_programs_learn_why_they_cannot_connect(place: Path, allow_logs: AllowLogs) -> None:
    allow_logs("other programs cannot reach this vault")
    make_read_only(place)
    host = Host(place / "vault", overrides=SETTINGS)
    host.start()
    try:
        assert host.ask("session.length", session="s") == 1
    finally:
        host.stop()


def test_two_hosts_do_not_share_it(place: Path) -> None:
    make_read_only(place)
    host = opened(place / "vault")
    try:
        with pytest.raises(VaultLockedError):
            opened(place / "vault")
    finally:
        host.stop()


def test_an_older_vault_is_refused(place: Path) -> None:
    connection = apsw.Connection(str(place / "vault" / "memory.db"))
    connection.pragma("user_version", 1)
    connection.close()
    assert len(list(migrations().glob("*.sql"))) > 1
    make_read_only(place)
    with pytest.raises(VaultReadOnlyError, match="older Keepsake"):
        opened(place / "vault")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind root")
def test_a_folder_without_write_permission_can_be_read(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    fill(vault)
    vault.chmod(0o500)
    try:
        host = opened(vault)
        assert host.ask("session.length", session="s") == 1
        with pytest.raises(VaultReadOnlyError):
            host.ask("note.save", content="x")
        host.stop()
    finally:
        vault.chmod(0o700)
