"""Metrics by hand: what each number means, against values worked out on paper."""

import math

import pytest

from tests.bench.retrieval.metrics import interval, mean, percentile, score


def test_a_ranked_list_by_hand() -> None:
    got = score(["a", "x", "b", "y", "z", "c"], frozenset("abc"))
    assert got["share@1"] == pytest.approx(1 / 3)
    assert got["share@5"] == pytest.approx(2 / 3)
    assert got["share@10"] == 1
    assert (got["any@1"], got["all@5"], got["all@10"]) == (1, 0, 1)
    assert got["mrr"] == 1
    gained = 1 + 1 / math.log2(4) + 1 / math.log2(7)
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert got["ndcg@10"] == pytest.approx(gained / ideal)


def test_evidence_that_was_not_found_counts_in_the_ideal() -> None:
    got = score(["x", "a"], frozenset("ab"))
    assert got["mrr"] == 0.5
    assert got["ndcg@10"] == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))


def test_more_evidence_than_places_has_an_ideal_of_ten() -> None:
    everything = [str(number) for number in range(12)]
    assert score(everything, frozenset(everything))["ndcg@10"] == pytest.approx(1)


def test_what_stands_after_the_tenth_place_gains_nothing_in_ndcg() -> None:
    got = score([*map(str, range(10)), "a"], frozenset("a"))
    assert got["ndcg@10"] == 0
    assert got["mrr"] == pytest.approx(1 / 11)
    assert got["any@20"] == 1


def test_nothing_found() -> None:
    assert set(score([], frozenset("a")).values()) == {0}


def test_means_and_percentiles() -> None:
    assert mean([{"mrr": 1.0}, {"mrr": 0.5}]) == {"mrr": 0.75}
    assert mean([]) == {}
    assert percentile([3, 1, 2, 4], 0.5) == 2
    assert percentile([3, 1, 2, 4], 0.95) == 4
    assert percentile([], 0.5) == 0


def test_intervals_hold_the_mean_and_keep_groups_together() -> None:
    groups = [[{"mrr": 1.0}] * 3, [{"mrr": 0.0}]]
    assert interval(groups)["mrr"] == [0.0, 1.0]
    assert interval([groups[0]])["mrr"] == [1.0, 1.0]
    assert interval([]) == {}
