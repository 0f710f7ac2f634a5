"""Disasters: each is named, nothing gets worse, and readable content is saved."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from app.cli.groups.maintenance_messages import has_losses
from app.core.paths import migrations
from app.errors import (
    DiskFullError,
    InputError,
    VaultDamagedError,
    VaultLockedError,
    VaultNewerError,
    VaultReadOnlyError,
    VaultUnusableError,
)
from app.host import Host
from app.recovery.model import SalvageReport
from app.recovery.salvage import salvage
from app.recovery.sqlite_pages import PageFile, TreeWalk
from app.store.files.preflight import SALVAGING
from app.store.store import DATABASE, Store
from tests.helpers.disks import SmallDisk
from tests.helpers.processes.warm_start import keepsake_command
from tests.helpers.sample_data import ROOT

SESSIONS, TURNS, NOTES = 6, 80, 40
LOG = DATABASE + "-wal"


@pytest.fixture(scope="session")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a vault with messages in its log only, as after a power loss."""
    vault = tmp_path_factory.mktemp("used") / "vault"
    host = Host(vault, serve=False, overrides={"index.vectors": False})
    host.start()
    for number in range(SESSIONS):
        turns = [{"role": "user", "content": f"turn {number} {turn} " + "words of it " * 30} for turn in range(TURNS)]
        host.ask("session.append", session=f"talk-{number}", messages=turns, title=f"Talk {number}")
    for number in range(NOTES):
        host.ask("note.save", title=f"Note {number}", content=f"note {number} " + "with a text " * 60, tags=["kept"])
    host.ask("vault.settle")
    host.ask("backup.now")
    host.stop()
    return vault


@pytest.fixture
def damaged(used: Path, tmp_path: Path) -> Path:
    """Return the test's own copy of a vault in use, to be damaged."""
    return Path(shutil.copytree(used, tmp_path / "damaged"))


def pages_of(vault: Path, name: str, kind: str = "table") -> list[int]:
    """Return the pages of a table's or an index's tree, its root first."""
    source = PageFile(vault / DATABASE)
    with closing(source):
        schema = [row.values for row in source.rows(1, TreeWalk())]
        root = next(row[3] for row in schema if row[:2] == (kind, name))
        assert isinstance(root, int)
        walk = TreeWalk()
        for _ in source.rows(root, walk):
            pass
        return [root, *sorted(walk.seen - {root})]


def overwrite(vault: Path, page: int, data: bytes = b"\xa5" * 4096) -> None:
    with (vault / DATABASE).open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(data)


def digests(vault: Path) -> dict[str, str]:
    """Return what is in the files that hold the person's words."""
    paths = [path for name in (DATABASE, LOG) if (path := vault / name).exists()]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def opening_fails(vault: Path, error: type[Exception], words: str) -> None:
    """Open a vault that must not open, twice, and see that nothing of it changed."""
    before = digests(vault)
    for _ in range(2):
        with pytest.raises(error, match=words):
            Host(vault, serve=False).start()
    assert digests(vault) == before


def saved(vault: Path) -> tuple[SalvageReport, Host]:
    """Salvage a vault and open the result; the damaged files must not change."""
    before = digests(vault)
    into = vault.with_name("saved")
    report = salvage(vault, into)
    assert digests(vault) == before
    host = Host(into, serve=False, overrides={"index.vectors": False})
    host.start()
    host.ask("vault.settle")
    return report, host


def kept(report: SalvageReport, table: str) -> int:
    return next(item.kept for item in report.tables if item.name == table)


def lost(report: SalvageReport, table: str) -> int | None:
    return next(item.lost for item in report.tables if item.name == table)


@pytest.fixture
def saving() -> Iterator[Callable[[Path], tuple[SalvageReport, Host]]]:
    hosts: list[Host] = []

    def save(vault: Path) -> tuple[SalvageReport, Host]:
        report, host = saved(vault)
        hosts.append(host)
        return report, host

    yield save
    for host in hosts:
        host.stop()


Saving = Callable[[Path], tuple[SalvageReport, Host]]


def errors(vault: Path) -> list[str]:
    host = Host(vault, serve=False, overrides={"index.vectors": False})
    host.start()
    try:
        return [f"{item.area}: {item.remedy}" for item in host.ask("vault.check").findings if item.severity == "error"]
    finally:
        host.stop()


def repair_refuses(vault: Path) -> None:
    """Check that a repair of damaged content changes nothing and names the remedy."""
    host = Host(vault, serve=False, overrides={"index.vectors": False})
    host.start()
    try:
        with pytest.raises(VaultDamagedError, match="salvage"):
            host.ask("vault.repair")
        with pytest.raises(VaultDamagedError, match="no sound copy"):
            host.ask("backup.now")
        assert [item.reason for item in host.ask("backup.list")] == ["manual"]
    finally:
        host.stop()


# Broken pages --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("garbage", [b"\0" * 4096, b"\xa5" * 4096, bytes(range(256)) * 16])
def test_a_broken_leaf_of_the_messages_costs_its_rows_alone(damaged: Path, saving: Saving, garbage: bytes) -> None:
    leaf = pages_of(damaged, "messages")[-3]
    with closing(PageFile(damaged / DATABASE)) as source:
        on_it = len(source.read(leaf, TreeWalk())[1])
    assert on_it
    overwrite(damaged, leaf, garbage)
    overwrite(damaged, pages_of(damaged, "chunks")[0])  # which has their words a second time
    assert any("salvage" in line for line in errors(damaged))
    repair_refuses(damaged)
    report, host = saving(damaged)
    assert kept(report, "messages") == SESSIONS * TURNS - on_it
    assert lost(report, "messages") == on_it
    assert kept(report, "memories") == NOTES
    assert not lost(report, "memories")
    assert has_losses(report)
    assert host.ask("vault.check").ok
    assert host.ask("memory.stats").messages == SESSIONS * TURNS - on_it
    assert host.ask("memory.search", query='"note 7"', recipe="words").hits[0].title == "Note 7"


def test_texts_with_a_second_copy_are_recovered(damaged: Path, saving: Saving) -> None:
    overwrite(damaged, pages_of(damaged, "messages")[-3])
    overwrite(damaged, pages_of(damaged, "memories")[-2])
    report, host = saving(damaged)
    assert report.regained > 2
    assert (kept(report, "messages"), kept(report, "memories")) == (SESSIONS * TURNS, NOTES)
    assert has_losses(report)  # who spoke is not in the index
    for number in range(SESSIONS):
        turns = host.ask("session.messages", session=f"talk-{number}", limit=1000)
        words = [turn.content for turn in turns]
        assert words == [f"turn {number} {turn} " + "words of it " * 30 for turn in range(TURNS)]
    notes = host.ask("note.list", limit=100)
    assert sorted(note.title for note in notes) == sorted(f"Note {number}" for number in range(NOTES))
    assert {note.tags for note in notes} == {("kept",)}
    assert host.ask("vault.check").ok


def test_a_broken_root_costs_nothing(damaged: Path, saving: Saving) -> None:
    root = pages_of(damaged, "messages")[0]
    overwrite(damaged, root)
    report, host = saving(damaged)
    assert kept(report, "messages") == report.found_again == SESSIONS * TURNS
    assert lost(report, "messages") == 0
    assert host.ask("vault.check").ok
    assert [turn.seq for turn in host.ask("session.messages", session="talk-3", limit=1000)] == [*range(1, TURNS + 1)]


def test_a_lost_conversation_is_made_for_its_turns(damaged: Path, saving: Saving) -> None:
    for page in pages_of(damaged, "sessions"):
        overwrite(damaged, page)
    report, host = saving(damaged)
    assert kept(report, "messages") == SESSIONS * TURNS
    assert report.sessions_made == SESSIONS
    assert host.ask("session.length", session="talk-2") == TURNS
    assert host.ask("vault.check").ok


def test_a_broken_index_is_mended_where_it_lies(damaged: Path) -> None:
    with closing(apsw.Connection(str(damaged / DATABASE))) as connection:
        connection.pragma("writable_schema", True)
        # As if the index had missed every second write.
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, '(created_at)', '(created_at) WHERE seq % 2')"
            " WHERE name = 'messages_by_time'"
        )
    with closing(apsw.Connection(str(damaged / DATABASE))) as connection:
        connection.execute("REINDEX messages_by_time")
        connection.pragma("writable_schema", True)
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, ' WHERE seq % 2', '') WHERE name = 'messages_by_time'"
        )
    host = Host(damaged, serve=False, overrides={"index.vectors": False})
    host.start()
    findings = host.ask("vault.check").findings
    assert {item.area for item in findings} == {"database"}
    assert all(item.is_mended_by_repair for item in findings)
    repaired = host.ask("vault.repair")
    assert repaired.ok
    assert any("messages_by_time" in line for line in repaired.mended)
    assert host.ask("vault.check").findings == ()
    assert host.ask("memory.stats").messages == SESSIONS * TURNS
    host.stop()


@pytest.mark.parametrize(
    ("name", "kind"), [("messages_by_time", "index"), ("chunks_fts_data", "table"), ("chunks", "table")]
)
def test_broken_pages_of_what_is_derived_cost_nothing(damaged: Path, saving: Saving, name: str, kind: str) -> None:
    for page in pages_of(damaged, name, kind)[-2:]:
        overwrite(damaged, page)
    assert errors(damaged)
    report, host = saving(damaged)
    assert (kept(report, "messages"), kept(report, "memories")) == (SESSIONS * TURNS, NOTES)
    assert not has_losses(report)
    assert host.ask("vault.check").ok
    assert host.ask("memory.search", query='"turn 5 79"', recipe="words").hits


# Files that are no database -----------------------------------------------------------------------------------------


def test_without_its_first_page_a_vault_points_to_its_backups(damaged: Path) -> None:
    overwrite(damaged, 1, b"\0" * 4096)
    opening_fails(damaged, VaultDamagedError, "Nothing was changed.*backup list.*salvage")
    with pytest.raises(VaultDamagedError, match="Restore a backup"):
        salvage(damaged, damaged.with_name("saved"))
    assert not damaged.with_name("saved").exists()


def test_no_database_at_all(damaged: Path) -> None:
    (damaged / DATABASE).write_text("Dear diary, " * 1000)
    opening_fails(damaged, VaultDamagedError, "damaged")
    with pytest.raises(VaultDamagedError, match="Restore a backup"):
        salvage(damaged, damaged.with_name("saved"))


@pytest.mark.parametrize("is_there", [True, False])
def test_an_empty_or_missing_database_is_not_begun_anew(damaged: Path, is_there: bool) -> None:
    (damaged / DATABASE).unlink()
    if is_there:
        (damaged / DATABASE).touch()
    opening_fails(damaged, VaultDamagedError, "was in use. Nothing was changed")
    assert (damaged / DATABASE).exists() == is_there
    with pytest.raises(VaultUnusableError, match="nothing to salvage"):
        salvage(damaged, damaged.with_name("saved"))


def test_a_log_without_its_database_is_kept(damaged: Path) -> None:
    shutil.rmtree(damaged / "backups")
    (damaged / DATABASE).write_bytes(b"")
    (damaged / LOG).write_bytes(b"the only copy of something")
    opening_fails(damaged, VaultDamagedError, "was in use")


def test_a_vault_that_never_came_to_be_opens_as_a_new_one(tmp_path: Path) -> None:
    (tmp_path / DATABASE).touch()
    Store.open(tmp_path, migrations()).close()


def test_a_truncated_file(damaged: Path, saving: Saving) -> None:
    size = (damaged / DATABASE).stat().st_size
    os.truncate(damaged / DATABASE, size * 2 // 3 + 100)
    opening_fails(damaged, VaultDamagedError, "salvage")
    report, host = saving(damaged)
    assert 0 < kept(report, "messages") <= SESSIONS * TURNS
    assert kept(report, "messages") + (lost(report, "messages") or 0) <= SESSIONS * TURNS
    assert host.ask("vault.check").ok


def test_next_to_nothing_left(damaged: Path) -> None:
    os.truncate(damaged / DATABASE, 4096)
    with pytest.raises(VaultDamagedError, match="Nothing of what was written"):
        salvage(damaged, damaged.with_name("saved"))
    assert not damaged.with_name("saved").exists()


def test_a_newer_vault_is_left_alone(damaged: Path) -> None:
    with closing(apsw.Connection(str(damaged / DATABASE))) as connection:
        connection.pragma("user_version", 999)
    opening_fails(damaged, VaultNewerError, "newer Keepsake")
    with pytest.raises(VaultNewerError, match="newer Keepsake"):
        salvage(damaged, damaged.with_name("saved"))


def test_the_database_of_another_program_is_left_alone(damaged: Path) -> None:
    (damaged / DATABASE).unlink()
    with closing(apsw.Connection(str(damaged / DATABASE))) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    opening_fails(damaged, VaultUnusableError, "another program")
    with pytest.raises(VaultUnusableError, match="another program"):
        salvage(damaged, damaged.with_name("saved"))


# The log -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def crashed(damaged: Path) -> Path:
    """Return a vault with messages in its log only, as after a power loss."""
    host = Host(damaged, serve=False, overrides={"index.vectors": False})
    host.start()
    for number in range(20):
        host.ask("session.append", session="late", messages=[{"role": "user", "content": f"late {number}"}])
    copy = damaged.with_name("crashed")
    shutil.copytree(damaged, copy, ignore=shutil.ignore_patterns("*-shm", "lock"))
    host.stop()
    assert (copy / LOG).stat().st_size
    return copy


def late(vault: Path) -> int:
    host = Host(vault, serve=False, overrides={"index.vectors": False})
    host.start()
    try:
        assert host.ask("vault.check").ok
        listed = [item.id for item in host.ask("session.list")]
        return int(host.ask("session.length", session="late")) if "late" in listed else 0
    finally:
        host.stop()


def test_a_log_is_read_by_salvaging_as_by_opening(crashed: Path, saving: Saving) -> None:
    report, _ = saving(crashed)
    assert kept(report, "messages") == SESSIONS * TURNS + 20
    assert not has_losses(report)
    assert late(crashed) == 20


def test_a_truncated_log_costs_what_was_written_last(crashed: Path, saving: Saving) -> None:
    os.truncate(crashed / LOG, (crashed / LOG).stat().st_size // 2)
    report, _ = saving(crashed)
    assert kept(report, "messages") - SESSIONS * TURNS == late(crashed) < 20


def test_a_deleted_log_costs_what_was_in_it_alone(crashed: Path) -> None:
    (crashed / LOG).unlink()
    assert late(crashed) < 20


def test_a_log_of_garbage_is_kept_and_named(crashed: Path) -> None:
    garbage = os.urandom(50_000)
    (crashed / LOG).write_bytes(garbage)
    assert late(crashed) < 20
    assert (crashed / f"{LOG}.damaged").read_bytes() == garbage
    host = Host(crashed, serve=False)
    host.start()
    assert any("set aside" in item.what for item in host.ask("vault.check").findings)
    host.stop()


# The machine ---------------------------------------------------------------------------------------------------------


def test_a_read_only_place_is_read_and_can_be_salvaged(small_disk: SmallDisk, used: Path, tmp_path: Path) -> None:
    disk = small_disk(30)
    vault = Path(shutil.copytree(used, disk / "vault"))
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    host = Host(vault, serve=False)
    host.start()
    assert "cannot be written" in host.ask("vault.status").read_only
    with pytest.raises(VaultReadOnlyError):
        host.ask("note.save", content="x")
    host.stop()
    report = salvage(vault, tmp_path / "saved")
    assert kept(report, "messages") == SESSIONS * TURNS
    assert not has_losses(report)


def test_a_disk_that_fills_up_leaves_no_half_of_a_vault(small_disk: SmallDisk, used: Path) -> None:
    disk = small_disk(1)
    with pytest.raises(DiskFullError):
        salvage(used, disk / "saved")
    assert not (disk / "saved").exists()


def test_into_a_place_in_use_nothing_is_saved(damaged: Path) -> None:
    for place in (damaged.parent, damaged / "inside"):
        with pytest.raises(InputError, match="--into"):
            salvage(damaged, place)


def test_two_processes(used: Path, tmp_path: Path) -> None:
    vault = Path(shutil.copytree(used, tmp_path / "vault"))
    with closing(Store.open(vault, migrations())):
        before = digests(vault)
        for verb in (["restore", next((vault / "backups").glob("*.db")).name], ["salvage"]):
            done = subprocess.run(
                [*keepsake_command(), "--vault", str(vault), *verb],
                cwd=ROOT, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == VaultLockedError.exit_status, (verb, done)
            assert "has this vault open" in done.stderr
        assert digests(vault) == before


class Clock:
    """A clock that a test sets."""

    def __init__(self, now_ms: int) -> None:
        self.now = now_ms

    def now_ms(self) -> int:
        return self.now


def test_a_clock_set_back_changes_no_order(damaged: Path) -> None:
    clock = Clock(1_900_000_000_000)
    host = Host(damaged, serve=False, clock=clock, overrides={"index.vectors": False})
    host.start()
    note = host.ask("note.save", content="before")
    clock.now -= 10 * 365 * 86_400_000
    later = host.ask("note.update", id=note.id, version=note.version, content="after")
    host.ask("session.append", session="talk-0", messages=[{"role": "user", "content": "said after"}])
    assert [item.event for item in host.ask("memory.history", target=note.id)][-1] == "ADD"
    assert host.ask("session.messages", session="talk-0", limit=1000)[-1].content == "said after"
    assert later.version == note.version + 1
    host.call("memory.undo", {"history_ids": [host.ask("memory.history", target=note.id)[0].id]}).result()
    assert host.ask("note.get", id=note.id).content == "before"
    assert host.ask("vault.check").ok
    host.stop()


def test_a_salvage_that_was_killed_leaves_no_vault_and_can_be_run_again(used: Path, tmp_path: Path) -> None:
    into = tmp_path / "saved"
    shutil.copytree(used, into / SALVAGING)  # as far as it had come
    with pytest.raises(VaultDamagedError, match="not finished"):
        Host(into, serve=False).start()
    assert not (into / DATABASE).exists()
    report = salvage(used, into)
    assert kept(report, "sessions") == SESSIONS
    assert not (into / SALVAGING).exists()
    assert (into / DATABASE).is_file()
