"""Segments: whole again in order, and every change of a stream is noticed where it begins."""

import io
from itertools import pairwise

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st

from app.encryption.segments import (
    ENCRYPTED_SEGMENT,
    SEGMENT,
    SegmentDamagedError,
    SegmentEncryptor,
    decrypted_segments,
    nonce,
)

KEY, OTHER = AESGCM(bytes(range(32))), AESGCM(bytes(32))
DATA = bytes(range(256)) * (3 * SEGMENT // 256) + b"the end"


def encrypted(data: bytes, cuts: list[int], cipher: AESGCM = KEY) -> bytes:
    encryptor = SegmentEncryptor(cipher)
    ends = [0, *sorted(cut for cut in cuts if cut <= len(data)), len(data)]
    parts = [piece for start, end in pairwise(ends) for piece in encryptor.add(memoryview(data)[start:end])]
    return b"".join([*parts, encryptor.end()])


def damaged_at(data: bytes) -> int:
    """Return the segment that is found damaged, after those before it were read."""
    read: list[bytes] = []
    with pytest.raises(SegmentDamagedError) as caught:
        read.extend(decrypted_segments(KEY, io.BytesIO(data)))
    assert read == [DATA[at * SEGMENT : (at + 1) * SEGMENT] for at in range(caught.value.number)]
    return caught.value.number


@given(
    size=st.sampled_from((0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 3 * SEGMENT, len(DATA))),
    cuts=st.lists(st.integers(0, len(DATA)), max_size=6),
)
def test_a_stream_comes_back_whole_in_whatever_pieces_it_came(size: int, cuts: list[int]) -> None:
    made = encrypted(DATA[:size], cuts)
    assert b"".join(decrypted_segments(KEY, io.BytesIO(made))) == DATA[:size]


@given(at=st.integers(0, 2**32), bit=st.integers(0, 7))
def test_a_flipped_bit_is_found_in_its_segment(at: int, bit: int) -> None:
    made = bytearray(encrypted(DATA, []))
    at %= len(made)
    made[at] ^= 1 << bit
    assert damaged_at(bytes(made)) == at // ENCRYPTED_SEGMENT


@given(length=st.integers(0, 2**32))
def test_a_cut_is_found_where_it_is(length: int) -> None:
    made = encrypted(DATA, [])
    length %= len(made)
    # After a whole segment it is that one: it does not say that it is the last.
    assert damaged_at(made[:length]) == max(0, length - 1) // ENCRYPTED_SEGMENT


def test_segments_that_changed_places_are_found() -> None:
    made = encrypted(DATA, [])
    first, second, rest = (
        made[:ENCRYPTED_SEGMENT],
        made[ENCRYPTED_SEGMENT : 2 * ENCRYPTED_SEGMENT],
        2 * ENCRYPTED_SEGMENT,
    )
    assert damaged_at(second + first + made[rest:]) == 0
    assert damaged_at(first + made[rest:]) == 1
    assert damaged_at(first + first + made[ENCRYPTED_SEGMENT:]) == 1


def test_two_streams_do_not_become_one() -> None:
    made = encrypted(DATA, [])
    assert damaged_at(made + made) == 3
    assert damaged_at(made[: 2 * ENCRYPTED_SEGMENT] + encrypted(DATA, [], OTHER)[2 * ENCRYPTED_SEGMENT :]) == 2
    assert damaged_at(made + b"x") == 3


def test_no_nonce_comes_twice() -> None:
    made = [nonce(number, is_last=is_last) for number in range(1000) for is_last in (False, True)]
    assert len(set(made)) == len(made)
