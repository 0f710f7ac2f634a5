"""Sealed files: whole again with the key, and any change is noticed."""

import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.encryption.data_key import DataKey, expand
from app.encryption.sealed_files import (
    MAGIC,
    is_sealed,
    open_name,
    open_parts,
    sealed_name,
    sealed_parts,
    sealed_size,
)
from app.errors import VaultDamagedError

KEY = DataKey(bytes(range(32)))
OTHER = DataKey(bytes(32))
SEGMENT = 64 * 1024
SIZES = (0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT, 2 * SEGMENT + 5)


def sealed(data: bytes, name: str = "rose.png") -> bytes:
    return b"".join(sealed_parts(KEY, [data], name))


def opened(data: bytes, key: DataKey = KEY) -> bytes:
    return b"".join(open_parts(key, io.BytesIO(data)))


@pytest.mark.parametrize("size", SIZES)
def test_contents_come_back_whole(size: int) -> None:
    data = (b"Zanzibar " * (size // 9 + 1))[:size]
    made = sealed(data)
    assert is_sealed(made)
    assert b"Zanzibar" not in made
    assert b"rose" not in made
    assert opened(made) == data
    assert sealed_size(io.BytesIO(made), len(made)) == size
    assert open_name(KEY, io.BytesIO(made)) == "rose.png"


@given(cuts=st.lists(st.integers(0, 3 * SEGMENT), max_size=6))
def test_it_does_not_matter_in_which_parts_they_come(cuts: list[int]) -> None:
    data = bytes(range(256)) * (3 * SEGMENT // 256)
    parts = [data[start:end] for start, end in pairwise([0, *sorted(cuts), len(data)])]
    assert opened(b"".join(sealed_parts(KEY, [memoryview(part) for part in parts]))) == data


@given(at=st.integers(0, 2**32), bit=st.integers(0, 7))
def test_every_flipped_bit_is_noticed(at: int, bit: int) -> None:
    made = bytearray(sealed(b"Prune in March." * 5000))
    made[at % len(made)] ^= 1 << bit
    with pytest.raises(VaultDamagedError, match="damaged or cut off"):
        opened(bytes(made))


@given(length=st.integers(0, 3 * SEGMENT))
def test_a_file_that_is_cut_off_is_noticed(length: int) -> None:
    made = sealed(bytes(3 * SEGMENT))
    with pytest.raises(VaultDamagedError):
        opened(made[:length])


def test_segments_cannot_be_moved_or_left_out() -> None:
    made = sealed(bytes(3 * SEGMENT))
    body = len(made) - 3 * (SEGMENT + 16)
    head, segments = made[:body], [made[start : start + SEGMENT + 16] for start in range(body, len(made), SEGMENT + 16)]
    first, second, third = segments
    for wrong in ([second, first, third], [first, third], [first, second], [first, second, third, third]):
        with pytest.raises(VaultDamagedError):
            opened(head + b"".join(wrong))


def test_another_key_opens_nothing() -> None:
    with pytest.raises(VaultDamagedError):
        opened(sealed(b"secret"), OTHER)
    with pytest.raises(VaultDamagedError):
        open_name(OTHER, io.BytesIO(sealed(b"secret")))


def test_the_same_contents_are_sealed_differently_and_called_alike() -> None:
    assert sealed(b"secret") != sealed(b"secret")
    assert sealed_name(KEY, "rose.png") == sealed_name(KEY, "rose.png")
    assert len({sealed_name(KEY, "rose.png"), sealed_name(KEY, "Rose.png"), sealed_name(OTHER, "rose.png")}) == 3
    assert len(sealed_name(KEY, "名" * 200)) < 60


def test_what_is_no_sealed_file_is_said() -> None:
    for data in (b"", MAGIC, b"\x89PNG", MAGIC + bytes(40)):
        with pytest.raises(VaultDamagedError):
            opened(data)


def test_keys_are_derived_as_the_standard_has_it() -> None:
    # RFC 5869, test case 1: the second step of it.
    secret = bytes.fromhex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5")
    made = expand(secret, bytes.fromhex("f0f1f2f3f4f5f6f7f8f9"), 42)
    assert made.hex() == ("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
