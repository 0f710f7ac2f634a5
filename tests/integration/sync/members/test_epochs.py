"""What all machines forgot for ever can be opened by nobody any more, wherever a copy of it is kept."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.errors import ExchangeError
from app.sync.sealing import key_manifest, member_list, sealed_object
from app.sync.sealing.device_keys import DeviceKeys
from app.sync.sealing.primitives import NotOpenedError
from tests.helpers.engine import engine_of
from tests.integration.sync.machines import Machine, machines_in, meet, settle, share


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[list[Machine]]:
    with machines_in(tmp_path, "desktop", "laptop", "server") as machines:
        share(*machines)
        settle(*machines)
        yield machines


def epoch(machine: Machine) -> int:
    return max(machine.sealer()[0].epochs)


def old_objects(folder: Path) -> dict[str, bytes]:
    """Return what stands in a copy of the folder, by name."""
    [vault] = (folder / "keepsake-v1").iterdir()
    return {str(path.relative_to(vault)): path.read_bytes() for path in vault.rglob("*") if path.is_file()}


def opened(objects: dict[str, bytes], vault: str, keys: DeviceKeys) -> list[bytes]:
    """Return all that some keys open of some objects."""
    entries = [data for name, data in sorted(objects.items()) if name.startswith("members/")]
    lists = member_list.chain(vault, entries)
    for members in lists:  # a key that an old entry still tells
        try:
            key, _ = member_list.epoch_key_of(members, keys)
        except NotOpenedError:
            continue
        keys = keys.with_epoch(members.epoch, key)
    texts: list[bytes] = []
    for name, data in objects.items():
        if "/s-" not in name and "/k-" not in name:
            continue
        found = sealed_object.read(data, vault, name, lists[-1].signing_keys)
        secret = sealed_object.key_of(found, keys)
        if secret is not None:
            texts.append(sealed_object.opened(found, secret))
    return texts


def test_old_copies_do_not_open_with_all_keys_that_are_left(machines: list[Machine], tmp_path: Path) -> None:
    one, other, third = machines
    note = one.ask("note.save", content="unforgettablesecret").id
    kept = one.ask("note.save", content="kept").id
    settle(*machines)
    vault = one.sealer()[1].vault
    shutil.copytree(one.folder, tmp_path / "version")  # a version that the place keeps
    before = old_objects(tmp_path / "version")
    assert opened(before, vault, one.sealer()[0])
    other.ask("memory.forget_forever", ids=[note], confirm=True)
    meet(*machines)
    meet(*machines)
    assert [epoch(machine) for machine in machines] == [2, 2, 2]
    for machine in machines:
        keys, _ = machine.sealer()
        assert set(keys.epochs) == {2}
        assert len(keys.receiving) <= 2  # the one of this epoch, and the next
        assert opened(before, vault, keys) == []
    settle(*machines)
    assert [machine.contents() for machine in machines] == [["kept"]] * 3
    fourth = Machine(tmp_path / "tablet", one.folder)
    try:
        fourth.join(third)
        settle(*machines, fourth)
        assert fourth.contents() == ["kept"]
        assert fourth.ask("memory.get", ids=[kept]).memories
    finally:
        fourth.stop()


def test_the_receipt_names_who_has_not_forgotten(machines: list[Machine]) -> None:
    one, other, _ = machines
    note = one.ask("note.save", content="unforgettablesecret").id
    settle(*machines)
    one.ask("memory.forget_forever", ids=[note], confirm=True)
    meet(one, other)
    assert any("Not forgotten yet on: server." in said for said in receipt(one).notes)
    assert epoch(one) == 1
    meet(*machines)
    assert "All your machines have forgotten it." in receipt(one).notes
    meet(*machines)
    assert [epoch(machine) for machine in machines] == [2, 2, 2]
    for machine in machines:  # where it was obeyed the receipt says so too
        assert "All your machines have forgotten it." in receipt(machine).notes


def test_receipts_are_read_without_the_keys_of_the_sharing(machines: list[Machine]) -> None:
    one, _, _ = machines
    note = one.ask("note.save", content="unforgettablesecret").id
    settle(*machines)
    one.ask("memory.forget_forever", ids=[note], confirm=True)
    membership = engine_of(one.host).sync.membership
    membership.key_store.remove(one.host.submit(membership.device()).result())
    assert receipt(one).notes[-1] == "Whether your other machines have forgotten it is not known here."
    other = one.ask("note.save", content="another secret").id
    assert one.ask("memory.forget_forever", ids=[other], confirm=True).verified


def receipt(machine: Machine) -> Any:
    return machine.ask("memory.receipts", limit=1)[0]


def test_a_machine_that_was_away_comes_back_into_a_new_epoch(machines: list[Machine]) -> None:
    one, other, third = machines
    note = one.ask("note.save", content="unforgettablesecret").id
    settle(*machines)
    third.ask("note.save", content="written while away")
    [laptop] = [device for device in one.ask("device.list") if device.name == "laptop"]
    one.ask("device.remove", device=laptop.id)
    one.ask("memory.forget_forever", ids=[note], confirm=True)
    one.ask("note.save", content="meanwhile")
    meet(one)
    assert epoch(one) == 2
    meet(third, one, third, one)
    settle(one, third)
    assert [epoch(one), epoch(third)] == [3, 3]
    assert one.contents() == ["meanwhile", "written while away"]
    with pytest.raises(ExchangeError, match="was removed"):
        other.sync()


def test_what_was_sealed_too_late_comes_all_the_same(machines: list[Machine], tmp_path: Path) -> None:
    """A machine adds segments of an epoch that ended while its list was not there yet."""
    one, other, third = machines
    lane = own_lane(third)
    with removed_unheard(one, tmp_path):
        third.ask("note.save", content="too late")
        third.sync()
        assert segments(one, lane)
    assert "no longer used" in one.sync().waiting
    meet(third, one)
    settle(one, third)
    assert one.contents() == ["too late"]
    assert other.contents() == []


def segments(machine: Machine, lane: str) -> set[str]:
    """Return the names of a lane's segments at the place."""
    return {path.name for path in machine.folder.rglob("s-*") if path.parent.name == lane}


@contextmanager
def removed_unheard(machine: Machine, tmp_path: Path) -> Iterator[None]:
    """Remove the laptop; within the block no other machine hears of it."""
    [laptop] = [device for device in machine.ask("device.list") if device.name == "laptop"]
    before = {*machine.folder.rglob("m-*")}
    members, entries = next(iter(before)).parent, tmp_path / "entries"
    machine.ask("device.remove", device=laptop.id)
    entries.mkdir()
    for path in {*machine.folder.rglob("m-*")} - before:  # still being copied to the others
        shutil.move(path, entries / path.name)
    yield
    for path in entries.iterdir():
        shutil.move(path, members / path.name)


def own_lane(machine: Machine) -> str:
    [(lane,)] = machine.rows("SELECT lane FROM lanes WHERE is_own")
    return f"{lane:016x}"


def test_what_a_removed_machine_wrote_is_forgotten_too(machines: list[Machine]) -> None:
    one, other, third = machines
    note = other.ask("note.save", content="unforgettablesecret").id
    other.ask("note.save", content="kept")
    settle(*machines)
    [laptop] = [device for device in one.ask("device.list") if device.name == "laptop"]
    one.ask("device.remove", device=laptop.id)
    one.ask("memory.forget_forever", ids=[note], confirm=True)
    meet(one, third)
    meet(one, third)
    assert one.shared_texts()
    assert not [text for text in one.shared_texts() if b"unforgettablesecret" in text]
    assert [epoch(one), epoch(third)] == [3, 3]
    other.join(third)
    settle(one, other, third)
    assert other.contents() == ["kept"]


def test_what_a_removed_machine_goes_on_to_write_holds_nothing_up(machines: list[Machine], tmp_path: Path) -> None:
    one, other, third = machines
    note = other.ask("note.save", content="unforgettablesecret").id
    settle(*machines)
    lane = own_lane(other)
    with removed_unheard(one, tmp_path):
        other.ask("note.save", content="not heard of the removal")
        before = segments(one, lane)
        other.sync()
        assert segments(one, lane) - before
    one.ask("memory.forget_forever", ids=[note], confirm=True)
    meet(one, third)
    meet(one, third)
    assert [epoch(one), epoch(third)] == [3, 3]
    assert "All your machines have forgotten it." in receipt(one).notes
    assert one.contents() == []


def test_two_machines_that_begin_an_epoch_at_once_agree_on_one(machines: list[Machine]) -> None:
    one, other, _ = machines
    note = one.ask("note.save", content="unforgettablesecret").id
    settle(*machines)
    one.ask("memory.forget_forever", ids=[note], confirm=True)
    for _ in range(4):
        futures = [machine.host.submit(engine_of(machine.host).sync.service.sync()) for machine in machines]
        for future in futures:
            future.result()
    meet(*machines)
    assert len({epoch(machine) for machine in machines}) == 1
    assert epoch(one) == 2
    other.ask("note.save", content="after it")
    settle(*machines)
    assert one.contents() == ["after it"]


def test_a_machine_killed_while_it_began_an_epoch_goes_on(machines: list[Machine]) -> None:
    one, other, _ = machines
    one.ask("note.save", content="kept")
    settle(*machines)
    membership, vault = engine_of(one.host).sync.membership, one.sealer()[1].vault
    keys, _ = one.sealer()
    membership.key_store.change(keys.id, lambda kept: kept.with_epoch(2, b"k" * 32))  # drawn, and not announced
    standing = one.host.submit(membership.standing(vault)).result()
    key_manifest.pin_segments(one.point(), standing.keys, standing.members, 2)
    settle(*machines)
    note = other.ask("note.save", content="unforgettablesecret").id
    settle(*machines)
    other.ask("memory.forget_forever", ids=[note], confirm=True)
    meet(*machines)
    meet(*machines)
    assert [epoch(machine) for machine in machines] == [2, 2, 2]
    settle(*machines)
    assert one.contents() == ["kept"]
