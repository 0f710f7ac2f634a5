"""Snapshots stand for the segments that they cover, and nothing is lost by it."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.errors import VaultUnusableError
from app.host import Host
from app.sync.receiver import Received, Receiver
from app.sync.sealing import sealed_object
from app.sync.snapshots import snapshot_capture
from app.sync.snapshots.snapshot_keeper import CompactionRule
from app.sync.snapshots.snapshot_objects import SnapshotWriter
from tests.helpers.engine import engine_of
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.integration.sync.machines import (
    COMPACT_ALONE,
    COMPACT_AT_ONCE,
    QUIET,
    Machine,
    compact,
    machines_of,
    meet,
    settle,
    share,
)

DAY_MS = 86_400_000


class LaterClock:
    """Clock that a test sets ahead."""

    def __init__(self) -> None:
        self.ahead_ms = 0

    def now_ms(self) -> int:
        """Return its time."""
        return time.time_ns() // 1_000_000 + self.ahead_ms


class TimedMachine(Machine):
    """A machine whose clock a test sets, and which compacts at once."""

    def start(self) -> None:
        """Open the vault."""
        self.clock = LaterClock()
        self.host = Host(self.vault, serve=False, overrides=QUIET, clock=self.clock)
        self.host.start()
        compact(self.host, COMPACT_AT_ONCE)


def names(machine: Machine, kind: str) -> list[str]:
    """Return the names of the objects of a kind at the place."""
    point = machine.point()
    return [
        name
        for prefix in (*point.lanes(), "snapshots")
        for name in point.names(prefix)
        if name.partition("/")[2].startswith(f"{kind}-")
    ]


def covers(machine: Machine) -> list[str]:
    """Return the names of the segments whose content is in a snapshot."""
    (_, sealer), point = machine.sealer(), machine.point()
    return [name for name in names(machine, "s") if sealer.is_cover(name, point.get(name) or b"")]


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[list[TimedMachine]]:
    with machines_of(TimedMachine, tmp_path, "desktop", "laptop", "server") as machines:
        share(*machines)
        settle(*machines)
        yield machines


@pytest.fixture
def joiner(tmp_path: Path) -> Iterator[TimedMachine]:
    """Return a machine that has not yet joined."""
    with TimedMachine(tmp_path / "tablet", tmp_path / "shared") as machine:
        yield machine


def write(*machines: Machine, count: int = 3) -> None:
    for number in range(count):
        for machine in machines:
            name = machine.vault.name
            machine.ask("note.save", content=f"{name} {number}")
            machine.ask("session.append", session="talk", messages=[{"role": "user", "content": f"{name} {number}"}])
            machine.ask("fact.set", category="home", key=f"key{number}", value=name)
            machine.sync()


def compacted(*machines: Machine) -> None:
    """Let machines meet until a snapshot has all, and check that no segment has anything."""
    meet(*machines, rounds=6)
    assert len(names(machines[0], "h")) == 1
    assert sorted(covers(machines[0])) == sorted(names(machines[0], "s"))


def is_whole(*machines: Machine) -> None:
    settle(*machines)
    for machine in machines:
        assert machine.sync().waiting == ""
        assert [finding for finding in machine.ask("vault.check").findings if finding.area != "backups"] == []


def test_segments_go_once_all_have_them_and_a_machine_that_joins_gets_all(
    machines: list[TimedMachine], joiner: TimedMachine
) -> None:
    write(*machines)
    compacted(*machines)
    joiner.join(machines[1])
    is_whole(*machines, joiner)
    assert len(joiner.contents()) == 9 + 3  # notes and facts
    joiner.ask("note.save", content="written by the new one")
    is_whole(*machines, joiner)
    assert "written by the new one" in machines[2].contents()


def test_nothing_goes_that_a_machine_lacks(machines: list[TimedMachine]) -> None:
    one, other, third = machines
    write(one, other)
    meet(one, other)
    kept = set(names(one, "s")) - set(covers(one))
    assert kept
    assert len(third.contents()) == 0
    meet(third, rounds=1)
    assert third.sync().waiting == ""
    is_whole(*machines)
    compacted(*machines)


def test_a_machine_that_was_away_for_a_year_merges_what_it_wrote(machines: list[TimedMachine]) -> None:
    one, other, third = machines
    both = one.ask("note.save", content="first\nsecond\nthird").id
    deleted, erased = (one.ask("note.save", content=text).id for text in ("deleted", "unforgettablesecret"))
    is_whole(*machines)
    [note] = third.ask("memory.get", ids=[both]).memories
    third.ask("note.update", id=both, version=note.version, content="first\nsecond\nthird, by the one away")
    third.ask("note.save", content="written while away")
    third.ask("session.append", session="talk", messages=[{"role": "user", "content": "said while away"}])
    [secret] = third.ask("memory.get", ids=[erased]).memories
    third.ask("note.update", id=erased, version=secret.version, content="unforgettablesecret, edited while away")
    for machine in (one, other):
        machine.clock.ahead_ms = 365 * DAY_MS
    [note] = one.ask("memory.get", ids=[both]).memories
    one.ask("note.update", id=both, version=note.version, content="first, by one\nsecond\nthird")
    one.ask("note.delete", id=deleted)
    one.ask("memory.forget_forever", ids=[erased], confirm=True)
    write(one, other)
    compacted(one, other)
    assert "half a year: server" in one.ask("device.state").snapshots
    third.clock.ahead_ms = 365 * DAY_MS
    assert third.sync().waiting == ""
    is_whole(*machines)
    assert "first, by one\nsecond\nthird, by the one away" in one.contents()
    assert "written while away" in one.contents()
    assert ("said while away",) in other.rows("SELECT content FROM messages")
    assert "deleted" not in third.contents()
    assert not any("unforgettablesecret" in text for machine in machines for text in machine.contents())
    assert not any(b"unforgettablesecret" in text for text in one.shared_texts())


def test_a_machine_away_that_has_nothing_new_deletes_nothing_of_others(machines: list[TimedMachine]) -> None:
    """What a snapshot does not name is not taken for deleted."""
    one, other, third = machines
    write(third)
    third.ask("note.save", content="never sent")
    for machine in (one, other):
        machine.clock.ahead_ms = 365 * DAY_MS
    write(one)
    compacted(one, other)
    assert third.sync().waiting == ""
    assert "never sent" in third.contents()
    is_whole(*machines)


def test_what_is_forgotten_goes_from_snapshots_too(machines: list[TimedMachine], joiner: TimedMachine) -> None:
    one, other, _ = machines
    note = one.ask("note.save", content="unforgettablesecret").id
    write(*machines, count=1)
    compacted(*machines)
    before = {*names(one, "h"), *names(one, "p")}
    assert any(b"unforgettablesecret" in text for text in one.shared_texts())
    other.ask("memory.forget_forever", ids=[note], confirm=True)
    other.sync()
    assert before.isdisjoint(names(one, "h"))
    assert before.isdisjoint(names(one, "p"))
    assert not any(b"unforgettablesecret" in text for text in one.shared_texts())
    meet(*machines)
    assert {max(machine.sealer()[0].epochs) for machine in machines} == {2}
    joiner.join(one)  # the snapshot was sealed in the epoch before
    is_whole(*machines, joiner)
    assert len(joiner.contents()) == 4


@pytest.mark.parametrize("has_former", [False, True])
def test_what_is_forgotten_goes_from_a_snapshot_that_was_never_ended(
    machines: list[TimedMachine], monkeypatch: pytest.MonkeyPatch, has_former: bool
) -> None:
    one, other, _ = sorted(machines, key=lambda machine: machine.sealer()[0].id)  # the first of them writes snapshots
    if has_former:
        write(*machines, count=1)
        compacted(*machines)
    note = one.ask("note.save", content="unforgettablesecret").id
    with monkeypatch.context() as patch:
        patch.setattr(SnapshotWriter, "end", die)
        with pytest.raises(VaultUnusableError):
            one.sync()
    assert any(b"unforgettablesecret" in text for text in one.shared_texts())
    for machine in machines:
        compact(machine.host, CompactionRule())
    meet(*machines)
    other.ask("memory.forget_forever", ids=[note], confirm=True)
    meet(*machines)
    assert {max(machine.sealer()[0].epochs) for machine in machines} == {2}
    assert not any(b"unforgettablesecret" in text for text in one.shared_texts())


def die(*_: Any) -> None:
    raise VaultUnusableError("The disk is gone.", path="", state="missing")


def test_a_snapshot_opens_after_a_machine_was_removed(machines: list[TimedMachine], joiner: TimedMachine) -> None:
    one, other, third = machines
    write(*machines, count=1)
    compacted(*machines)
    [writer] = [device for device in other.ask("device.list") if device.id == other.sealer()[0].id]
    one.ask("device.remove", device=writer.id)
    joiner.join(third)
    is_whole(one, third, joiner)
    assert len(joiner.contents()) == 4


@pytest.mark.parametrize("damage", ["lost", "changed", "part lost", "part changed", "cut off"])
def test_a_snapshot_that_is_lost_or_damaged_is_written_anew(
    damage: str, machines: list[TimedMachine], joiner: TimedMachine
) -> None:
    write(*machines, count=1)
    compacted(*machines)
    for path in machines[0].folder.rglob("p-*" if "part" in damage else "[hp]-*"):
        if "lost" in damage:
            path.unlink()
        elif damage == "cut off":
            path.write_bytes(path.read_bytes()[:-20])
        else:
            path.write_bytes(path.read_bytes()[:-20] + bytes(20))
    joiner.join(machines[0])
    assert "snapshot" in joiner.sync().waiting
    meet(*machines, joiner)
    is_whole(*machines, joiner)
    assert len(joiner.contents()) == 4


def test_two_machines_that_compact_at_once_agree(machines: list[TimedMachine], joiner: TimedMachine) -> None:
    for machine in machines:
        compact(machine.host, COMPACT_ALONE)
    for number in range(4):
        for machine in machines:
            machine.ask("note.save", content=f"{machine.vault.name} {number}")
        futures = [machine.host.submit(engine_of(machine.host).sync.service.sync()) for machine in machines]
        for future in futures:
            future.result()
    is_whole(*machines)
    joiner.join(machines[0])
    is_whole(*machines, joiner)
    assert len(joiner.contents()) == 12


def test_a_vault_put_back_to_before_the_snapshot_takes_it(
    machines: list[TimedMachine], tmp_path: Path, allow_logs: AllowLogs
) -> None:
    allow_logs("exchange knows more")
    one, other, third = machines
    write(*machines, count=1)
    meet(*machines)
    third.stop()
    shutil.copytree(third.vault, tmp_path / "copy")
    third.start()
    write(*machines, count=2)
    compacted(*machines)
    third.stop()
    shutil.rmtree(third.vault)
    shutil.copytree(tmp_path / "copy", third.vault)
    third.start()
    third.ask("note.save", content="after it was put back")
    is_whole(*machines)
    assert "after it was put back" in one.contents()
    compacted(one, other, third)


def test_a_keepsake_that_knows_no_snapshots_says_so_and_holds_up_none(
    machines: list[TimedMachine], joiner: TimedMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(*machines, count=1)
    compacted(*machines)
    joiner.join(machines[0])
    monkeypatch.setattr(sealed_object, "FORMAT", 1)  # as it reads, and as it says of itself
    joiner.ask("note.save", content="by the old one")
    assert "Update Keepsake" in joiner.sync().waiting
    monkeypatch.undo()
    write(machines[0], count=1)
    meet(*machines)
    assert "by the old one" in machines[0].contents()
    assert "until Keepsake is updated on: tablet" in machines[0].ask("device.state").snapshots
    assert set(names(machines[0], "s")) - set(covers(machines[0]))
    is_whole(*machines, joiner)


def test_a_snapshot_that_removes_much_waits_for_the_person(machines: list[TimedMachine]) -> None:
    one, other, third = machines
    notes = [one.ask("note.save", content=f"note {number}").id for number in range(60)]
    is_whole(*machines)
    one.clock.ahead_ms = 365 * DAY_MS
    for note in notes:
        one.ask("note.delete", id=note)
    compacted(one)
    for machine in (other, third):
        machine.clock.ahead_ms = 365 * DAY_MS
        report = machine.sync()
        assert "waits for you" in report.waiting
        assert [held.removed for held in report.held] == [60]
        assert len(machine.contents()) == 60
        [held] = report.held
        machine.ask("device.accept", lane=held.lane, last=held.last)
    is_whole(*machines)
    assert third.contents() == []


@pytest.mark.parametrize("parts", range(4))
def test_a_snapshot_that_was_cut_off_is_taken_in_again(
    parts: int, machines: list[TimedMachine], joiner: TimedMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a person does meanwhile with what is here already is kept too."""
    monkeypatch.setattr(snapshot_capture, "MOST_CHARACTERS", 300)
    one = machines[0]
    kept = one.ask("note.save", content="first\nsecond", tags=["old"]).id
    write(*machines, count=1)
    compacted(*machines)
    taken: list[str] = []

    def take(self: Receiver, *values: Any) -> Received:
        if len(taken) == parts:
            raise VaultUnusableError("The disk is gone.", path="", state="missing")
        taken.append("part")
        return take_changes(self, *values)

    take_changes = Receiver.take_changes
    joiner.join(machines[1])
    with monkeypatch.context() as patch:
        patch.setattr(Receiver, "take_changes", take)
        with pytest.raises(VaultUnusableError):
            joiner.sync()
    for memory in joiner.ask("memory.get", ids=[kept]).memories:
        joiner.ask("note.update", id=kept, version=memory.version, content="first\nsecond, edited in between")
    joiner.ask("note.save", content="written in between")
    is_whole(*machines, joiner)
    assert "written in between" in one.contents()
    assert any(text.startswith("first\nsecond") for text in one.contents())


@pytest.mark.parametrize("parts", range(3))
def test_what_two_changed_while_one_of_them_took_a_snapshot_in_is_there_once(
    parts: int, machines: list[TimedMachine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change from between two parts counts as one that did not know of the snapshot."""
    monkeypatch.setattr(snapshot_capture, "MOST_CHARACTERS", 300)
    one, other, third = machines
    note = one.ask("note.save", content="first\nsecond\nthird", tags=["old"]).id
    is_whole(*machines)
    for machine in (one, other):
        machine.clock.ahead_ms = 365 * DAY_MS
    update(one, note, content="first, by one\nsecond\nthird", tags=["old", "of one"])
    write(one, count=1)
    compacted(one, other)
    third.clock.ahead_ms = 365 * DAY_MS
    taken: list[str] = []

    def take(self: Receiver, *values: Any) -> Received:
        if len(taken) == parts:
            raise VaultUnusableError("The disk is gone.", path="", state="missing")
        taken.append("part")
        return take_changes(self, *values)

    take_changes = Receiver.take_changes
    with monkeypatch.context() as patch:
        patch.setattr(Receiver, "take_changes", take)
        with pytest.raises(VaultUnusableError):
            third.sync()
    [memory] = third.ask("memory.get", ids=[note]).memories
    update(third, note, content=f"{memory.content}, by third", tags=[*memory.tags, "of third"])
    third.ask("session.append", session="talk", messages=[{"role": "user", "content": "said in between"}])
    is_whole(*machines)
    for machine in machines:
        [memory] = machine.ask("memory.get", ids=[note]).memories
        assert memory.content == "first, by one\nsecond\nthird, by third"
        assert sorted(memory.tags) == ["of one", "of third", "old"]
        assert machine.rows("SELECT content FROM messages ORDER BY content") == [("desktop 0",), ("said in between",)]


def update(machine: Machine, note: str, **fields: Any) -> None:
    [memory] = machine.ask("memory.get", ids=[note]).memories
    machine.ask("note.update", id=note, version=memory.version, **fields)
