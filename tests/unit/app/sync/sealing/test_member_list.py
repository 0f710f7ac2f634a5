"""The list of members follows from its first entry by signatures of members alone."""

import json
from dataclasses import replace

import pytest

from app.errors import ExchangeError, ExchangeNewerError
from app.sync.sealing import member_list, primitives, sealed_object, signed_text
from app.sync.sealing.device_keys import DeviceKeys, keys_from_text, new_device_keys
from app.sync.sealing.member_list import MemberList
from app.sync.sealing.primitives import NotOpenedError
from app.sync.sealing.signed_text import TornError
from tests.unit.app.sync.sealing.members import VAULT, Founded, founded, member_of


@pytest.fixture
def home() -> Founded:
    return founded()


def removed(home: Founded, identity: str) -> MemberList:
    gone = replace(home.members.devices[identity], receiving=b"", removed_at_ms=5)
    return replace(member_list.with_device(home.members, gone), epoch=home.members.epoch + 1)


def with_epoch(keys: DeviceKeys, epoch: int) -> DeviceKeys:
    return keys.with_epoch(epoch, primitives.random_key())


def test_members_come_and_go(home: Founded) -> None:
    laptop, tablet = home.join(), home.join()
    home.keys = with_epoch(home.keys, 2)
    home.add(removed(home, tablet.id), home.keys, {laptop.id: "laptop"})
    assert set(home.members.members) == {home.keys.id, laptop.id}
    assert home.members.devices[tablet.id].removed_at_ms == 5
    assert member_list.chain(VAULT, home.entries) == home.lists
    key, _ = member_list.epoch_key_of(home.members, laptop)
    assert key == home.keys.epochs[2]
    assert member_list.names_of(home.members, laptop.with_epoch(2, key)) == {laptop.id: "laptop"}
    assert member_list.names_of(home.members, laptop) == {}
    with pytest.raises(NotOpenedError):
        member_list.epoch_key_of(home.members, tablet)


def test_the_place_sees_no_name(home: Founded) -> None:
    home.add(home.members, home.keys, {home.keys.id: "canaryname"})
    assert b"canaryname" not in b"".join(home.entries)


def test_every_changed_byte_is_noticed(home: Founded) -> None:
    home.join()
    data = home.entries[-1]
    for place in range(len(data)):
        flipped = bytes([*data[:place], data[place] ^ 1, *data[place + 1 :]])
        with pytest.raises((ExchangeError, TornError)):
            member_list.following(home.lists[-2], flipped)
    with pytest.raises(TornError):
        member_list.following(home.lists[-2], data[:-1])


def test_nobody_else_adds_an_entry(home: Founded) -> None:
    intruder, tablet = new_device_keys(), home.join()
    intruder = replace(intruder, epochs=home.keys.epochs)
    data = member_list.entry(home.members, member_list.with_device(home.members, member_of(intruder)), intruder, {})
    with pytest.raises(ExchangeError, match="changed by somebody else"):
        member_list.following(home.members, data)
    home.add(removed(home, tablet.id), with_epoch(home.keys, 2))
    data = member_list.entry(
        home.members,
        member_list.with_device(home.members, member_of(tablet)),
        tablet.with_epoch(2, primitives.random_key()),
        {},
    )
    with pytest.raises(ExchangeError, match="changed by somebody else"):
        member_list.following(home.members, data)


def test_entries_cannot_be_left_out_or_mixed_up(home: Founded) -> None:
    home.join()
    home.join()
    first, second, third = home.entries
    for entries in ([first, third], [second], [first, second, second], [first, third, second]):
        with pytest.raises(ExchangeError, match="changed by somebody else"):
            member_list.chain(VAULT, entries)
    with pytest.raises(ExchangeError):
        member_list.chain("b" * 32, home.entries)
    with pytest.raises(ExchangeError):
        member_list.chain(VAULT, [first, founded().entries[0]])


@pytest.mark.parametrize(
    "changes",
    [
        {"epoch": 3},
        {"epoch": 0},
        {"epoch": 2},
        {"devices": {}},
        {"devices": {"0" * 32: ["00", "00", 1, None]}},
        {"keys": {"x": "00"}},
        {"names": 3},
        {"number": 7},
        {"previous": ""},
    ],
)
def test_an_entry_that_makes_no_sense_is_refused(home: Founded, changes: dict[str, object]) -> None:
    home.join()
    fields = json.loads(signed_text.read(member_list.entry(home.members, home.members, home.keys, {})).text)
    with pytest.raises(ExchangeError):
        member_list.following(home.members, signed_text.signed(home.keys.signing, "members", fields | changes))


def test_a_newer_list_is_named(home: Founded) -> None:
    fields = json.loads(signed_text.read(member_list.entry(home.members, home.members, home.keys, {})).text)
    newer = signed_text.signed(home.keys.signing, "members", fields | {"min_reader": sealed_object.FORMAT + 1})
    with pytest.raises(ExchangeNewerError):
        member_list.following(home.members, newer)


def test_keys_are_kept_as_text(home: Founded) -> None:
    keys = with_epoch(home.keys, 2)
    assert keys_from_text(keys.as_text()) == keys
    assert len(keys.as_text()) < 1_200  # what the keyring of Windows takes
    assert keys.from_epoch(2).epochs == {2: keys.epochs[2]}
    assert "signing" not in repr(keys)
    assert repr(keys.epochs[2]) not in repr(keys)
    for text in ("", "{}", "[]", '{"signing": 3}', keys.as_text()[:-9]):
        with pytest.raises(ValueError, match=r"\S"):
            keys_from_text(text)
