"""Tag rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text_rules.tag_names import MAX_TAG_LENGTH, MAX_TAGS, inline_tag, normalise_tag, normalise_tags
from app.memories.text.markdown_links import find_tags


@pytest.mark.parametrize(
    ("given_tag", "stored"),
    [
        ("  Garden ", "garden"),
        ("#Garden/Roses", "garden/roses"),
        ("two   words", "two words"),
        ("/edge/", "edge"),
        ("links to [[Neural", "links to neural"),
        ("\x00\u202e", ""),
        ("ÉTÉ", "été"),
        ("x" * 10_000, "x" * MAX_TAG_LENGTH),
    ],
)
def test_stored_form(given_tag: str, stored: str) -> None:
    assert normalise_tag(given_tag) == stored


def test_order_is_kept_repeats_and_too_many_are_not() -> None:
    assert normalise_tags(["b", "A", "B ", "a"]) == ("b", "a")
    assert len(normalise_tags(str(number) for number in range(100))) == MAX_TAGS


@given(st.lists(st.text()))
def test_normalising_twice_changes_nothing(tags: list[str]) -> None:
    once = normalise_tags(tags)
    assert normalise_tags(once) == once
    assert all(0 < len(tag) <= MAX_TAG_LENGTH for tag in once)


@pytest.mark.parametrize(
    ("typed", "tag"),
    [("garden", "garden"), ("Rose list", "rose-list"), ("**bold** - [x]", "bold-x"), ("#a/b", "a/b"), ("?!", "")],
)
def test_a_tag_as_it_can_be_typed_in_a_text(typed: str, tag: str) -> None:
    assert inline_tag(typed) == tag
    if tag:
        assert find_tags(f"#{tag}") == (tag,)
