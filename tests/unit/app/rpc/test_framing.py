import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.rpc.framing import HEADER_BYTES, MAX_FRAME, FrameError, FrameJsonError, decode, encode, length_of

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), values.filter(lambda value: value not in (math.inf, -math.inf)), max_size=5))
def test_a_message_comes_out_as_it_went_in(message: dict[str, object]) -> None:
    frame = encode(message)
    payload = frame[HEADER_BYTES:]
    assert length_of(frame[:HEADER_BYTES]) == len(payload)
    expected = decode(encode(message)[HEADER_BYTES:])
    assert decode(payload) == expected
    assert set(expected) == set(message)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_a_frame_error(payload: bytes) -> None:
    try:
        message = decode(payload)
    except FrameError:
        return
    assert isinstance(message, dict)


@pytest.mark.parametrize("length", [0, MAX_FRAME + 1, 2**32 - 1])
def test_lengths_out_of_bounds_are_refused(length: int) -> None:
    with pytest.raises(FrameError):
        length_of(length.to_bytes(4, "big"))


@pytest.mark.parametrize("payload", [b"[]", b"1", b'"text"', b"null", b"[{}]"])
def test_what_is_json_but_no_object_is_refused(payload: bytes) -> None:
    with pytest.raises(FrameError, match="one JSON object"):
        decode(payload)


@pytest.mark.parametrize(
    "payload", [b"{", b"{}}", b"\xff\xfe", b'{"a":"\xff"}', b"[" * 100_000, b"NaN", b"\xef\xbb\xbf{}"]
)
def test_what_is_not_json_is_refused(payload: bytes) -> None:
    with pytest.raises(FrameJsonError):
        decode(payload)


def test_text_that_is_none_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="no text"):
        encode({"text": "\udcff"})


def test_a_message_too_long_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="Ask for less"):
        encode({"text": "x" * MAX_FRAME})
