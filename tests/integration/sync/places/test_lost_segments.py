"""Segments that are lost, damaged, late or cut in other places: no change is lost, and nobody waits for ever."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import ExchangeError, InputError
from app.sync.snapshots.snapshot_keeper import CompactionRule
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.integration.sync.machines import Machine, compact, machines_in, settle, share


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    with machines_in(tmp_path, "desktop", "laptop") as (one, other):
        share(one, other)
        yield one, other


@pytest.fixture
def third(pair: tuple[Machine, Machine], tmp_path: Path) -> Iterator[Machine]:
    """Return a machine that has not yet joined."""
    with Machine(tmp_path / "server", tmp_path / "shared") as machine:
        yield machine


def written(machine: Machine, *texts: str) -> list[Path]:
    """Write notes, each in a segment of its own; return the machine's segments in order."""
    before = {*machine.folder.rglob("s-*")}
    for text in texts:
        machine.ask("note.save", content=text)
        machine.ask("session.append", session="talk", messages=[{"role": "user", "content": f"said {text}"}])
        machine.sync()
    return sorted({*machine.folder.rglob("s-*")} - before)


def test_lost_segments_are_written_anew(pair: tuple[Machine, Machine], third: Machine, allow_logs: AllowLogs) -> None:
    allow_logs("segments of a lane that was written here are lost")
    one, other = pair
    segments = written(one, "first", "second", "third", "fourth")
    other.sync()
    segments[1].unlink()
    segments[2].unlink()
    third.join(one)
    assert third.sync().waiting.startswith("Changes are missing at the place that are on: ")
    settle(one, other, third)
    assert third.contents() == ["first", "fourth", "second", "third"]
    assert written(one, "fifth")
    settle(one, other, third)
    assert len(other.rows("SELECT 1 FROM messages")) == 5


def test_a_damaged_segment_that_was_removed_is_written_anew(
    pair: tuple[Machine, Machine], third: Machine, allow_logs: AllowLogs
) -> None:
    allow_logs("segments of a lane that was written here are lost")
    one, other = pair
    segments = written(one, "first", "second", "third")
    segments[0].write_bytes(b"damaged")
    assert "damaged" in other.sync().waiting
    segments[0].unlink()
    one.sync()
    third.join(one)
    settle(one, other, third)
    assert third.contents() == ["first", "second", "third"]


def test_a_folder_that_was_emptied_is_filled_by_who_joins_it_again(
    pair: tuple[Machine, Machine], third: Machine, allow_logs: AllowLogs
) -> None:
    allow_logs("segments of a lane that was written here are lost")
    one, other = pair
    written(one, "of one")
    written(other, "of other")
    shutil.rmtree(one.folder / "keepsake-v1")
    with pytest.raises(ExchangeError, match="Connect the disk"):
        one.sync()
    assert not (one.folder / "keepsake-v1").exists()
    with pytest.raises(InputError, match="filled anew"):
        one.share()
    one.share(fills_anew=True)
    other.share()
    third.join(one)
    settle(one, other, third)
    assert third.contents() == ["of one", "of other"]


def test_a_vault_put_back_while_its_segments_still_come(
    pair: tuple[Machine, Machine], tmp_path: Path, allow_logs: AllowLogs
) -> None:
    allow_logs("segments of a lane that was written here are lost")
    allow_logs("the exchange knows more")
    one, other = pair
    written(one, "first")
    one.ask("note.save", content="not shared when the copy was made")
    one.stop()
    shutil.copytree(one.vault, tmp_path / "copy")
    one.start()
    late = written(one, "second", "third")
    assert other.sync().taken > 0
    away = tmp_path / "away"
    away.mkdir()
    one.stop()
    for path in late:  # the folder of the new machine does not have them yet
        shutil.move(path, away / path.name)
    shutil.rmtree(one.vault)
    shutil.copytree(tmp_path / "copy", one.vault)
    one.start()
    one.sync()
    one.ask("note.save", content="after it was put back")
    one.sync()
    for path in late:
        shutil.move(away / path.name, path)
    settle(one, other)
    expected = ["after it was put back", "first", "not shared when the copy was made", "second", "third"]
    assert one.contents() == expected
    assert len(one.rows("SELECT 1 FROM messages")) == 3


@pytest.mark.parametrize("kept", [0, 1])
def test_what_a_vault_put_back_wrote_and_the_place_lost_comes_from_who_has_it(
    pair: tuple[Machine, Machine], third: Machine, tmp_path: Path, allow_logs: AllowLogs, kept: int
) -> None:
    allow_logs("segments of another machine are lost")
    allow_logs("the exchange knows more")
    one, other = pair
    written(one, "first")
    one.stop()
    shutil.copytree(one.vault, tmp_path / "copy")
    one.start()
    lost = written(one, "second", "third", "fourth")
    other.sync()
    other.ask("note.save", content="knows of all")
    other.sync()
    one.stop()
    for path in lost[: len(lost) - kept]:
        path.unlink()
    shutil.rmtree(one.vault)
    shutil.copytree(tmp_path / "copy", one.vault)
    one.start()
    one.ask("note.save", content="after it was put back")
    assert "missing at the place that are on: laptop" in one.sync().waiting
    compact(other.host, CompactionRule(look_ms=0, repair_ms=0))
    third.join(other)
    settle(other, one, third)
    expected = ["after it was put back", "first", "fourth", "knows of all", "second", "third"]
    assert [machine.contents() for machine in (one, other, third)] == [expected] * 3
    assert [machine.sync().waiting for machine in (one, other, third)] == [""] * 3
    assert len(one.rows("SELECT 1 FROM messages")) == 4


def test_a_torn_segment_of_its_own_does_not_keep_a_machine_from_forgetting(
    pair: tuple[Machine, Machine], allow_logs: AllowLogs
) -> None:
    allow_logs("segments of a lane that was written here are lost")
    one, other = pair
    note = one.ask("note.save", content="an unforgettablesecret")
    segments = written(one, "first", "second")
    other.sync()
    torn = segments[0].read_bytes()[:-9]
    segments[0].write_bytes(torn)
    one.ask("memory.forget_forever", ids=[note.id], confirm=True)
    settle(one, other)
    assert one.contents() == ["first", "second"]
    assert torn not in {path.read_bytes() for path in one.folder.rglob("s-*")}


def removed(machine: Machine, *others: Machine) -> None:
    """Remove machines that are gone for good."""
    for other in others:
        machine.ask("device.remove", device=other.sealer()[0].id)
        other.stop()


@pytest.mark.parametrize("lost", [[1], [1, 2], [1, 2, 3]])
def test_what_is_lost_everywhere_holds_up_no_other_change(
    pair: tuple[Machine, Machine], third: Machine, tmp_path: Path, lost: list[int]
) -> None:
    one, other = pair
    note = one.ask("note.save", content="of desktop\nlast line").id
    written(one, "first")
    third.join(one)
    settle(one, other, third)
    segments = written(one, "second", "third", "fourth", "fifth")
    third.sync()
    update(third, note, "of desktop\nlast line, by one who knew of all")
    third.ask("session.append", session="talk", messages=[{"role": "user", "content": "by one who knew of all"}])
    third.sync()
    for number in lost:
        segments[number].unlink()
    other.sync()
    waiting = other.sync().waiting
    assert "Changes are missing at the place that are on: " in waiting
    assert "laptop" not in waiting
    assert "of desktop\nlast line" in other.contents()
    removed(other, one, third)
    compact(other.host, CompactionRule(look_ms=0, repair_ms=0))
    assert other.sync().waiting == ""
    assert other.sync().waiting == ""
    assert "of desktop\nlast line, by one who knew of all" in other.contents()
    assert ("by one who knew of all",) in other.rows("SELECT content FROM messages")
    [lost_sentence] = [note for note in other.ask("device.state").notes if "lost" in note]
    assert "neither the place nor a machine has it" in lost_sentence
    joiner = Machine(tmp_path / "tablet", tmp_path / "shared")
    try:
        compact(joiner.host, CompactionRule(look_ms=0, repair_ms=0))
        joiner.join(other)
        settle(other, joiner)
        assert joiner.contents() == other.contents()
    finally:
        joiner.stop()


def test_what_was_lost_comes_back_with_a_machine_that_has_it(
    pair: tuple[Machine, Machine], third: Machine, allow_logs: AllowLogs
) -> None:
    allow_logs("segments of another machine are lost")
    one, other = pair
    written(one, "first")
    third.join(one)
    settle(one, other, third)
    segments = written(one, "second", "third", "fourth")
    third.sync()
    segments[1].unlink()
    other.sync()
    removed(other, one, third)
    compact(other.host, CompactionRule(look_ms=0, repair_ms=0))
    other.sync()
    other.ask("note.save", content="written without it")
    assert other.sync().waiting == ""
    assert other.contents() == ["first", "second", "written without it"]
    third.start()
    compact(third.host, CompactionRule(look_ms=0, repair_ms=0))
    third.join(other)
    settle(third, other)
    assert other.contents() == ["first", "fourth", "second", "third", "written without it"]
    assert not [note for note in other.ask("device.state").notes if "lost" in note]


def update(machine: Machine, note: str, content: str) -> None:
    [memory] = machine.ask("memory.get", ids=[note]).memories
    machine.ask("note.update", id=note, version=memory.version, content=content)
