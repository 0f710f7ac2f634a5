"""Quoted text is harmless, and links lead back."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memories.model import Source
from app.upkeep.reflection.citations import day, enumerated, in_words, link, quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# A heading\n\n- [ ] a task", "A heading a task"),
        ("see [here](javascript:alert) and ![pic](x.png)", "see here and pic"),
        ("[[Wiki]] of `code` <b>bold</b>", r"Wiki of code \<b\>bold\</b\>"),
        ("- a list", "a list"),
        ("1. first", r"1\. first"),
        ("https://evil.example/x now", "… now"),
        ("snake_case *star*", r"snake\_case \*star\*"),
    ],
)
def test_markdown_of_stored_texts_is_shown_as_words(text: str, shown: str) -> None:
    assert quoted(text) == shown


@given(st.text(max_size=400))
def test_no_text_makes_a_link_or_a_line(text: str) -> None:
    shown = quoted(text)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)[\[\]<`]", shown.replace("\\\\", ""))


def test_text_from_right_to_left_is_isolated() -> None:
    assert quoted("שלום") == "\u2068שלום\u2069"
    assert quoted("hello") == "hello"


@pytest.mark.parametrize(
    ("source", "address"),
    [
        (Source("memory", "mem-1"), "keepsake://memory/mem-1"),
        (Source("message", "talk#7"), "keepsake://session/talk#7"),
        (Source("message", "a/b (c)#d#7"), "keepsake://session/a%2Fb%20%28c%29%23d#7"),
    ],
)
def test_links_lead_to_the_source(source: Source, address: str) -> None:
    assert link(source) == address


def test_days_are_named_within_the_week() -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert day(now - timedelta(days=2), UTC, until=now) == "Friday"
    assert day(now - timedelta(days=20), UTC, until=now) == "9 February"
    assert day(now - timedelta(days=100), UTC, until=now) == "21 November 2025"
    assert day(now + timedelta(days=2), UTC) == "3 March 2026"


def test_numbers_and_lists_in_words() -> None:
    assert in_words(1, "fact") == "one fact"
    assert in_words(12, "fact") == "twelve facts"
    assert in_words(1300, "fact") == "1,300 facts"
    assert enumerated(["a", "b", "c"]) == "a, b and c"
    assert enumerated(["a"]) == "a"
