"""Code is found where Markdown has it; ranges are disjoint and ascending for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memories.text.code_spans import CodeRanges, code_ranges


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no code", []),
        ("a `b` c", ["`b`"]),
        ("a ``b ` c`` d", ["``b ` c``"]),
        ("x\n```py\ny\n```\nz", ["```py\ny\n```"]),
        ("~~~\na\n```\nb\n~~~", ["~~~\na\n```\nb\n~~~"]),
        ("```\nopen", ["```\nopen"]),
        ("``` one line ```", ["``` one line ```"]),
        ("`a` ```\n", ["`a`"]),
    ],
)
def test_code_is_found(text: str, code: list[str]) -> None:
    assert [text[start:end] for start, end in code_ranges(text)] == code


@given(st.text(alphabet="`~ab \n>\\-", max_size=120))
def test_ranges_are_disjoint_and_ascending(text: str) -> None:
    ends = 0
    for start, end in code_ranges(text):
        assert ends <= start < end <= len(text)
        ends = end


@given(st.lists(st.integers(0, 40), unique=True, max_size=12).map(sorted), st.integers(0, 40), st.integers(1, 10))
def test_touch_agrees_with_looking_at_each_character(edges: list[int], start: int, length: int) -> None:
    ranges = list(zip(edges[::2], edges[1::2], strict=False))
    inside = {place for low, high in ranges for place in range(low, high)}
    assert CodeRanges(ranges).touch(start, start + length) == bool(inside & set(range(start, start + length)))
