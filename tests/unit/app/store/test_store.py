"""Store: locking, failures with a reason, and atomic writes."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from app.core.paths import migrations
from app.errors import (
    CancelledByPersonError,
    DiskFullError,
    InternalError,
    MachineError,
    TimeLimitError,
    VaultDamagedError,
    VaultLockedError,
    VaultNewerError,
    VaultReadOnlyError,
    VaultUnusableError,
)
from app.store.options import StoreOptions
from app.store.store import DATABASE, Store
from tests.helpers.disks import SmallDisk


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path / "vault", migrations())
    yield opened
    opened.close()


def test_folder_and_files_are_private(store: Store) -> None:
    assert store.vault.stat().st_mode & 0o777 == 0o700
    asyncio.run(store.write(lambda connection: connection.execute("INSERT INTO meta VALUES ('a', 'b')").get))
    for path in store.vault.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_write_is_seen_by_readers_once_it_returns(store: Store) -> None:
    asyncio.run(store.write(lambda connection: connection.execute("INSERT INTO meta VALUES ('a', 'b')").get))
    assert (
        asyncio.run(
            store.read(
                lambda connection: connection.execute("SELECT value FROM meta WHERE key NOT LIKE 'migration:%'").get
            )
        )
        == "b"
    )


def test_a_failed_write_leaves_nothing(store: Store) -> None:
    def work(connection: apsw.Connection) -> None:
        connection.execute("INSERT INTO meta VALUES ('a', 'b')")
        raise KeyError("after the insert")

    with pytest.raises(KeyError):
        asyncio.run(store.write(work))
    assert (
        asyncio.run(
            store.read(
                lambda connection: connection.execute("SELECT count(*) FROM meta WHERE key NOT LIKE 'migration:%'").get
            )
        )
        == 0
    )


def test_a_waiting_reader_is_known_while_it_waits(store: Store) -> None:
    assert not store.has_waiting_reader()
    assert asyncio.run(store.read(lambda _connection: store.has_waiting_reader()))
    assert not store.has_waiting_reader()
    assert not asyncio.run(store.read(lambda _connection: store.has_waiting_reader(), is_background=True))


def test_where_no_further_thread_can_begin_those_there_are_answer(store: Store) -> None:
    async def work() -> None:
        await store.read(lambda _connection: None)
        assert await asyncio.gather(*(store.read(lambda _connection: 1) for _ in range(8))) == [1] * 8
        assert not store.has_waiting_reader()

    before = threading.stack_size()
    asyncio.run(store.read(lambda _connection: None))
    threading.stack_size(1 << 46)  # more than any machine gives
    try:
        with pytest.raises(RuntimeError):
            threading.Thread(target=print).start()
        asyncio.run(work())
    finally:
        threading.stack_size(before)


def test_background_work_rests_as_long_as_callers_waited_just_now(store: Store) -> None:
    rests: list[float] = []

    async def rest(seconds: float) -> None:
        rests.append(seconds)

    async def work() -> None:
        await store.yield_to_readers(60.0, rest)
        await store.read(lambda _connection: None, is_background=True)
        await store.yield_to_readers(60.0, rest)
        assert not rests
        begun = time.monotonic()
        await store.read(lambda _connection: None)
        waited = time.monotonic() - begun
        await store.yield_to_readers(60.0, rest)
        assert 0 < rests[0] <= waited
        await store.yield_to_readers(rests[0] / 2, rest)
        assert rests[1:] == [rests[0] / 2]

    asyncio.run(work())


def test_background_work_rests_its_whole_time_while_a_caller_waits(store: Store) -> None:
    rests: list[float] = []

    async def rest(seconds: float) -> None:
        rests.append(seconds)

    async def work() -> None:
        called, answer = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        def wait(_connection: apsw.Connection) -> None:
            loop.call_soon_threadsafe(called.set)
            answer.wait()

        reading = asyncio.create_task(store.read(wait))
        await called.wait()
        await store.yield_to_readers(60.0, rest)
        answer.set()
        await reading

    asyncio.run(work())
    assert rests == [60.0]


def test_readers_cannot_write(store: Store) -> None:
    with pytest.raises(VaultReadOnlyError):
        asyncio.run(
            store.read(lambda connection: connection.execute("DELETE FROM meta WHERE key NOT LIKE 'migration:%'").get)
        )


def test_one_read_sees_one_snapshot(store: Store) -> None:
    begun, written = threading.Event(), threading.Event()

    def read(connection: apsw.Connection) -> tuple[int, int]:
        first = connection.execute("SELECT count(*) FROM meta WHERE key NOT LIKE 'migration:%'").get
        begun.set()
        assert written.wait(10)
        return first, connection.execute("SELECT count(*) FROM meta WHERE key NOT LIKE 'migration:%'").get

    async def both() -> tuple[int, int]:
        reading = asyncio.ensure_future(store.read(read))
        await asyncio.to_thread(begun.wait, 10)
        await store.write(lambda connection: connection.execute("INSERT INTO meta VALUES ('a', 'b')").get)
        written.set()
        return await reading

    assert asyncio.run(both()) == (0, 0)


def test_a_read_is_stopped_at_its_limit(store: Store) -> None:
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(TimeLimitError):
        asyncio.run(store.read(lambda connection: connection.execute(endless).get, limit_s=0.05))
    assert asyncio.run(store.read(lambda connection: connection.execute("SELECT 1").get)) == 1


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


def test_long_reads_end_when_the_vault_closes(store: Store) -> None:
    async def run() -> None:
        begun = threading.Event()

        def read(connection: apsw.Connection) -> object:
            begun.set()
            return connection.execute(ENDLESS).get

        reading = asyncio.create_task(store.read(read, limit_s=3_600))
        await asyncio.to_thread(begun.wait)
        store.interrupt()
        with pytest.raises(CancelledByPersonError):
            await reading
        assert await store.read(lambda connection: connection.execute("SELECT 1").get) == 1

    asyncio.run(run())


def test_a_read_is_stopped_when_its_caller_is_cancelled(tmp_path: Path) -> None:
    with contextlib.closing(Store.open(tmp_path / "one", migrations(), options=StoreOptions(readers=1))) as store:
        begun, ended = threading.Event(), threading.Event()

        def read(connection: apsw.Connection) -> object:
            begun.set()
            try:
                return connection.execute(ENDLESS).get
            finally:
                ended.set()

        async def run() -> None:
            reading = asyncio.create_task(store.read(read, limit_s=3_600))
            await asyncio.to_thread(begun.wait)
            waiting = asyncio.create_task(store.read(read, limit_s=3_600))  # there is no other reader
            await asyncio.sleep(0)
            for task in (waiting, reading):
                task.cancel()
            begun.clear()
            assert await store.read(lambda connection: connection.execute("SELECT 1").get) == 1
            assert ended.is_set()
            assert not begun.is_set()
            assert (reading.cancelled(), waiting.cancelled()) == (True, True)

        asyncio.run(run())


def test_only_writes_that_begin_anew_are_stopped(store: Store) -> None:
    def write(connection: apsw.Connection, name: str) -> None:
        connection.execute("INSERT INTO meta VALUES (?, '')", (name,))
        begun.set()
        assert go_on.wait(60)
        if name == "derived":
            connection.execute(ENDLESS)

    begun, go_on = threading.Event(), threading.Event()

    async def run() -> list[object]:
        kept = asyncio.create_task(store.write(lambda connection: write(connection, "kept")))
        await asyncio.to_thread(begun.wait)
        begun.clear()
        go_on.set()
        await kept
        stopped = asyncio.create_task(store.write(lambda connection: write(connection, "derived"), is_stoppable=True))
        await asyncio.to_thread(begun.wait)
        late = asyncio.create_task(store.write(lambda connection: write(connection, "late")))
        later = asyncio.create_task(store.write(lambda connection: write(connection, "later"), is_stoppable=True))
        await asyncio.sleep(0)
        store.interrupt()
        return await asyncio.gather(stopped, late, later, return_exceptions=True)

    stopped, late, later = asyncio.run(run())
    assert isinstance(stopped, CancelledByPersonError)
    assert late is None
    assert isinstance(later, CancelledByPersonError)
    names = asyncio.run(store.read(lambda connection: connection.execute("SELECT key FROM meta").fetchall()))
    assert {name for (name,) in names} >= {"kept", "late"}
    assert not {name for (name,) in names} & {"derived", "later"}


def test_a_backup_that_is_stopped_leaves_no_file(store: Store) -> None:
    store.interrupt()
    with pytest.raises(CancelledByPersonError):
        asyncio.run(store.back_up("manual"))
    assert list((store.vault / "backups").iterdir()) == []


def test_a_wrong_statement_is_our_bug(store: Store) -> None:
    with pytest.raises(InternalError):
        asyncio.run(store.write(lambda connection: connection.execute("SELECT nothing FROM nowhere").get))


def test_after_closing_nothing_is_taken(store: Store) -> None:
    store.close()
    with pytest.raises(MachineError, match="closing"):
        asyncio.run(store.read(lambda connection: connection.execute("SELECT 1").get))


def test_a_second_opener_in_this_process_is_refused(store: Store) -> None:
    with pytest.raises(VaultLockedError, match="Another Keepsake"):
        Store.open(store.vault, migrations())


def test_second_process_is_refused_with_the_owner_named(store: Store) -> None:
    code = (
        "import sys; from pathlib import Path; from app.store.store import Store;"
        "from app.core.paths import migrations; Store.open(Path(sys.argv[1]), migrations())"
    )
    done = subprocess.run([sys.executable, "-c", code, str(store.vault)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert f"process {os.getpid()}" in done.stderr


def test_a_file_is_no_vault(tmp_path: Path) -> None:
    (tmp_path / "vault").write_text("a letter")
    with pytest.raises(VaultUnusableError, match="is a file"):
        Store.open(tmp_path / "vault", migrations())
    assert (tmp_path / "vault").read_text() == "a letter"


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    other = apsw.Connection(str(tmp_path / DATABASE))
    other.execute("CREATE TABLE theirs (a)")
    other.close()
    with pytest.raises(VaultUnusableError, match="another program"):
        Store.open(tmp_path, migrations())
    again = apsw.Connection(str(tmp_path / DATABASE))
    assert again.execute("SELECT group_concat(name) FROM sqlite_schema").get == "theirs"
    again.close()


def test_a_newer_vault_is_refused_unchanged(vault: Path) -> None:
    newer = apsw.Connection(str(vault / DATABASE))
    newer.pragma("user_version", 999)
    newer.close()
    before = (vault / DATABASE).read_bytes()
    with pytest.raises(VaultNewerError, match="newer Keepsake"):
        Store.open(vault, migrations())
    assert (vault / DATABASE).read_bytes()[100:] == before[100:]


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to be looked at" * 40, b"SQLite format 3\x00junk"]
)
def test_a_damaged_file_is_named_and_kept(vault: Path, content: bytes) -> None:
    (vault / DATABASE).write_bytes(content)
    with pytest.raises(VaultDamagedError, match="damaged"):
        Store.open(vault, migrations())
    assert (vault / DATABASE).read_bytes() == content


def test_the_lock_is_free_after_a_failed_opening(vault: Path) -> None:
    whole = (vault / DATABASE).read_bytes()
    (vault / DATABASE).write_bytes(b"junk" * 400)
    with pytest.raises(VaultDamagedError):
        Store.open(vault, migrations())
    (vault / DATABASE).write_bytes(whole)
    Store.open(vault, migrations()).close()


def test_full_disk_is_reported_and_loses_nothing(small_disk: SmallDisk) -> None:
    vault = small_disk(3) / "vault"
    store = Store.open(vault, migrations())
    insert = "INSERT INTO meta VALUES (?, hex(zeroblob(20000)))"
    kept: list[str] = []

    async def fill() -> None:
        for number in range(1000):
            await store.write(lambda connection, n=number: connection.execute(insert, (str(n),)).get)
            kept.append(str(number))

    with pytest.raises(DiskFullError, match="Free some space"):
        asyncio.run(fill())
    found = asyncio.run(
        store.read(
            lambda connection: connection.execute("SELECT key FROM meta WHERE key NOT LIKE 'migration:%'").fetchall()
        )
    )
    store.close()
    assert sorted(row[0] for row in found) == sorted(kept)


def _fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 65536)


def test_full_disk_at_the_first_opening_is_reported(small_disk: SmallDisk) -> None:
    disk = small_disk(1)
    with pytest.raises(OSError, match="space"):
        _fill(disk / "ballast")
    with pytest.raises(DiskFullError):
        Store.open(disk / "vault", migrations())


def test_a_backup_can_be_opened_and_holds_everything(store: Store) -> None:
    asyncio.run(store.write(lambda connection: connection.execute("INSERT INTO meta VALUES ('a', 'b')").get))
    path = asyncio.run(store.back_up("test"))
    copy = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    assert copy.execute("SELECT value FROM meta WHERE key NOT LIKE 'migration:%'").get == "b"
    copy.close()
    assert path.stat().st_mode & 0o077 == 0
