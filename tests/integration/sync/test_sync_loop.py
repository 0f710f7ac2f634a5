"""Machines that synchronise by themselves, as long as a person lets them."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.errors import ExchangeError, InputError
from app.sync.exchanges.exchange_places import without_password
from tests.helpers.engine import engine_of
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.helpers.servers.postgresql import PostgresqlServer
from tests.integration.sync.machines import Machine, let_in, machines_in

LONGEST_S = 90


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    """Return two machines that share nothing yet."""
    with machines_in(tmp_path, "desktop", "laptop") as (one, other):
        yield one, other


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + LONGEST_S
    while not is_so():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.05)


def test_what_is_written_here_arrives_there_by_itself(address: str, machines: tuple[Machine, Machine]) -> None:
    one, other = machines
    assert one.ask("device.share", place=address).place == without_password(address)
    assert let_in(other.host, one.host, address, "laptop").place == without_password(address)
    one.ask("note.save", content="of the desktop")
    until(lambda: other.contents() == ["of the desktop"])
    other.ask("note.save", content="of the laptop")
    until(lambda: one.contents() == ["of the desktop", "of the laptop"])
    state = one.ask("device.state")
    assert state.synced_at is not None
    assert (state.problem, state.held, state.is_paused) == ("", (), False)
    assert len([lane for lane in state.lanes if not lane.was_own]) == 1


def test_a_pause_holds_until_it_is_ended_and_outlives_the_program(
    postgresql: PostgresqlServer, machines: tuple[Machine, Machine]
) -> None:
    one, other = machines
    address = postgresql.new_place()
    one.ask("device.share", place=address)
    let_in(other.host, one.host, address, "laptop")
    assert other.ask("device.pause").is_paused
    one.ask("note.save", content="meanwhile")
    until(lambda: all(lane.shared == lane.known for lane in one.ask("device.state").lanes if lane.is_own))
    other.stop()
    other.start()
    assert other.ask("device.state").is_paused
    assert other.contents() == []
    assert not other.ask("device.resume").is_paused
    until(lambda: other.contents() == ["meanwhile"])


def test_who_leaves_keeps_everything_and_is_told_nothing_more(
    postgresql: PostgresqlServer, machines: tuple[Machine, Machine]
) -> None:
    one, other = machines
    address = postgresql.new_place()
    one.ask("device.share", place=address)
    let_in(other.host, one.host, address, "laptop")
    one.ask("note.save", content="before")
    until(lambda: other.contents() == ["before"])
    assert other.ask("device.leave").place == ""
    one.ask("note.save", content="after")
    until(lambda: all(lane.shared == lane.known for lane in one.ask("device.state").lanes if lane.is_own))
    assert other.contents() == ["before"]
    assert other.ask("device.share", place=address).place == without_password(address)
    until(lambda: other.contents() == ["after", "before"])


def test_a_place_is_reached_once_however_many_ask(
    postgresql: PostgresqlServer, machines: tuple[Machine, Machine]
) -> None:
    one, _ = machines
    one.share(postgresql.new_place())
    service = engine_of(one.host).sync.service

    async def reached() -> set[int]:
        await service.close()
        joined = await asyncio.gather(*(service.joined() for _ in range(8)))
        return {id(place) for place in joined}

    assert len(one.host.submit(reached()).result()) == 1


def test_a_place_that_is_gone_is_said_until_it_is_back(
    machines: tuple[Machine, Machine], tmp_path: Path, allow_logs: AllowLogs
) -> None:
    allow_logs("synchronisation failed: exchange")
    one, _ = machines
    one.ask("device.share", place=str(one.folder))
    one.ask("device.sync")
    (one.folder / "keepsake-v1").rename(tmp_path / "away")
    with pytest.raises(ExchangeError, match="does not hold what your machines share"):
        one.ask("device.sync")
    assert "does not hold what your machines share" in one.ask("device.state").problem
    until(lambda: any("do not hear of each other" in said for said in one.ask("vault.status").notes))
    (tmp_path / "away").rename(one.folder / "keepsake-v1")
    one.ask("device.sync")
    assert one.ask("device.state").problem == ""


def test_the_password_of_a_database_is_not_told(
    machines: tuple[Machine, Machine], postgresql: PostgresqlServer
) -> None:
    one, _ = machines
    address = postgresql.new_place()
    assert "secret" in address
    assert "secret" not in one.ask("device.share", place=address).place
    assert "secret" not in repr(one.ask("device.state"))


def test_a_place_is_told_without_its_password() -> None:
    given = "postgresql://anna:p%40ss@db.example:5433/memory?sslmode=require&password=x"
    assert without_password(given) == "postgresql://anna@db.example:5433/memory?sslmode=require"
    assert without_password("/home/anna/postgres:x@y") == "/home/anna/postgres:x@y"


@pytest.mark.parametrize(
    "place", ["", "Sync", "./Sync", "nowhere\0", "postgresql://[", "~nobody-of-that-name/x", "/x" * 5000]
)
def test_what_can_be_no_place_is_refused(machines: tuple[Machine, Machine], place: str) -> None:
    with pytest.raises(InputError):
        machines[0].ask("device.share", place=place)
