"""Edits of Markdown files: only what differs is new, and every other byte stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.exchange.parsing.frontmatter import split
from app.exchange.parsing.markdown_edit import line_end_of, lines_of, merged_body, with_field

BODY = "# Rose  \r\n\r\nPrune in March.\r\n![rose](pics/rose.png)\r\nlast line without an end"
READ = "# Rose  \n\nPrune in March.\n![rose](attachments/rose.png)\nlast line without an end"


def test_a_text_that_is_the_same_changes_nothing() -> None:
    assert merged_body(BODY, READ, READ) == BODY


def test_only_the_line_that_differs_is_new() -> None:
    wanted = READ.replace("March", "late March")
    assert merged_body(BODY, READ, wanted) == BODY.replace("March", "late March")


def test_lines_that_are_added_and_taken_away() -> None:
    wanted = READ.replace("Prune in March.\n", "Water it.\nFeed it.\n") + "\n"
    expected = BODY.replace("Prune in March.\r\n", "Water it.\r\nFeed it.\r\n") + "\r\n"
    assert merged_body(BODY, READ, wanted) == expected


def test_a_body_with_other_lines_than_was_read_is_replaced() -> None:
    assert merged_body("one\r\ntwo\r\n", "one", "new\nlines") == "new\r\nlines"


@given(
    before=st.lists(st.sampled_from(["a", "b", " c ", ""]), max_size=12),
    after=st.lists(st.sampled_from(["a", "b", " c ", "new", ""]), max_size=12),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_what_is_read_again_is_what_was_wanted(before: list[str], after: list[str], end: str) -> None:
    body, read, wanted = end.join(before), "\n".join(before), "\n".join(after)
    merged = merged_body(body, read, wanted)
    assert merged.replace(line_end_of(body), "\n") == wanted
    assert "".join(lines_of(merged)) == merged


@pytest.mark.parametrize(
    ("front", "name", "value", "expected"),
    [
        ("", "title", "Rose", "---\ntitle: Rose\n---\n"),
        ("---\nz: 1\n---\n", "title", "Rose: red", "---\nz: 1\ntitle: 'Rose: red'\n---\n"),
        ("---\ntitle: Old\na: 2  \n---\n", "title", "New", "---\ntitle: New\na: 2  \n---\n"),
        ("---\ntags:\n  - a\n  - b\nz: 1\n---\n", "tags", ["a", "c"], "---\ntags: [a, c]\nz: 1\n---\n"),
        ("---\ntags:\n- a\n- b\n---\n", "tags", [], "---\ntags: []\n---\n"),
        ("---\nTags: a, b\n---\n", "tags", ["yes", "2023"], "---\ntags: ['yes', '2023']\n---\n"),
        ("---\nsubtitle: x\n---\n", "title", "y", "---\nsubtitle: x\ntitle: y\n---\n"),
    ],
)
def test_one_field_of_the_front_matter(front: str, name: str, value: str | list[str], expected: str) -> None:
    made = with_field(front, name, value, "\n")
    assert made == expected
    assert split(made + "body")[0].fields[name] == value


def test_line_ends_of_the_front_matter_stay() -> None:
    assert with_field("---\r\nz: 1\r\n---\r\n", "title", "Rose", "\r\n") == "---\r\nz: 1\r\ntitle: Rose\r\n---\r\n"
    assert with_field("", "title", "Rose", "\r\n") == "---\r\ntitle: Rose\r\n---\r\n"
