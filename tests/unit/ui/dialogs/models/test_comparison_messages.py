"""A comparison in words."""

from dataclasses import replace

import pytest

from tests.unit.ui.dialogs.model_comparisons import answer, row, side_by_side, total
from ui.dialogs.models.comparison_messages import (
    figures,
    leading,
    lines_of,
    mark_of,
    queries_of,
    query_line,
    side_names,
    verdict,
)


def test_marks_say_where_a_hit_went() -> None:
    now, other = answer("abcd", "acbx"), answer("acbx", "abcd")
    assert [mark_of(hit, "now").text for hit in now.hits] == ["=", "→ 3", "→ 2", "gone"]
    assert [mark_of(hit, "other").text for hit in other.hits] == ["=", "▲ 1", "▼ 1", "new"]
    assert [mark_of(hit, "now").tone for hit in now.hits] == ["plain", "moved", "moved", "lost"]
    assert all(mark_of(hit, "other").speech for hit in other.hits)


@pytest.mark.parametrize(
    ("now", "other", "target", "line"),
    [
        ("", "", "", "nothing found on either side"),
        ("ab", "ab", "", "the same on both sides"),
        ("ab", "ab", "a", "the same on both sides"),
        ("ab", "ba", "", "2 of 2 shared · 2 moved"),
        ("abc", "abx", "", "2 of 3 shared"),
        ("ab", "ba", "a", "answer 1 → 2 · 2 of 2 shared"),
        ("ab", "xy", "a", "answer 1 → none · 0 of 2 shared"),
        ("xy", "ab", "a", "answer none → 1 · 0 of 2 shared"),
    ],
)
def test_a_query_in_a_line(now: str, other: str, target: str, line: str) -> None:
    assert query_line(row("q", now, other, target)) == line


def test_the_verdict() -> None:
    said = verdict(side_by_side())
    assert said == (
        "3 of 12 queries are answered alike; on average 77 % of the hits are shared. Known answers that rise: 2; that"
        " fall: 1."
    )
    assert "stands where it stood" in verdict(side_by_side(better=0, worse=0))
    alone = replace(side_by_side(better=0, worse=0, now=total("a"), other=total("b")), queries=1, same=0)
    assert verdict(alone) == "77 % of the hits are shared."
    assert verdict(replace(alone, same=1)) == "The query is answered alike."
    assert verdict(replace(alone, same=1, other=total("b", missing=1))).endswith("1 text has no vector by b yet.")
    unknown = side_by_side(better=0, worse=0, now=total("a"), other=total("b"))
    assert verdict(unknown).endswith("of the hits are shared.")
    lacking = side_by_side(other=total("hashed", missing=1_204), cancelled=True, notes=("A note.",))
    assert verdict(lacking).endswith(
        "1,204 texts have no vector by hashed yet. It was stopped, so this is of part of the queries. A note."
    )


def test_figures_and_which_lead() -> None:
    found = side_by_side()
    assert figures(found.now) == ["50 %", "50 %", "50 %", "0.500", "12.3 ms"]
    assert figures(total("a")) == ["–", "–", "–", "–", "12.3 ms"]
    assert leading(found) == ([False] * 5, [True] * 4 + [False])
    assert leading(side_by_side(now=total("a"), other=total("b"))) == ([False] * 5, [False] * 5)


def test_sides_are_called_by_what_they_differ_in() -> None:
    assert side_names(side_by_side()) == ("Built-in model", "hashed")
    assert side_names(side_by_side(other=total("static", "words"))) == ("learned", "words")


def test_queries_one_a_line() -> None:
    assert queries_of("  a \n\n b c\na\n", 10) == ["a", "b c"]
    assert queries_of("a\nb\nc", 2) == ["a", "b"]
    assert queries_of("", 5) == []
    assert lines_of(["a", "b\nc"], ["a", "  ", "d"]) == "a\nb c\nd"
