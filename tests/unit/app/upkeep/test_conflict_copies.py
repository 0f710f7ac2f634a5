"""Copies that sync programs leave in a vault."""

from pathlib import Path

import pytest

from app.errors import VaultUnusableError
from app.host import Host
from app.upkeep.checks.integrity_check import conflict_copies

LEFT = (
    "memory (conflicted copy 2026-11-26 101112).db",
    "memory (Mara's conflicted copy 2026-11-26).db",
    "memory (Case Conflict).db",
    "memory.sync-conflict-20261126-101112-ABCDEFG.db",
    "memory_conflict-20261126-101112.db",
    "memory-LAPTOP.db",
    "memory (1).db",
    "memory 2.db",
    "~syncthing~memory.db.tmp",
    ".memory.db.icloud",
    "config (conflicted copy).toml",
    "encryption-LAPTOP.json",
)
OURS = ("memory.db", "memory.db-wal", "memory.db-shm", "memory.db-journal", "memory.db-wal.damaged", "config.toml",
        "encryption.json", "lock", "window.ini", "vectors.cache", "restore.db", "trace.jsonl", "host.json")  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_copies_are_recognised(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert conflict_copies(tmp_path) == [tmp_path / name]


def test_files_of_a_vault_are_not(host: Host) -> None:
    host.ask("backup.now")
    for name in OURS:
        (host.vault / name).touch()
    assert conflict_copies(host.vault) == []


def test_check_names_them(host: Host) -> None:
    (host.vault / "backups").mkdir(exist_ok=True)
    left = host.vault / "backups" / "20260101T000000Z-daily (conflicted copy).db"
    left.touch()
    assert any(left.name in finding.what for finding in host.ask("vault.check").findings)


def test_a_database_that_was_moved_away_is_not_begun_anew(tmp_path: Path) -> None:
    (tmp_path / ".memory.db.icloud").touch()
    with pytest.raises(VaultUnusableError, match="iCloud"):
        Host(tmp_path, serve=False).start()
    assert not (tmp_path / "memory.db").exists()
