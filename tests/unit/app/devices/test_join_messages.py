"""A request to come in is read only where it is whole, of its device, and has a name that can be shown."""

import pytest

from app.devices.join_messages import JoinMessages
from app.sync.sealing.device_keys import new_device_keys

MESSAGES = JoinMessages("a" * 32, bytes(16))


def test_a_request_names_its_device() -> None:
    keys = new_device_keys()
    found = MESSAGES.requested(keys.id, MESSAGES.request(keys, "Büro 2"))
    assert found is not None
    assert (found[0].id, found[1]) == (keys.id, "Büro 2")


@pytest.mark.parametrize("name", ["", " ", "x" * 65, "laptop\u202egnp", "two\x00", "\ud800"])
def test_a_name_that_could_deceive_is_no_request(name: str) -> None:
    keys = new_device_keys()
    assert MESSAGES.requested(keys.id, MESSAGES.request(keys, name)) is None


def test_a_request_of_another_device_or_invitation_is_none() -> None:
    keys, other = new_device_keys(), new_device_keys()
    request = MESSAGES.request(keys, "laptop")
    assert MESSAGES.requested(other.id, request) is None
    assert JoinMessages("b" * 32, bytes(16)).requested(keys.id, request) is None
    assert JoinMessages("a" * 32, bytes(15) + b"x").requested(keys.id, request) is None
    assert MESSAGES.requested(keys.id, request[:-1]) is None
