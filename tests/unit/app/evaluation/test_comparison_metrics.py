"""Overlap, moves and gains of two sides."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.evaluation.comparison_metrics import (
    MOST_MADE,
    ComparedQuery,
    SideResult,
    compare_answers,
    count_gains,
    mean_overlap,
    score,
    select_rows,
)
from app.evaluation.comparison_model import Origin, QueryComparison
from app.retrieval.model import Hit, Why

AT = datetime(2026, 3, 1, tzinfo=UTC)


def hit(identity: str) -> Hit:
    return Hit(identity, "memory", "note", "", identity, (), 1.0, Why(), AT)


def row(now: str, other: str, target: str = "", origin: Origin = "made") -> QueryComparison:
    """Return a query whose sides found one item a letter."""
    sides = [SideResult([hit(one) for one in ids], 1.0) for ids in (now, other)]
    return compare_answers(ComparedQuery("q", origin, target), *sides)


@pytest.mark.parametrize(
    ("now", "other", "common", "moved", "is_same"),
    [
        ("", "", 0, 0, True),
        ("a", "", 0, 0, False),
        ("", "a", 0, 0, False),
        ("abc", "abc", 3, 0, True),
        ("abc", "acb", 3, 2, False),
        ("abc", "abd", 2, 0, False),
        ("abc", "ab", 2, 0, False),
        ("abc", "xyz", 0, 0, False),
    ],
)
def test_what_is_shared_and_what_moved(now: str, other: str, common: int, moved: int, is_same: bool) -> None:
    made = row(now, other)
    assert (made.common, made.moved, made.is_same) == (common, moved, is_same)


def test_each_hit_knows_its_place_on_the_other_side() -> None:
    made = row("abc", "cax", "c")
    assert [(one.id, one.place, one.other) for one in made.now.hits] == [("a", 1, 2), ("b", 2, None), ("c", 3, 1)]
    assert [(one.id, one.place, one.other) for one in made.other.hits] == [("c", 1, 3), ("a", 2, 1), ("x", 3, None)]
    assert [one.id for one in made.now.hits if one.is_right] == ["c"]
    assert (made.now.place, made.other.place) == (3, 1)


def test_a_side_that_left_meaning_out_says_so() -> None:
    made = compare_answers(
        ComparedQuery("q", "asked"), SideResult([], 1.234), SideResult([], 5.678, "The model is out.")
    )
    assert (made.now.note, made.other.note, made.other.ms) == ("", "The model is out.", 5.68)


def test_the_mean_share() -> None:
    assert mean_overlap([]) == 1.0
    assert mean_overlap([row("", "")]) == 1.0
    assert mean_overlap([row("ab", "ab"), row("ab", "cd")]) == 0.5
    assert mean_overlap([row("abcd", "ab")]) == 0.5


def test_known_answers_that_rise_and_fall() -> None:
    rows = [
        row("ab", "ba", "b"),
        row("ab", "ba", "a"),
        row("ab", "cd", "a"),
        row("ab", "cd", "c"),
        row("ab", "ab", "a"),
    ]
    assert count_gains(rows) == (2, 2)
    assert count_gains([row("ab", "ba")]) == (0, 0)
    assert count_gains([row("ab", "ba", "nowhere")]) == (0, 0)


def test_scores_by_origin() -> None:
    rows = [row("ab", "ba", "a"), row("ab", "xy", "b"), row("ab", "ab", "a", "judged"), row("ab", "ab", "", "asked")]
    now, other = (score(rows, side, "made") for side in (0, 1))
    assert now is not None
    assert other is not None
    assert (now.questions, now.recall_1, now.recall_5, now.mrr) == (2, 0.5, 1.0, 0.75)
    assert (other.recall_1, other.recall_5, other.mrr) == (0.0, 0.5, 0.25)
    assert score(rows, 0, "asked") is None
    assert score([], 0, "made") is None


def test_own_queries_come_first_and_alike_ones_made_from_the_vault_are_left_out() -> None:
    rows = [
        row("abcde", "bacde", "c"),
        row("ab", "ba", "a"),
        row("ab", "ab", "a"),
        row("ab", "ab", "a", "judged"),
        row("ab", "ab", "", "asked"),
    ]
    assert [(one.origin, one.target) for one in select_rows(rows)] == [
        ("asked", ""),
        ("judged", "a"),
        ("made", "a"),
        ("made", "c"),
    ]
    assert len(select_rows([row("ab", "ba", "a")] * (MOST_MADE + 5))) == MOST_MADE


@given(st.permutations("abcdef"), st.permutations("abcdefgh"))
def test_both_sides_tell_the_same(now: list[str], other: list[str]) -> None:
    made = row("".join(now), "".join(other[:6]))
    here = {one.id: (one.place, one.other) for one in made.now.hits}
    there = {one.id: (one.other, one.place) for one in made.other.hits}
    shared = here.keys() & there.keys()
    assert len(shared) == made.common
    assert all(here[one] == there[one] for one in shared)
    assert all(here[one][1] is None for one in here.keys() - shared)
    assert made.moved == sum(place != moved for place, moved in here.values() if moved is not None)


def test_neighbours_of_the_answer_count_as_right() -> None:
    sides = [SideResult([hit(one) for one in ids], 1.0) for ids in ("xc", "z")]
    made = compare_answers(ComparedQuery("q", "made", "b", ("a", "c")), *sides)
    assert (made.now.place, made.other.place) == (2, None)
    assert [one.is_right for one in made.now.hits] == [False, True]
