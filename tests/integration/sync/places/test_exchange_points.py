"""Every kind of exchange point keeps objects whole and never changes one."""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from app.errors import ExchangeError, InputError
from app.sync.exchanges import postgresql_exchange
from app.sync.exchanges.exchange_places import place_of, without_password
from app.sync.exchanges.exchange_point import LEASES, ExchangePoint
from tests.helpers.servers.postgresql import PASSWORD, ROLE, PostgresqlServer
from tests.integration.sync.machines import COMPACT_AT_ONCE, Machine, compact, settle

VAULT, OTHER_VAULT, LANE, OTHER = "a" * 32, "b" * 32, "0" * 15 + "1", "0" * 15 + "2"
FIRST, SECOND = f"{LANE}/s-000000000001-000000000004", f"{LANE}/s-000000000005-000000000005"
ALL_BYTES = bytes(range(256)) * 5000


@contextmanager
def made(address: str, vault: str = VAULT) -> Iterator[ExchangePoint]:
    place = place_of(address)
    place.make_vault(vault)
    point = place.point(vault)
    yield point
    point.close()


def test_an_object_is_kept_once_and_never_changed(address: str) -> None:
    with made(address) as point:
        point.require_there()
        assert point.get(FIRST) is None
        assert point.put_new(FIRST, ALL_BYTES)
        assert not point.put_new(FIRST, b"two")
        assert point.put_new(FIRST, ALL_BYTES)  # as where the answer to the first attempt was lost
        assert point.get(FIRST) == ALL_BYTES
        assert point.put_new(SECOND, b"")
        assert point.put_new(f"{OTHER}/s-000000000001-000000000001-r2", b"three")
        assert point.lanes() == [LANE, OTHER]
        assert point.names(LANE) == [FIRST, SECOND]
        assert point.names("0" * 16) == []
        point.remove(FIRST)
        point.remove(FIRST)
        assert point.names(LANE) == [SECOND]
        assert point.get(SECOND) == b""
        assert point.put_new(FIRST, b"again")


def test_of_two_who_write_one_name_one_wins(address: str) -> None:
    together = threading.Barrier(4)

    def put(number: int) -> bool:
        together.wait()
        with made(address) as point:  # they make the place at the same moment too
            return point.put_new(FIRST, bytes([number]) * 1000)

    with ThreadPoolExecutor(4) as pool:
        won = list(pool.map(put, range(4)))
    assert won.count(True) == 1
    with made(address) as point:
        assert point.get(FIRST) == bytes([won.index(True)]) * 1000


def test_a_place_is_for_one_vault(address: str) -> None:
    place = place_of(address)
    assert place.vault() is None
    with made_anew(address) as point, pytest.raises(ExchangeError, match="does not hold"):
        point.require_there()
    place.make_vault(VAULT)
    place.make_vault(VAULT)
    assert place.vault() == VAULT
    with made_anew(address, OTHER_VAULT) as point, pytest.raises(ExchangeError, match="does not hold"):
        point.require_there()
    place.make_vault(OTHER_VAULT)
    with pytest.raises(ExchangeError, match="more than one vault"):
        place.vault()


def test_two_machines_agree_through_it(address: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    base = tmp_path_factory.mktemp("machines")
    machines = [Machine(base / name, base / "unused") for name in ("desktop", "laptop")]
    try:
        for machine in machines:
            state = machine.join(machines[0], address) if machine is not machines[0] else machine.share(address)
            assert state.place == without_password(address)
            assert quote(PASSWORD) not in repr((state, machine.rows("SELECT value FROM meta")))
            machine.ask("note.save", content=f"of {machine.vault.name}")
        settle(*machines)
        assert machines[0].contents() == ["of desktop", "of laptop"]
    finally:
        for machine in machines:
            machine.stop()


def test_a_machine_joins_by_a_snapshot_that_stands_for_all_segments(
    address: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.mktemp("snapshots")
    one, other = (Machine(base / name, base / "unused") for name in ("desktop", "laptop"))
    try:
        compact(one.host, COMPACT_AT_ONCE)
        one.share(address)
        for number in range(3):
            one.ask("note.save", content=f"note {number}")
            one.sync()
        point = one.point()
        assert {len(point.names(lane)) for lane in point.lanes()} == {1}
        assert len(point.names("snapshots")) >= 2
        other.join(one, address)
        settle(one, other)
        assert len(other.contents()) == 3
    finally:
        one.stop()
        other.stop()


def test_who_waits_hears_of_what_others_add(postgresql: PostgresqlServer) -> None:
    address = postgresql.new_place()
    with made(address) as one, made(address) as other, ThreadPoolExecutor(1) as pool:
        assert not one.wait(0.5)  # it listens from here on
        assert one.put_new(FIRST, b"own")
        assert not one.wait(0.2)  # what it wrote itself is no news
        assert other.put_new(f"{LEASES}/j-{'1' * 32}-000000000001", b"lease")
        assert not one.wait(0.2)
        waiting = pool.submit(one.wait, 30.0)
        assert other.put_new(SECOND, b"of the other")
        assert waiting.result()


def test_a_server_that_was_restarted_is_found_again(postgresql: PostgresqlServer) -> None:
    address = postgresql.new_place()
    with made(address) as point:
        assert point.put_new(FIRST, b"one")
        postgresql.kill()
        try:
            with pytest.raises(ExchangeError, match="cannot be reached"):
                point.names(LANE)
        finally:
            postgresql.start()
        assert point.get(FIRST) == b"one"
        assert not point.put_new(FIRST, b"two")
        postgresql.kill()
        postgresql.start()
        assert point.names(LANE) == [FIRST]  # the connection was lost without anybody's asking meanwhile


def test_what_the_server_refuses_is_said(postgresql: PostgresqlServer) -> None:
    address = postgresql.new_place()
    database = address.rpartition("/")[2].partition("?")[0]
    with pytest.raises(ExchangeError, match="cannot be reached: FATAL:  password"):
        place_of(postgresql.address(database, password="another one")).vault()
    with pytest.raises(ExchangeError, match="cannot be reached: FATAL:  database"):
        place_of(postgresql.address("nowhere")).vault()
    with pytest.raises(ExchangeError, match="cannot be reached"):
        place_of(f"postgresql://{ROLE}@127.0.0.1:1/{database}").vault()
    with pytest.raises(InputError, match="looks like postgresql://"):
        place_of("postgresql://keeper@server/memory?colour=green")
    with made(address) as point:
        postgresql.ask(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
        with made_anew(address) as again:
            assert again.names(LANE) == []
            with pytest.raises(ExchangeError, match="read-only"):
                again.put_new(FIRST, b"one")
        postgresql.ask(f"ALTER DATABASE {database} RESET default_transaction_read_only")
        assert point.put_new(FIRST, b"one")
    postgresql.ask("DROP ROLE IF EXISTS guest")
    postgresql.ask("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    guests = postgresql.address(database, "guest", "guest")
    with made_anew(guests) as point, pytest.raises(ExchangeError, match="Let it make tables"):
        point.names(LANE)


def test_a_database_that_was_emptied_is_not_taken_for_the_place(postgresql: PostgresqlServer) -> None:
    address = postgresql.new_place()
    with made(address) as point:
        postgresql.ask("DROP TABLE keepsake_object, keepsake_vault", address)
        with pytest.raises(ExchangeError, match="emptied"):
            point.require_there()
        assert place_of(address).vault() is None


def test_tables_that_were_made_in_part_are_completed(postgresql: PostgresqlServer) -> None:
    address = postgresql.new_place()
    postgresql.ask("CREATE TABLE keepsake_vault (vault text PRIMARY KEY, at timestamptz DEFAULT now())", address)
    with made(address) as point:
        point.require_there()
        assert point.put_new(FIRST, b"one")


def test_rows_of_other_types_are_refused_or_passed_over(postgresql: PostgresqlServer) -> None:
    address = postgresql.new_place()
    long = f"s-000000000001-000000000004-r{'9' * 6000}"
    for statement in (
        "CREATE TABLE keepsake_vault (vault text)",
        f"INSERT INTO keepsake_vault VALUES ('{VAULT}')",
        "CREATE TABLE keepsake_object (vault text, lane text, name text, data text)",
        f"INSERT INTO keepsake_object VALUES ('{VAULT}', '{LANE}', 's-000000000001-000000000004', 'text'),"
        f" ('{VAULT}', '{LANE}', '{long}', NULL), ('{VAULT}', '{LANE}', NULL, NULL), ('{VAULT}', NULL, NULL, NULL)",
    ):
        postgresql.ask(statement, address)
    with made_anew(address) as point:
        assert point.lanes() == [LANE]
        assert point.names(LANE) == [FIRST]
        with pytest.raises(ExchangeError, match="not those that Keepsake made"):
            point.get(FIRST)


def test_a_row_that_is_larger_than_any_of_ours_is_not_read(
    postgresql: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql_exchange, "MOST_BYTES", 1000)
    with made(postgresql.new_place()) as point:
        assert point.put_new(FIRST, bytes(1000))
        assert point.put_new(SECOND, bytes(1001))
        assert point.get(FIRST) == bytes(1000)
        with pytest.raises(ExchangeError, match="not those that Keepsake made"):
            point.get(SECOND)


def test_who_waits_for_a_server_that_does_not_answer_gives_up(
    postgresql: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = postgresql.new_place()
    with made(address) as point:
        assert point.put_new(FIRST, b"one")
        assert not point.wait(0.1)
        with stopped(postgresql), ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(point.names, LANE)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.5)
            point.close()
            with pytest.raises(ExchangeError, match="cannot be reached"):
                waiting.result()
        with pytest.raises(ExchangeError, match="has ended"):
            point.names(LANE)
        with pytest.raises(ExchangeError, match="has ended"):
            point.wait(0.1)
    with made(address) as point:
        assert point.names(LANE) == [FIRST]
        monkeypatch.setattr(postgresql_exchange, "ANSWER_S", 0.3)
        with stopped(postgresql), pytest.raises(ExchangeError, match="does not answer"):
            point.names(LANE)
        assert point.names(LANE) == [FIRST]


def test_a_pool_between_is_no_hindrance(postgresql: PostgresqlServer, tmp_path: Path) -> None:
    program = shutil.which("pgbouncer")
    if program is None:
        pytest.skip("PgBouncer is not on this machine")
    database = postgresql.new_place().rpartition("/")[2].partition("?")[0]
    with pool_of(postgresql, program) as folder:
        address = f"postgresql://{ROLE}@/{database}?host={folder}&port=6432"
        with made(address) as one, made(address) as other:
            for number in range(1, 9):  # more often than a driver takes to prepare a statement
                name = f"{LANE}/s-{number:012d}-{number:012d}"
                assert one.put_new(name, b"one")
                assert other.get(name) == b"one"
            assert len(other.names(LANE)) == 8
            assert not one.wait(0.1)


@contextmanager
def stopped(server: PostgresqlServer) -> Iterator[None]:
    """Let the processes that serve Keepsake stand still."""
    rows = server.ask("SELECT pid FROM pg_stat_activity WHERE application_name = 'keepsake'")
    processes = [int(row[0]) for row in rows]
    assert processes
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


@contextmanager
def pool_of(server: PostgresqlServer, program: str) -> Iterator[Path]:
    """Run a pool that gives each transaction another connection."""
    folder = Path(tempfile.mkdtemp(prefix="kt-pool-"))
    folder.chmod(0o777)
    (folder / "pool.ini").write_text(
        f"[databases]\n* = host={server.folder} user={ROLE} password='{PASSWORD}'\n[pgbouncer]\nlisten_addr =\n"
        f"unix_socket_dir = {folder}\nlisten_port = 6432\nauth_type = any\npool_mode = transaction\n"
        "default_pool_size = 2\n"
    )
    user = ["-u", "nobody"] if os.geteuid() == 0 else []
    process = subprocess.Popen([program, *user, folder / "pool.ini"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        while not (folder / ".s.PGSQL.6432").exists():
            assert process.poll() is None
            time.sleep(0.05)
        yield folder
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


@contextmanager
def made_anew(address: str, vault: str = VAULT) -> Iterator[ExchangePoint]:
    point = place_of(address).point(vault)
    yield point
    point.close()
