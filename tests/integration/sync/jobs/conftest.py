"""Machines that work for all, and the place where they meet."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.integration.sync.jobs.working_machines import Done, WorkingMachine

if TYPE_CHECKING:
    from tests.helpers.servers.postgresql import PostgresqlServer


@pytest.fixture
def done() -> Done:
    """Return which machine pursued a goal, and for when it was due."""
    return []


@pytest.fixture(params=["folder", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return an empty place."""
    if request.param == "folder":
        folder = tmp_path / "exchange"
        folder.mkdir()
        return str(folder)
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return server.new_place()


@pytest.fixture
def settings() -> dict[str, object]:
    """Return settings of the machines beside the usual ones."""
    return {}


@pytest.fixture
def machines(
    tmp_path: Path, place: str, done: Done, settings: dict[str, object]
) -> Iterator[Callable[[int], list[WorkingMachine]]]:
    """Return a function that makes some machines which share a place."""
    made: list[WorkingMachine] = []

    def make(count: int) -> list[WorkingMachine]:
        names = ("desktop", "laptop", "server")[:count]
        made.extend(WorkingMachine(tmp_path / name, tmp_path / "unused", done, **settings) for name in names)
        made[0].share(place)
        for other in made[1:]:
            other.join(made[0], place)
        (first,) = [one for one in made[0].ask("device.list") if one.is_this]
        made[0].ask("device.rename", device=first.id, name=names[0])
        for machine in made:
            machine.ask("device.resume")
            machine.sync()
        return made

    yield make
    for machine in made:
        machine.stop()
