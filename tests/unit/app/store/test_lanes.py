"""Lanes: one writer, numbers without a gap, one order for all, and no number twice whatever befalls the files."""

import asyncio
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import platformdirs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.clock import MAX_MS
from app.core.paths import migrations
from app.core.time_rules import hybrid_clock
from app.errors import InternalError, VaultDamagedError, VaultLockedError
from app.history import history_repo
from app.store import lanes
from app.store.options import StoreOptions
from app.store.store import DATABASE, Store
from tests.helpers.disks import SmallDisk

DAY_MS = 86_400_000
NOW_MS = 1_790_000_000_000


class CrashError(Exception):
    """Ends a transaction in the middle."""


class Installation:
    """A vault that is written, copied, lost and put back, with all that its lanes ever said."""

    def __init__(self, vault: Path) -> None:
        self.vault = vault
        self.store = Store.open(vault, migrations())
        self.clock_ms = NOW_MS
        self.said: dict[tuple[int, int], tuple[str, int]] = {}
        self.backups: list[Path] = []
        self._count = 0

    def write(self, work: Callable[[apsw.Connection], Any]) -> Any:
        return asyncio.run(self.store.write(work))

    def rows(self, sql: str) -> list[Any]:
        return asyncio.run(self.store.read(lambda connection: connection.execute(sql).fetchall()))

    def change(self, count: int) -> None:
        self.write(lambda connection: self._record(connection, count))
        assert self.rows("SELECT count(*) FROM lanes WHERE is_own") == [(1,)]

    def fail(self, count: int) -> None:
        def work(connection: apsw.Connection) -> None:
            self._record(connection, count)
            raise CrashError

        with pytest.raises(CrashError):
            self.write(work)

    def _record(self, connection: apsw.Connection, count: int) -> None:
        for _ in range(count):
            self._count += 1
            history_repo.record(
                connection,
                target_kind="memory",
                target=f"note-{self._count % 3}",
                event="UPDATE",
                before=None,
                after={"content": f"c{self._count}"},
                actor="person",
                at_ms=self.clock_ms,
            )

    def check(self) -> None:
        """Check numbers, clock and order, and that no number says two things."""
        rows = self.rows("SELECT lane, n, hlc, after ->> 'content', id FROM memory_history ORDER BY id")
        for lane, n, hlc, content, _ in rows:
            assert self.said.setdefault((lane, n), (content, hlc)) == (content, hlc)
        assert [row[4] for row in sorted(rows, key=lambda row: (row[2], row[0], row[1]))] == [row[4] for row in rows]
        assert len({row[2] for row in rows}) == len(rows)
        for lane, last in self.rows("SELECT lane, n FROM lanes"):
            assert [row[1] for row in rows if row[0] == lane] == list(range(1, last + 1))
        assert self.rows("SELECT count(*) FROM lanes WHERE is_own") in ([(0,)], [(1,)])

    def close(self) -> None:
        self.store.close()

    def reopen(self, *, killed: bool = False) -> None:
        """Close and open the vault; killed, without a word about how far it came."""
        notes = {path: path.read_bytes() for path in _notes()}
        self.close()
        if killed:
            for path, data in notes.items():
                path.write_bytes(data)
        self.store = Store.open(self.vault, migrations())

    def back_up(self) -> None:
        self.backups.append(asyncio.run(self.store.back_up("manual")))

    def restore(self, number: int, *, in_place: bool) -> None:
        """Put a backup back while the vault is closed, as a new file or into the file that is there."""
        backup = self.backups[number % len(self.backups)]
        self.close()
        if in_place:
            (self.vault / DATABASE).write_bytes(backup.read_bytes())
        else:
            shutil.copy(backup, self.vault / "put-back.db").replace(self.vault / DATABASE)
        self.store = Store.open(self.vault, migrations())


def _notes() -> list[Path]:
    return sorted((Path(platformdirs.user_state_dir("keepsake", appauthor=False)) / "lanes").glob("*.json"))


def _copy_of(vault: Path) -> dict[str, bytes]:
    """Return the files of a vault's database, as a person would copy them."""
    return {path.name: path.read_bytes() for path in vault.glob(f"{DATABASE}*") if not path.name.endswith("-shm")}


def _pages(vault: Path) -> bytes:
    """Return a database without its header, which tells whether there is a log."""
    return (vault / DATABASE).read_bytes()[100:]


def _change(connection: apsw.Connection) -> int:
    return history_repo.record(
        connection,
        target_kind="memory",
        target="note",
        event="UPDATE",
        before=None,
        after={"content": "c"},
        actor="person",
        at_ms=NOW_MS,
    )


def _own(store: Store) -> int:
    lane = asyncio.run(store.read(lanes.own))
    assert lane is not None
    return lane.lane


@pytest.fixture
def here(vault: Path) -> Iterator[Installation]:
    """Yield an installation with an empty vault."""
    installation = Installation(vault)
    yield installation
    installation.close()


def test_a_clock_beyond_all_times_is_not_followed(here: Installation) -> None:
    def work(connection: apsw.Connection) -> list[int]:
        connection.execute(
            "INSERT INTO lanes (lane, is_own, began_at, n, hlc) VALUES (5, 0, 0, 1, ?)", ((1 << 63) - 1,)
        )
        return [lanes.next_place(connection, NOW_MS).hlc for _ in range(3)]

    clocks = here.write(work)
    assert clocks == sorted(set(clocks))
    assert clocks[-1] < hybrid_clock.END


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("change"), st.integers(1, 4)),
        st.tuples(st.just("fail"), st.integers(1, 3)),
        st.tuples(st.just("clock"), st.integers(-400 * DAY_MS, 400 * DAY_MS)),
        st.tuples(st.just("seal"), st.just(0)),
        st.tuples(st.just("reopen"), st.just(0)),
        st.tuples(st.just("kill"), st.just(0)),
        st.tuples(st.just("back_up"), st.just(0)),
        st.tuples(st.just("restore"), st.integers(0, 5)),
        st.tuples(st.just("restore in place"), st.integers(0, 5)),
        st.tuples(st.just("lose notes"), st.just(0)),
    ),
    max_size=14,
)


@given(STEPS)
def test_no_number_is_given_twice_whatever_happens(template_db: Path, steps: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        vault.mkdir(mode=0o700)
        shutil.copy(template_db, vault / DATABASE)
        here = Installation(vault)
        try:
            for step, number in steps:
                _take(here, step, number)
                here.check()
            here.change(1)
            here.check()
        finally:
            here.close()


def _take(here: Installation, step: str, number: int) -> None:
    if step == "change":
        here.change(number)
    elif step == "fail":
        here.fail(number)
    elif step == "clock":
        here.clock_ms = max(0, here.clock_ms + number)
    elif step == "seal":
        asyncio.run(here.store.seal())
    elif step in ("reopen", "kill"):
        here.reopen(killed=step == "kill")
    elif step == "back_up":
        here.back_up()
    elif step.startswith("restore") and here.backups:
        here.restore(number, in_place=step == "restore in place")
    elif step == "lose notes":
        for note in _notes():
            note.unlink()


def test_one_lane_goes_on_from_opening_to_opening(here: Installation) -> None:
    here.change(1)
    lane = _own(here.store)
    for killed in (False, True, False):
        here.change(2)
        here.reopen(killed=killed)
        assert _own(here.store) == lane
    assert here.rows("SELECT n FROM lanes WHERE is_own") == [(7,)]


def test_opening_without_a_note_writes_nothing(here: Installation) -> None:
    here.change(3)
    here.close()
    before = _pages(here.vault)
    for note in _notes():
        note.unlink()
    for _ in range(3):
        Store.open(here.vault, migrations()).close()
    assert (_pages(here.vault), _notes()) == (before, [])
    here.store = Store.open(here.vault, migrations())
    here.change(1)
    here.check()


@pytest.mark.parametrize("has_note", [True, False])
def test_a_vault_opens_while_another_program_writes(here: Installation, *, has_note: bool) -> None:
    here.change(1)
    here.close()
    if not has_note:
        for note in _notes():
            note.unlink()
    options = StoreOptions(busy_ms=50)
    with closing(apsw.Connection(str(here.vault / DATABASE))) as other:
        other.pragma("journal_mode", "WAL")
        other.execute("BEGIN IMMEDIATE")
        here.store = Store.open(here.vault, migrations(), options=options)
        assert here.store.read_only is None
        assert here.rows("SELECT count(*) FROM memory_history") == [(1,)]
        with pytest.raises(VaultLockedError):
            here.change(1)
        other.execute("ROLLBACK")
    here.change(1)
    here.check()


def test_damaged_lanes_are_told_of_as_damage(here: Installation) -> None:
    here.change(1)
    [(root,)] = here.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'lanes'")
    [(size,)] = here.rows("PRAGMA page_size")
    here.close()
    with (here.vault / DATABASE).open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    here.store = Store.open(here.vault, migrations())
    with pytest.raises(VaultDamagedError, match="keepsake check"):
        here.change(1)


def test_opening_again_writes_nothing(here: Installation) -> None:
    here.change(3)
    here.close()
    before, notes = _pages(here.vault), [(note, note.stat().st_mtime_ns) for note in _notes()]
    here.store = Store.open(here.vault, migrations())
    here.close()
    assert _pages(here.vault) == before
    assert [(note, note.stat().st_mtime_ns) for note in _notes()] == notes


def test_a_backup_put_back_into_the_same_file_begins_a_new_lane(here: Installation) -> None:
    here.change(3)
    here.back_up()
    here.change(2)
    lane = _own(here.store)
    here.restore(0, in_place=True)
    here.change(1)
    assert _own(here.store) != lane
    assert here.rows("SELECT n, sealed FROM lanes WHERE lane = " + str(lane)) == [(3, 3)]


def test_a_copy_put_back_into_the_same_file_after_a_kill_begins_a_new_lane(here: Installation) -> None:
    here.change(1)
    lane = _own(here.store)
    here.reopen()
    for _ in range(3):
        here.change(2)
        copy = _copy_of(here.vault)
    here.change(2)
    here.reopen(killed=True)
    here.close()
    for name, data in copy.items():
        (here.vault / name).write_bytes(data)
    here.store = Store.open(here.vault, migrations())
    here.change(1)
    here.check()
    assert _own(here.store) != lane


def test_a_machine_that_stopped_begins_a_new_lane(here: Installation) -> None:
    here.change(2)
    lane = _own(here.store)
    here.reopen(killed=True)
    note = next(path for path in _notes() if path.stem == f"{lane:016x}")
    said = json.loads(note.read_bytes())
    assert said["boot"]
    note.write_text(json.dumps(said | {"boot": "another start"}))
    here.change(1)
    assert _own(here.store) != lane


@pytest.mark.skipif(sys.platform != "linux", reason="mounts small disks")
def test_copies_with_one_inode_on_two_disks_have_lanes_of_their_own(small_disk: SmallDisk, template_db: Path) -> None:
    # Two empty disks of one kind give their files the same numbers.
    first, second = (small_disk(24) for _ in range(2))
    for disk in (first, second):
        (disk / "vault").mkdir(mode=0o700)
        shutil.copy(template_db, disk / "vault" / DATABASE)
    here = Installation(first / "vault")
    here.change(2)
    lane = _own(here.store)
    here.close()
    (second / "vault" / DATABASE).write_bytes((first / "vault" / DATABASE).read_bytes())
    places = [(disk / "vault" / DATABASE).stat() for disk in (first, second)]
    assert places[0].st_ino == places[1].st_ino
    copy = Store.open(second / "vault", migrations())
    try:
        asyncio.run(copy.write(_change))
        assert _own(copy) != lane
    finally:
        copy.close()
    here.store = Store.open(first / "vault", migrations())
    here.change(1)
    assert _own(here.store) == lane
    here.close()


def test_a_copied_folder_begins_a_new_lane_and_the_first_goes_on(here: Installation, tmp_path: Path) -> None:
    here.change(3)
    lane = _own(here.store)
    here.close()
    shutil.copytree(here.vault, tmp_path / "copy")
    copy = Store.open(tmp_path / "copy", migrations())
    try:
        asyncio.run(copy.write(_change))
        assert _own(copy) != lane
    finally:
        copy.close()
    here.store = Store.open(here.vault, migrations())
    here.change(1)
    assert _own(here.store) == lane


def test_a_vault_of_another_machine_begins_a_new_lane(here: Installation) -> None:
    here.change(1)
    lane = _own(here.store)
    here.close()
    for note in _notes():  # that machine has its own
        note.unlink()
    here.store = Store.open(here.vault, migrations())
    here.change(1)
    assert _own(here.store) != lane


def test_a_renamed_folder_keeps_its_lane(here: Installation) -> None:
    here.change(1)
    lane = _own(here.store)
    here.close()
    here.vault = here.vault.rename(here.vault.with_name("elsewhere"))
    here.store = Store.open(here.vault, migrations())
    here.change(1)
    assert _own(here.store) == lane


def test_a_vault_opens_where_nothing_can_be_noted_outside_it(
    here: Installation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here.change(1)
    lane = _own(here.store)
    here.close()
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(tmp_path / "file"))
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    here.store = Store.open(here.vault, migrations())
    here.change(1)
    assert _own(here.store) != lane


def test_a_clock_that_goes_back_changes_no_order(here: Installation) -> None:
    here.change(1)
    for jump in (-400 * DAY_MS, 3 * DAY_MS, -NOW_MS, MAX_MS):
        here.clock_ms = min(max(0, here.clock_ms + jump), MAX_MS)
        here.change(1)
    here.check()
    contents = [
        entry.after["content"] if entry.after else ""
        for entry in asyncio.run(here.store.read(lambda connection: history_repo.entries(connection, limit=10)))
    ]
    assert contents == ["c5", "c4", "c3", "c2", "c1"]


def test_the_clock_follows_what_came_from_another_machine(here: Installation) -> None:
    ahead = (NOW_MS + 30 * DAY_MS) << 16
    here.write(
        lambda connection: connection.execute(
            "INSERT INTO lanes (lane, n, hlc, is_own, began_at) VALUES (7, 1, ?, 0, 0)", (ahead,)
        )
    )
    here.change(2)
    assert here.rows("SELECT hlc FROM memory_history ORDER BY id") == [(ahead + 1,), (ahead + 2,)]


def test_a_sealed_change_stays_as_it_is(here: Installation) -> None:
    here.change(2)
    assert asyncio.run(here.store.seal()) == 2
    here.change(1)
    ids = [row[0] for row in here.rows("SELECT id FROM memory_history ORDER BY id")]
    assert [here.write(lambda one, entry=entry: history_repo.is_open(one, entry)) for entry in ids] == [
        False,
        False,
        True,
    ]
    here.write(lambda connection: history_repo.extend(connection, ids[2], {"content": "longer"}))
    for grow in (history_repo.extend, history_repo.extend_before):
        with pytest.raises(InternalError):
            here.write(lambda connection, grow=grow: grow(connection, ids[1], {"content": "longer"}))
    assert here.rows("SELECT after ->> 'content' FROM memory_history ORDER BY id") == [("c1",), ("c2",), ("longer",)]


def test_entries_without_a_place_get_one_in_their_order(here: Installation) -> None:
    def insert(connection: apsw.Connection) -> None:
        for at in (5, 3, 9):
            connection.execute(
                "INSERT INTO memory_history (target_kind, target, event, actor, at)"
                " VALUES ('memory', 'x', 'ADD', 'a', ?)",
                (at,),
            )
        history_repo.place_unplaced(connection)

    here.change(1)
    here.write(insert)
    assert here.rows("SELECT n, at FROM memory_history ORDER BY hlc")[1:] == [(2, 5), (3, 3), (4, 9)]
