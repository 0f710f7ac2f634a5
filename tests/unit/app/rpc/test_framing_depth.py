import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.rpc.framing import MAX_DEPTH, FrameError, decode_batch, is_deeper

VALUES = st.recursive(
    st.none() | st.integers() | st.text(alphabet='[]{}"\\ab', max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('[]{}"\\', max_size=3), inner, max_size=3),
    max_leaves=30,
)


def depth(value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@given(VALUES, st.integers(0, 6))
def test_brackets_tell_the_depth_of_the_value(value: Any, limit: int) -> None:
    assert is_deeper(json.dumps(value).encode(), limit) == (depth(value) > limit)


@pytest.mark.parametrize("kind", ["[]", "{}"])
def test_the_deepest_message_allowed(kind: str) -> None:
    def nested(count: int) -> bytes:
        inner = '{"a":' if kind == "{}" else "["
        return (inner * count + "1" + kind[1] * count).encode()

    decode_batch(nested(MAX_DEPTH))
    with pytest.raises(FrameError, match="deep"):
        decode_batch(nested(MAX_DEPTH + 1))


@pytest.mark.parametrize("text", [b"[" * 100_000, b"]" * 100_000, b'"' + b"[" * 1000, b"[{" * 500 + b"]}" * 500])
def test_broken_json_is_refused_whatever_its_brackets(text: bytes) -> None:
    with pytest.raises(FrameError):
        decode_batch(text)
