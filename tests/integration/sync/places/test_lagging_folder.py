"""Machines whose folders become the same only from time to time, as a cloud's do."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import ExchangeError
from tests.helpers.engine import engine_of
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.integration.sync.machines import COMPACT_ALONE, COMPACT_AT_ONCE, Machine, compact

NAMES = ("desktop", "laptop", "server")


class Cloud:
    """Program that keeps folders the same: it copies what is new, and removes what was removed.

    Of two files of one name the first stays, and the other is put beside it, as such programs do.
    """

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._before: set[Path] = set()
        self.conflicts: list[Path] = []
        self._removed: set[Path] = set()

    def copy(self, late: str = "nothing") -> None:
        """Make the folders the same, but for files that are late.

        Args:
            late: What is new and has a folder of this name in its path arrives another time.
        """
        files = [self._files(folder) for folder in self._folders]
        names = {name for name in set().union(*files) if name in self._before or late not in name.parts}
        gone = {name for name in self._before for found in files if name not in found}
        for name in sorted(names - gone):
            contents = [found[name] for found in files if name in found]
            if len(set(contents)) > 1:
                self.conflicts.append(name)
            for folder in self._folders:
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.exists() or path.read_bytes() != contents[0]:
                    path.write_bytes(contents[0])
        for name in gone:
            for folder in self._folders:
                (folder / name).unlink(missing_ok=True)
        self._before = names - gone
        self._removed |= gone

    def removed(self, kind: str) -> set[Path]:
        """Return what was removed of the files whose names begin so."""
        return {name for name in self._removed if name.name.startswith(kind)}

    @staticmethod
    def _files(folder: Path) -> dict[Path, bytes]:
        return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def cloud(tmp_path: Path) -> Cloud:
    folders = [tmp_path / f"folder of {name}" for name in NAMES]
    for folder in folders:
        folder.mkdir()
    return Cloud(*folders)


@pytest.fixture
def machines(tmp_path: Path, cloud: Cloud) -> Iterator[list[Machine]]:
    """Return three machines, each with a folder of its own that the cloud keeps the same."""
    made = [Machine(tmp_path / name, tmp_path / f"folder of {name}") for name in NAMES]
    first, *others = made
    first.share()
    cloud.copy()
    for other in others:
        _let_in(other, first, cloud)
    yield made
    for machine in made:
        machine.stop()


def _let_in(machine: Machine, member: Machine, cloud: Cloud) -> None:
    devices = engine_of(member.host).sync.devices
    words = member.host.submit(devices.invite()).result().words
    cloud.copy()
    machine.ask("device.pause")
    joining = machine.host.submit(
        engine_of(machine.host).sync.devices.join(words, str(machine.folder), machine.vault.name)
    )
    while not joining.done():
        cloud.copy()
        for request in member.host.submit(devices.requests()).result():
            member.host.submit(devices.approve(request.id)).result()
        time.sleep(0.02)
    joining.result()
    cloud.copy()


def _meet(machines: list[Machine], cloud: Cloud, rounds: int) -> None:
    """Let all machines exchange between two copies of the cloud, so that none sees what another just did."""
    for _ in range(rounds):
        for machine in machines:
            machine.sync()
        cloud.copy()


def _epoch(machine: Machine) -> int:
    return max(machine.sealer()[0].epochs)


def test_all_agree_though_none_sees_at_once_what_another_does(machines: list[Machine], cloud: Cloud) -> None:
    chance = random.Random(1)
    notes: list[str] = []
    for number in range(40):
        machine = chance.choice(machines)
        notes.append(machine.ask("note.save", content=f"note {number}").id)
        if chance.random() < 0.3:
            chance.choice(machines).sync()
        if chance.random() < 0.2:
            cloud.copy()
    _meet(machines, cloud, 4)
    assert [len(machine.contents()) for machine in machines] == [40] * 3
    assert cloud.conflicts == []


def test_forgetting_reaches_all_and_ends_in_one_new_epoch(machines: list[Machine], cloud: Cloud) -> None:
    for number in range(3):
        notes = [machine.ask("note.save", content=f"{number} of {machine.vault.name}").id for machine in machines]
        _meet(machines, cloud, 3)
        for machine, note in zip(machines, notes, strict=True):
            machine.ask("memory.forget_forever", ids=[note], confirm=True)
        _meet(machines, cloud, 8)
        assert [machine.contents() for machine in machines] == [[]] * 3
        assert [_epoch(machine) for machine in machines] == [number + 2] * 3
    assert cloud.conflicts == []
    machines[1].ask("note.save", content="afterwards")
    _meet(machines, cloud, 3)
    assert [machine.contents() for machine in machines] == [["afterwards"]] * 3


def test_a_snapshot_that_arrives_late_loses_nothing(machines: list[Machine], cloud: Cloud) -> None:
    one, other, third = machines
    for machine in machines:
        compact(machine.host, COMPACT_AT_ONCE)
    for number in range(3):
        for machine in machines:
            machine.ask("note.save", content=f"{number} of {machine.vault.name}")
        for _ in range(3):
            for machine in machines:
                machine.sync()
            cloud.copy(late="snapshots")
    assert cloud.removed("s-") == set()  # nothing goes before all have the snapshot
    _meet(machines, cloud, 6)
    assert cloud.removed("s-")
    assert [len(machine.contents()) for machine in machines] == [9] * 3
    for machine in (one, other):
        compact(machine.host, COMPACT_ALONE)
    one.ask("note.save", content="while the third was away")
    third.ask("note.save", content="unsent")
    for _ in range(4):
        for machine in (one, other):
            machine.sync()
        cloud.copy(late="snapshots")
    assert "snapshot" in third.sync().waiting  # its folder shows that segments are gone, and no snapshot yet
    assert len(third.contents()) == 10
    for machine in machines:
        compact(machine.host, COMPACT_AT_ONCE)
    _meet(machines, cloud, 4)
    assert [len(machine.contents()) for machine in machines] == [11] * 3
    assert third.sync().waiting == ""
    assert cloud.conflicts == []


def test_of_two_lists_changed_at_once_one_counts_and_the_way_back_loses_nothing(
    machines: list[Machine], cloud: Cloud, allow_logs: AllowLogs
) -> None:
    """The machine whose change does not count stays out until it is let in again; who it removed has to go again."""
    allow_logs("segments of a lane that was written here are lost")
    one, other, third = machines
    _meet(machines, cloud, 2)
    ids = {"desktop" if device.is_this else device.name: device.id for device in one.ask("device.list")}
    one.ask("device.rename", device=ids["desktop"], name="study")
    other.ask("device.remove", device=ids["server"])
    other.ask("note.save", content="written by the one that lost")
    other.sync()
    cloud.copy()
    assert len(cloud.conflicts) == 1
    third.ask("note.save", content="of the server")
    _meet([one, third], cloud, 2)
    with pytest.raises(ExchangeError, match="at the same time, and the change that was made elsewhere counts"):
        other.sync()
    assert one.contents() == ["of the server"]
    _let_in(other, one, cloud)
    _meet(machines, cloud, 4)
    assert {device.name for device in other.ask("device.list") if device.removed_at is None} >= {"study", "server"}
    other.ask("device.remove", device=ids["server"])
    cloud.copy()
    _meet([one, other], cloud, 3)
    with pytest.raises(ExchangeError, match="was removed"):
        third.sync()
    expected = ["of the server", "written by the one that lost"]
    assert [machine.contents() for machine in (one, other)] == [expected] * 2
