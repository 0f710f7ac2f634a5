"""Fusion: numbers worked out by hand from the formulas, and what holds for any lists."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.retrieval.model import Leg
from app.retrieval.ranking.fusion import FusedTarget, fuse_lists, min_max
from app.retrieval.recipes import Recipe

LEGS: tuple[Leg, ...] = ("words", "vector", "entity")
TARGETS = st.integers(0, 30).map("{:02}".format)
SCORES = st.floats(allow_nan=False, allow_infinity=False)
LIST = st.dictionaries(TARGETS, SCORES, max_size=12).map(lambda scores: list(scores.items()))
LISTS = st.dictionaries(st.sampled_from(LEGS), LIST, max_size=3)
NEWER = st.dictionaries(TARGETS, st.integers(0, 5))


def weighted_sum(lists: dict, weights: dict, newer: dict | None = None) -> list[FusedTarget]:
    return fuse_lists(Recipe("sum", "", LEGS, weights=weights), lists, newer)


def reciprocal_rank_fusion(lists: dict, newer: dict | None = None, **fields: object) -> list[FusedTarget]:
    return fuse_lists(Recipe("rrf", "", LEGS, "rrf", **fields), lists, newer)  # type: ignore[arg-type]


def order(found: list) -> list:
    return [one.target for one in found]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([], []),
        ([3.0], [1.0]),
        ([2.0, 2.0], [1.0, 1.0]),
        ([4.0, 3.0, 2.0], [1.0, 0.5, 0.0]),
        ([-1.0, -5.0], [1.0, 0.0]),
        ([0.9, 0.6, 0.5], [1.0, 0.25, 0.0]),
        ([5e-324, 0.0], [1.0, 0.0]),
        ([1.7e308, -1.7e308], [1.0, 0.0]),
    ],
)
def test_min_max(scores: list[float], expected: list[float]) -> None:
    assert min_max(scores) == pytest.approx(expected)


def test_weighted_by_hand() -> None:
    """Vector .9 .6 .5 scales to 1 .25 0; words 10 4 2 to 1 .25 0; 0.7 and 0.3 of them add up."""
    found = weighted_sum(
        {"vector": [("1", 0.9), ("2", 0.6), ("3", 0.5)], "words": [("2", 10.0), ("4", 4.0), ("1", 2.0)]},
        {"vector": 0.7, "words": 0.3},
    )
    assert order(found) == ["1", "2", "4", "3"]
    assert [one.score for one in found] == pytest.approx([0.7, 0.7 * 0.25 + 0.3, 0.3 * 0.25, 0.0])
    first = found[0]
    assert [(part.leg, part.rank, part.score, part.weight) for part in first.legs] == [
        ("vector", 1, 0.9, 0.7),
        ("words", 3, 2.0, 0.3),
    ]


def test_rrf_by_hand() -> None:
    found = reciprocal_rank_fusion(
        {"words": [("7", 9.0), ("8", 5.0)], "vector": [("8", 0.8), ("9", 0.7)], "entity": [("8", 1.0)]}
    )
    assert order(found) == ["8", "7", "9"]
    assert [one.score for one in found] == pytest.approx([1 / 62 + 1 / 61 + 1 / 61, 1 / 61, 1 / 62])
    assert {part.leg: part.rank for part in found[0].legs} == {"words": 2, "vector": 1, "entity": 1}


def test_rrf_weights_and_constant() -> None:
    found = reciprocal_rank_fusion({"words": [("1", 1.0)], "vector": [("2", 1.0)]}, k=1, weights={"vector": 3.0})
    assert [(one.target, one.score) for one in found] == [("2", 1.5), ("1", 0.5)]


@pytest.mark.parametrize(
    "fuse",
    [
        lambda lists, newer: weighted_sum(lists, {}, newer),
        lambda lists, newer: reciprocal_rank_fusion(lists, newer=newer),
    ],
)
def test_ties_go_to_the_newer_then_the_smaller_id(fuse) -> None:
    lists = {"words": [("3", 1.0), ("1", 1.0), ("2", 1.0)]}
    assert order(fuse(lists, {"3": 5, "2": 9})) == ["2", "3", "1"]
    assert order(fuse(lists, None)) == ["1", "2", "3"]


def test_an_id_given_twice_counts_once_with_its_best() -> None:
    found = weighted_sum({"words": [("1", 1.0), ("2", 4.0), ("1", 5.0)]}, {"words": 1.0})
    assert [(one.target, one.score) for one in found] == [("1", 1.0), ("2", 0.0)]


def test_nothing_in_nothing_out() -> None:
    assert weighted_sum({}, {}) == []
    assert reciprocal_rank_fusion({"words": []}) == []


@given(st.lists(SCORES, max_size=20))
def test_min_max_stays_in_range_and_order(scores: list[float]) -> None:
    scaled = min_max(scores)
    assert all(0 <= value <= 1 for value in scaled)
    assert not scores or max(scaled) == 1.0
    for a, b in zip(scores, scaled, strict=True):
        for c, d in zip(scores, scaled, strict=True):
            assert a >= c or b <= d


@given(LISTS, NEWER, st.randoms(use_true_random=False))
def test_the_order_given_changes_nothing(lists: dict, newer: dict, chance) -> None:
    shuffled = {leg: chance.sample(lists[leg], len(lists[leg])) for leg in chance.sample(sorted(lists), len(lists))}
    weights = {"words": 0.3, "vector": 0.7}
    assert weighted_sum(lists, weights, newer) == weighted_sum(shuffled, weights, newer)
    assert reciprocal_rank_fusion(lists, newer=newer) == reciprocal_rank_fusion(shuffled, newer=newer)


@given(LISTS, NEWER)
def test_each_id_once_best_first_and_its_ranks_add_up(lists: dict, newer: dict) -> None:
    for found in (
        weighted_sum(lists, {"words": 0.5, "vector": 0.5}, newer),
        reciprocal_rank_fusion(lists, newer=newer),
    ):
        assert sorted(order(found)) == sorted({key for pairs in lists.values() for key, _ in pairs})
        assert all(a.score >= b.score for a, b in pairwise(found))
        assert all(
            {part.leg for part in one.legs} == {leg for leg in lists if one.target in dict(lists[leg])} for one in found
        )
    assert all(
        math.isclose(one.score, sum(1 / (60 + part.rank) for part in one.legs), abs_tol=1e-9)
        for one in reciprocal_rank_fusion(lists, newer)
    )


@given(LIST)
def test_a_single_list_keeps_its_order(pairs: list) -> None:
    expected = [key for key, _ in sorted(pairs, key=lambda pair: (-pair[1], pair[0]))]
    assert order(reciprocal_rank_fusion({"words": pairs})) == expected
    assert dict(pairs) == {one.target: one.legs[0].score for one in weighted_sum({"words": pairs}, {})}


@given(LISTS.filter(bool), st.data())
def test_a_better_rank_never_hurts(lists: dict, data: st.DataObject) -> None:
    leg = data.draw(st.sampled_from(sorted(lists)))
    key = data.draw(TARGETS)
    before = order(reciprocal_rank_fusion(lists))
    best = max([score for _, score in lists[leg]], default=0.0)
    raised = {**lists, leg: [*lists[leg], (key, best)]}
    after = order(reciprocal_rank_fusion(raised))
    others = [one for one in before if one != key]
    place = before.index(key) if key in before else len(before)
    assert sum(one in before[:place] for one in after[: after.index(key)]) == after.index(key) or not others
