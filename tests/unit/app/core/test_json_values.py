"""Foreign values become JSON that comes back equal."""

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.json_values import plain
from app.errors import InputError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.datetimes() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.integers(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_any_value_survives_json(value: Any) -> None:
    made = plain(value)
    text = json.dumps(made, ensure_ascii=False, allow_nan=False)
    assert json.loads(text.encode()) == made
    assert plain(made) == made


def test_what_json_lacks_is_written_out() -> None:
    assert plain({"d": date(2024, 5, 1), "t": datetime(2024, 5, 1, 12, tzinfo=UTC), 3: {"x"}}) == {
        "d": "2024-05-01",
        "t": "2024-05-01T12:00:00+00:00",
        "3": ["x"],
    }
    assert plain([float("nan"), float("-inf")]) == ["nan", "-inf"]
    assert plain(1 << 40_000).startswith("0x1")
    assert plain("a\x00\ud800") == "a\u2400\ufffd"


def test_too_deep_is_refused() -> None:
    value: Any = "x"
    for _ in range(10_000):
        value = [value]
    with pytest.raises(InputError, match="deep"):
        plain(value)
