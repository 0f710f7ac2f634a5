"""Restoring: another database takes the vault's place, whole or not at all, and nothing that was there is lost."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from app.core.paths import migrations
from app.errors import DiskFullError, VaultDamagedError
from app.store import staged_restore
from app.store.backup import backup_name, backup_path, read_name
from app.store.store import DATABASE, Store
from tests.helpers.disks import SmallDisk
from tests.helpers.sample_data import ROOT


def write(vault: Path, word: str, steps: Path | None = None) -> None:
    store = Store.open(vault, steps or migrations())
    sql = "INSERT INTO meta VALUES ('word', ?) ON CONFLICT DO UPDATE SET value = excluded.value"
    asyncio.run(store.write(lambda connection: connection.execute(sql, (word,)).get))
    store.close()


def word(database: Path) -> str:
    with closing(staged_restore.open_copy(database)) as connection:
        return str(connection.execute("SELECT value FROM meta WHERE key = 'word'").get)


def opened(vault: Path, steps: Path | None = None) -> str:
    store = Store.open(vault, steps or migrations())
    try:
        return str(asyncio.run(store.read(lambda c: c.execute("SELECT value FROM meta WHERE key = 'word'").get)))
    finally:
        store.close()


@pytest.fixture
def older(vault: Path) -> Path:
    """Return a backup of the test's vault, which has gone on since."""
    write(vault, "then")
    store = Store.open(vault, migrations())
    path = asyncio.run(store.back_up("manual"))
    store.close()
    write(vault, "now")
    return path


def test_a_restore_takes_place_at_the_next_opening(vault: Path, older: Path) -> None:
    staged_restore.stage(vault, older)
    assert staged_restore.is_staged(vault)
    assert word(vault / DATABASE) == "now"
    assert opened(vault) == "then"
    assert not staged_restore.is_staged(vault)
    kept = [path for path in (vault / "backups").iterdir() if "before-restore" in path.name]
    assert [word(path) for path in kept] == ["now"]
    # And back.
    staged_restore.stage(vault, kept[0])
    assert opened(vault) == "now"
    assert all(path.stat().st_mode & 0o077 == 0 for path in vault.rglob("*"))


def test_a_restore_can_be_called_off(vault: Path, older: Path) -> None:
    staged_restore.stage(vault, older)
    assert staged_restore.unstage(vault)
    assert not staged_restore.unstage(vault)
    assert opened(vault) == "now"


def test_a_log_left_by_a_crash_goes_with_its_database(vault: Path, older: Path) -> None:
    store = Store.open(vault, migrations())
    asyncio.run(store.write(lambda c: c.execute("UPDATE meta SET value = 'in the log' WHERE key = 'word'").get))
    copy = vault.with_name("crashed")
    shutil.copytree(vault, copy, ignore=shutil.ignore_patterns("lock"))
    store.close()
    assert (copy / f"{DATABASE}-wal").stat().st_size
    staged_restore.stage(copy, copy / "backups" / older.name)
    assert opened(copy) == "then"
    assert [word(path) for path in (copy / "backups").glob("*before-restore.db")] == ["in the log"]


@pytest.mark.parametrize("damage", [b"", b"no database", None])
def test_what_is_damaged_or_gone_is_replaced_and_kept_as_it_was(vault: Path, older: Path, damage: bytes | None) -> None:
    if damage is None:
        (vault / DATABASE).unlink()
    else:
        (vault / DATABASE).write_bytes(damage)
    with pytest.raises(VaultDamagedError):
        Store.open(vault, migrations())
    staged_restore.stage(vault, older)
    assert opened(vault) == "then"
    kept = [path for path in (vault / "backups").iterdir() if path.is_dir()]
    assert [(path / DATABASE).read_bytes() for path in kept] == ([] if damage is None else [damage])


def test_a_damaged_backup_is_not_staged(vault: Path, older: Path) -> None:
    with older.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xa5" * 4096 * 4)
    with pytest.raises(VaultDamagedError):
        staged_restore.stage(vault, older)
    assert not staged_restore.is_staged(vault)
    assert opened(vault) == "now"


def test_an_older_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    steps, vault = tmp_path / "migrations", tmp_path / "vault"
    steps.mkdir()
    (steps / "0001_first.sql").write_text("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;")
    write(vault, "then", steps)
    store = Store.open(vault, steps)
    older = asyncio.run(store.back_up("manual"))
    store.close()
    (steps / "0002_second.sql").write_text(
        "ALTER TABLE meta ADD COLUMN more TEXT; CREATE TABLE further (a TEXT) STRICT;"
    )
    assert opened(vault, steps) == "then"
    staged_restore.stage(vault, older)
    store = Store.open(vault, steps)
    assert (store.schema, asyncio.run(store.read(lambda c: c.execute("SELECT count(*) FROM further").get))) == (2, 0)
    store.close()


def test_a_full_disk_leaves_everything_as_it_was(small_disk: SmallDisk, older: Path, vault: Path) -> None:
    disk = small_disk(2)
    full = Path(shutil.copytree(vault, disk / "vault"))
    with (disk / "ballast").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    before = {path: path.read_bytes() for path in full.rglob("*") if path.is_file()}
    with pytest.raises(DiskFullError):
        staged_restore.stage(full, older)
    assert {path: path.read_bytes() for path in full.rglob("*") if path.is_file()} == before


# Kills the process before each step of staging and of carrying out a restore in turn, and opens the vault after each.
KILLER = """
import os, shutil, signal, sys
from pathlib import Path
from tests.unit.app.store.test_staged_restore import opened, word
from app.core.paths import migrations
from app.store import staged_restore
from app.store.store import Store

STEPS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "open"}
vault, older = Path(sys.argv[1]), Path(sys.argv[2])

def work(copy, last):
    seen = 0
    def hook(event, arguments):
        nonlocal seen
        if event in STEPS and str(copy) in str(arguments[0]):
            seen += 1
            if seen == last:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)
    restore.stage(copy, older)
    Store.open(copy, migrations()).close()
    os._exit(0)

number, status = 0, -1
while status:
    number += 1
    copy = Path(shutil.copytree(vault, vault.with_name(f"copy{number}")))
    if not (child := os.fork()):
        work(copy, number)
    status = os.waitpid(child, 0)[1]
    was_staged = restore.is_staged(copy) or (copy / restore.ASIDE).exists() or status == 0
    now = opened(copy)
    words = sorted([word(path) for path in (copy / "backups").glob("*.db")] + [now])
    assert not (copy / restore.ASIDE).exists() and not restore.is_staged(copy)
    assert now == "then" or (not was_staged and now == "now"), (number, now)
    assert "now" in words and words.count("then") >= 1, (number, words)
    print(number, now)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_any_step_nothing_is_lost(vault: Path, older: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(vault), str(older)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    outcomes = [line.split()[1] for line in done.stdout.splitlines()]
    assert outcomes == sorted(outcomes)  # "now" until the copy is staged, "then" ever after
    assert outcomes.count("now") > 1
    assert outcomes.count("then") > 5


def test_names(tmp_path: Path) -> None:
    said = read_name(backup_name("before-import"))
    assert said is not None
    assert (said.reason, said.number) == ("before-import", 1)
    for name in ("", "memory.db", "20261321T000000Z-daily.db", "20261121T000000Z-.db", "20261121T000000Z-a.toml"):
        assert read_name(name) is None
    when = said.when
    for number in (1, 2, 3):
        path = backup_path(tmp_path, "daily", when)
        found = read_name(path.name)
        assert found is not None
        assert (found.reason, found.number, found.when) == ("daily", number, when)
        path.parent.mkdir(exist_ok=True)
        path.touch()


def test_opening_a_copy_writes_nothing(older: Path) -> None:
    with closing(staged_restore.open_copy(older)) as connection, pytest.raises(apsw.ReadOnlyError):
        connection.execute("DELETE FROM meta")
    assert [path for path in older.parent.iterdir() if path.name.startswith(older.name)] == [older]


def _overwritten(staged: Path) -> None:
    staged.write_bytes(os.urandom(4096) * 20)


def _damaged_inside(staged: Path) -> None:
    with staged.open("r+b") as file:
        for page in range(20, 60):
            file.seek(page * 4096)
            file.write(os.urandom(4096))


def _of_another_program(staged: Path) -> None:
    with closing(apsw.Connection(str(staged))) as connection:
        connection.pragma("application_id", 7)


def _newer(staged: Path) -> None:
    with closing(apsw.Connection(str(staged))) as connection:
        connection.pragma("user_version", 9_999)


def _linked(staged: Path) -> None:
    staged.rename(staged.with_name("elsewhere"))
    staged.symlink_to(staged.with_name("elsewhere"))


@pytest.mark.parametrize("spoil", [_overwritten, _damaged_inside, _of_another_program, _newer, _linked])
def test_what_cannot_take_over_is_put_aside_and_the_vault_stays(
    vault: Path, older: Path, spoil: Callable[[Path], None]
) -> None:
    staged_restore.stage(vault, older)
    spoil(vault / staged_restore.STAGED)
    with pytest.raises(VaultDamagedError, match="restore was called off") as caught:
        opened(vault)
    assert str(vault / DATABASE) in caught.value.message
    assert staged_restore.REFUSED in caught.value.message
    assert os.path.lexists(vault / staged_restore.REFUSED)
    assert not (vault / staged_restore.ASIDE).exists()
    assert opened(vault) == "now"


def test_a_database_moved_away_before_the_restore_failed_comes_back(vault: Path, older: Path) -> None:
    staged_restore.stage(vault, older)
    (vault / staged_restore.ASIDE).mkdir()
    (vault / DATABASE).rename(vault / staged_restore.ASIDE / DATABASE)
    _overwritten(vault / staged_restore.STAGED)
    with pytest.raises(VaultDamagedError, match="is as it was before"):
        opened(vault)
    assert opened(vault) == "now"


def test_a_rollback_journal_goes_with_its_database(vault: Path, older: Path) -> None:
    staged_restore.stage(vault, older)
    (vault / f"{DATABASE}-journal").write_bytes(b"of the database that was replaced")
    assert opened(vault) == "then"
    assert not (vault / f"{DATABASE}-journal").exists()
