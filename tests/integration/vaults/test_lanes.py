"""Lanes of real vaults: copied folders, restored backups, killed hosts and upgrades that are killed halfway."""

import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.core.paths import migrations, program_root
from app.host import Host
from app.store.store import DATABASE, Store
from tests.helpers.earlier_vaults import vault_before
from tests.helpers.processes.warm_process import start_module

_CHANGES = 20_000
OPENING = """
import sys
from pathlib import Path
from app.core.paths import migrations
from app.store.store import Store
print("begun", flush=True)
Store.open(Path(sys.argv[1]), migrations()).close()
"""


def rows(vault: Path, sql: str) -> list[Any]:
    with closing(apsw.Connection(str(vault / DATABASE), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return connection.execute(sql).fetchall()


def own(vault: Path) -> tuple[int, int]:
    """Return number and lane of the lane that is written in a vault."""
    return rows(vault, "SELECT number, lane FROM lanes WHERE is_own")[0]


def require_whole(vault: Path) -> None:
    """Check that all changes are numbered without a gap within their lanes, in the order in which they were made."""
    found = rows(vault, "SELECT lane, n FROM memory_history ORDER BY hlc, lane, n")
    assert found == rows(vault, "SELECT lane, n FROM memory_history ORDER BY id")
    for lane, last in rows(vault, "SELECT lane, n FROM lanes"):
        assert [n for one, n in found if one == lane] == list(range(1, last + 1))


def test_a_restored_backup_goes_on_in_a_new_lane(vault: Path) -> None:
    first = Host(vault, serve=False)
    first.start()
    note = first.ask("note.save", content="before")
    first.ask("session.append", session="talk", messages=[{"role": "user", "content": "one"}])
    backup = first.ask("backup.now").name
    first.ask("note.update", id=note.id, version=note.version, content="after")
    first.ask("session.append", session="talk", messages=[{"role": "user", "content": "lost"}])
    first.ask("backup.restore", name=backup)
    first.stop()
    number, lane = own(vault)
    again = Host(vault, serve=False)
    again.start()
    try:
        assert again.ask("memory.get", ids=[note.id]).memories[0].content == "before"
        again.ask("note.update", id=note.id, version=note.version, content="other")
        again.ask("session.append", session="talk", messages=[{"role": "user", "content": "two"}])
        contents = [(entry.after or {}).get("content") for entry in again.ask("memory.history", target=note.id)]
        assert contents == ["other", "before"]
    finally:
        again.stop()
    new_number, new_lane = own(vault)
    assert new_lane != lane
    assert rows(vault, "SELECT content, origin FROM messages ORDER BY seq") == [("one", number), ("two", new_number)]
    require_whole(vault)


def test_a_copied_folder_and_the_first_never_write_the_same_lane(vault: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for folder, content in ((vault, "here"), (copy, "there"), (vault, "here again")):
        if folder == copy:
            shutil.copytree(vault, copy)
        host = Host(folder, serve=False)
        host.start()
        try:
            host.ask("note.save", content=content)
        finally:
            host.stop()
        require_whole(folder)
    said = [set(rows(folder, "SELECT lane, n, after ->> 'content' FROM memory_history")) for folder in (vault, copy)]
    assert {content for _, _, content in said[0] & said[1]} == {"here"}
    assert not {row[:2] for row in said[0] - said[1]} & {row[:2] for row in said[1] - said[0]}


def test_a_killed_host_goes_on_in_its_lane(vault: Path, tmp_path: Path) -> None:
    for number in range(3):
        with start_module("tests.integration.processes.writing", str(vault), "type", str(number)) as process:
            assert process.stdout is not None
            for _ in range(12):
                process.stdout.readline()
            process.kill()
        Store.open(vault, migrations()).close()
        require_whole(vault)
    assert len(rows(vault, "SELECT DISTINCT lane FROM memory_history")) == 1


BACKING_UP = """
import asyncio, os, signal, sys
from functools import partial
from pathlib import Path
from app.core.paths import migrations
from app.history import history_repo
from app.store.store import Store
store = Store.open(Path(sys.argv[1]), migrations())
def change(content):
    asyncio.run(store.write(partial(
        history_repo.record, target_kind="memory", target="note", event="UPDATE", before=None,
        after={"content": content}, actor="person", at_ms=1_790_000_000_000)))
for one in range(5):
    change(f"kept {one}")
print(asyncio.run(store.back_up("manual")), flush=True)
for one in range(3):
    change(f"lost {one}")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("in_place", [True, False])
def test_no_number_is_given_twice_after_a_kill_and_a_backup(vault: Path, *, in_place: bool) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", BACKING_UP, str(vault)], cwd=program_root(), capture_output=True, text=True, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    backup, database = Path(killed.stdout.strip()), vault / DATABASE
    said = "SELECT lane, n, after ->> 'content' FROM memory_history"
    with closing(apsw.Connection(str(database))) as connection:
        before = connection.execute(said).fetchall()
    assert len(before) == 8
    if in_place:
        database.write_bytes(backup.read_bytes())
    else:
        database.unlink()
        shutil.copy(backup, database)
    for path in vault.glob(DATABASE + "-*"):
        path.unlink()
    host = Host(vault, serve=False)
    host.start()
    try:
        host.ask("note.save", content="new")
    finally:
        host.stop()
    (new,) = (row for row in rows(vault, said) if row[2] == "new")
    assert new[:2] not in {row[:2] for row in before}
    require_whole(vault)


def test_undo_works_across_lanes(vault: Path) -> None:
    entries: list[int] = []
    for content in ("first", "second"):
        host = Host(vault, serve=False)
        host.start()
        try:
            if not entries:
                note = host.ask("note.save", content=content)
            else:
                note = host.ask("memory.get", ids=[note.id]).memories[0]
                note = host.ask("note.update", id=note.id, version=note.version, content=content)
            entries = [entry.id for entry in host.ask("memory.history", target=note.id)]
        finally:
            host.stop()
        shutil.copy(vault / DATABASE, vault / "copy.db").replace(vault / DATABASE)
    host = Host(vault, serve=False)
    host.start()
    try:
        host.ask("memory.undo", history_ids=[entries[0]])
        assert host.ask("memory.get", ids=[note.id]).memories[0].content == "first"
    finally:
        host.stop()
    assert len(rows(vault, "SELECT DISTINCT lane FROM memory_history")) == 3
    require_whole(vault)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """Return a vault of the schema before lanes, with a long history and clocks that went back."""
    with vault_before("lanes", tmp_path / "older") as connection:
        connection.executemany(
            "INSERT INTO memory_history (target_kind, target, event, after, actor, run_id, at)"
            " VALUES ('memory', ?, 'UPDATE', ?, 'person', ?, ?)",
            (
                (f"note-{one % 900}", f'{{"content":"{one} {"w" * 200}"}}', f"run-{one // 99}" if one % 2 else None, at)
                for one, at in ((one, 1_700_000_000_000 + one // 700 - (one % 5) * 10**8) for one in range(_CHANGES))
            ),
        )
        connection.execute("DELETE FROM memory_history WHERE id % 97 = 0")
    return tmp_path / "older"


def test_a_long_history_gets_its_places(older: Path) -> None:
    before = rows(older, "SELECT id, after, at FROM memory_history ORDER BY id")
    Store.open(older, migrations()).close()
    assert rows(older, "SELECT id, after, at FROM memory_history ORDER BY hlc, lane, n") == before
    require_whole(older)
    assert rows(older, "SELECT number, n, sealed FROM lanes") == [(1, len(before), len(before))]


@pytest.mark.parametrize("after_s", [0.05, 0.3, 0.8])
def test_an_upgrade_that_is_killed_begins_anew(older: Path, after_s: float) -> None:
    before = rows(older, "SELECT id, after, at FROM memory_history ORDER BY id")
    process = subprocess.Popen(
        [sys.executable, "-c", OPENING, str(older)], cwd=program_root(), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after_s)
    process.kill()
    process.wait()
    process.stdout.close()
    Store.open(older, migrations()).close()
    assert rows(older, "SELECT id, after, at FROM memory_history ORDER BY hlc, lane, n") == before
    require_whole(older)
