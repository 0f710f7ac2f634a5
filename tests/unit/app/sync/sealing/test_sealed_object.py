"""Nothing of a sealed object can be read, changed, cut off or put elsewhere unnoticed by who has no key."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import ExchangeError, ExchangeNewerError
from app.sync.sealing import sealed_object, signed_text
from app.sync.sealing.sealed_object import padded_length
from app.sync.sealing.signed_text import TornError
from tests.unit.app.sync.sealing.members import VAULT, founded

NAME = f"{1:016x}/s-000000000001-000000000004"
SECRET = b"canarycanary word"
HOME = founded()
KEYS = HOME.keys


def sealed(body: bytes = SECRET, name: str = NAME) -> bytes:
    return sealed_object.seal(KEYS, 1, VAULT, name, body, {"first": 1})


def opened(data: bytes, name: str = NAME, vault: str = VAULT) -> bytes:
    found = sealed_object.read(data, vault, name, HOME.members.signing_keys)
    secret = sealed_object.key_of(found, KEYS)
    assert secret is not None
    return sealed_object.opened(found, secret)


@pytest.mark.parametrize("length", [0, 1, 2, 3, 1000, (1 << 16) - 8, 1 << 16, (1 << 16) + 1, 300_000])
def test_what_is_sealed_is_opened(length: int) -> None:
    body = random.Random(length).randbytes(length)
    data = sealed(body)
    assert opened(data) == body
    assert data != sealed(body)  # never the same key twice


def test_nothing_of_the_body_is_in_it() -> None:
    data = sealed(SECRET * 50)
    assert SECRET not in data
    assert KEYS.epochs[1] not in data
    assert set(json.loads(data.partition(b"\n")[0])) == {
        "format", "min_reader", "vault", "name", "device", "epoch", "key", "size", "sum", "first",
    }  # fmt: skip


def test_every_changed_byte_is_noticed() -> None:
    data = sealed()
    for place in range(len(data)):
        for bit in (1, 0x20, 0x80):
            flipped = bytes([*data[:place], data[place] ^ bit, *data[place + 1 :]])
            with pytest.raises((ExchangeError, TornError)):
                opened(flipped)


@given(st.data())
def test_changed_bytes_of_a_large_object_are_noticed(draws: st.DataObject) -> None:
    place = draws.draw(st.integers(0, len(LARGE) - 1))
    flipped = bytes([*LARGE[:place], LARGE[place] ^ draws.draw(st.integers(1, 255)), *LARGE[place + 1 :]])
    with pytest.raises((ExchangeError, TornError)):
        opened(flipped)


LARGE = sealed(random.Random(1).randbytes(200_000))


def test_an_object_that_ends_too_early_is_not_there_yet() -> None:
    data = sealed()
    for length in range(len(data)):
        with pytest.raises(TornError):
            opened(data[:length])
    with pytest.raises(ExchangeError, match="damaged"):
        opened(data + b"\0")


def test_an_object_counts_only_in_its_place() -> None:
    with pytest.raises(ExchangeError, match="in the place of another"):
        opened(sealed(), name=NAME.replace("4", "5"))
    with pytest.raises(ExchangeError, match="another vault"):
        opened(sealed(), vault="b" * 32)
    with pytest.raises(ExchangeError, match="not in the list of your machines"):
        opened(sealed_object.seal(founded().keys, 1, VAULT, NAME, SECRET, {}))


def test_who_knows_a_key_but_is_no_member_cannot_sign() -> None:
    intruder = founded().keys
    text = signed_text.read(sealed())
    forged = signed_text.signed(intruder.signing, "object", text.fields) + sealed()[text.start :]
    with pytest.raises(ExchangeError, match="damaged"):
        opened(forged)
    other_use = signed_text.signed(KEYS.signing, "members", text.fields) + sealed()[text.start :]
    with pytest.raises(ExchangeError, match="damaged"):
        opened(other_use)


def test_a_newer_keepsake_is_named() -> None:
    text = signed_text.read(sealed())
    newer = {**text.fields, "min_reader": sealed_object.FORMAT + 1}
    with pytest.raises(ExchangeNewerError, match="Update Keepsake"):
        opened(signed_text.signed(KEYS.signing, "object", newer) + sealed()[text.start :])


@pytest.mark.parametrize("data", [b"[]\n", b"{}", b"damaged", b'{"a":1}\n' + b"0" * 128 + b"\n", b"{" * 200_000])
def test_what_is_no_object_is_refused(data: bytes) -> None:
    with pytest.raises((ExchangeError, TornError)):
        opened(data)


def test_padding_adds_at_most_an_eighth() -> None:
    lengths = [*range(1, 5000), *(1 << bits for bits in range(13, 40)), *((1 << bits) + 1 for bits in range(13, 40))]
    for length in lengths:
        assert length <= padded_length(length) <= length * 1.12 + 1
    assert len({padded_length(length) for length in range(1, 1 << 16)}) < 200
