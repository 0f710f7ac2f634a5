"""Lenient reading of arguments: what models send is understood, and what cannot be meant is refused."""

from typing import Any

import pytest

from app.errors import InputError
from app.mcp.tools.lenient_arguments import Arguments

DECLARED = {
    name: {} for name in ("query", "limit", "ids", "tags", "since", "delete", "kind", "items", "content", "max_tokens")
}


def given(**values: Any) -> Arguments:
    return Arguments(values, DECLARED)


@pytest.mark.parametrize("value", ["", None, [], {}, "  "])
def test_what_is_empty_counts_as_not_given(value: Any) -> None:
    found = given(query=value, limit=value, ids=value, since=value)
    assert found.text("query").strip() == ""
    assert found.texts("ids") == []
    assert found.span("since") == ""
    assert found.number("limit", 10) == 10


@pytest.mark.parametrize("name", ["limit", "top_k", "topK", "max_results", "n", "Top-K"])
def test_other_names_of_a_limit(name: str) -> None:
    assert given(**{name: "7"}).number("limit") == 7


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("a, b", ["a", "b"]),
        ('["a", "b,c"]', ["a", "b,c"]),
        ("a\nb", ["a", "b"]),
        (["a", None, 5, " "], ["a", "5"]),
        ("[broken", ["[broken"]),
        (5, ["5"]),
        ("", []),
    ],
)
def test_lists(value: Any, wanted: list[str]) -> None:
    assert given(tags=value).texts("tags") == wanted


def test_lines_keep_their_commas() -> None:
    assert given(items="one, two\nthree").lines("items") == ["one, two", "three"]
    assert given(items='["one, two"]').lines("items") == ["one, two"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("7d", "last 7 days"),
        ("last 7 d", "last 7 days"),
        ("2w", "last 2 weeks"),
        ("3m", "last 3 months"),
        ("24H", "last 24 hours"),
        ("last week", "last week"),
        ('"last week"', "last week"),
        ("2026-03-01", "2026-03-01"),
    ],
)
def test_spans(text: str, wanted: str) -> None:
    assert given(since=text).span("since") == wanted


@pytest.mark.parametrize(("value", "wanted"), [(5, 5), ("5", 5), (5.0, 5), ("5.0", 5), ("", None), (None, None)])
def test_numbers(value: Any, wanted: int | None) -> None:
    assert given(limit=value).number("limit") == wanted


@pytest.mark.parametrize("value", ["five", -1, "1e400", "nan", [1], {"a": 1}, 10**9])
def test_numbers_that_cannot_be_meant(value: Any) -> None:
    with pytest.raises(InputError):
        given(limit=value, query="x").number("limit")


@pytest.mark.parametrize(("value", "wanted"), [(True, True), ("true", True), ("No", False), (0, False), ("", False)])
def test_flags(value: Any, wanted: bool) -> None:
    assert given(delete=value).flag("delete") is wanted


def test_what_cannot_be_meant_is_refused() -> None:
    for wrong in ({"delete": "perhaps"}, {"query": {"a": 1}}):
        with pytest.raises(InputError):
            given(**wrong).flag("delete") if "delete" in wrong else given(**wrong).required("query")
    with pytest.raises(InputError, match="There is no argument 'colour'"):
        given(colour="red")
    assert given(colour="").text("query") == ""


def test_an_alias_does_not_take_a_name_that_is_declared() -> None:
    found = given(query="tea", content="coffee")
    assert (found.text("query"), found.text("content")) == ("tea", "coffee")
