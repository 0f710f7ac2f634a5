"""Recipes: the seeds' numbers, and what happens without a leg."""

import pytest

from app.errors import InputError
from app.retrieval.ranking.fusion import fuse_lists
from app.retrieval.recipes import DEFAULT, RECIPES, find_recipe

LISTS = {"words": [("1", 8.0), ("2", 4.0), ("3", 0.0)], "vector": [("3", 0.9), ("2", 0.7), ("1", 0.5)]}


def test_the_names() -> None:
    assert set(RECIPES) == {"words", "vector", "weighted", "rrf", "balanced", "tri", "boosted", "learned"}
    assert find_recipe() is RECIPES[DEFAULT]
    assert all(find_recipe(name).name == name and find_recipe(name).summary for name in RECIPES)
    assert len({*RECIPES.values()}) == len(RECIPES)


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(InputError, match="words, vector, weighted, rrf, balanced, tri, boosted, learned") as caught:
        find_recipe("magic")
    assert caught.value.data == {"allowed": [*RECIPES]}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("words", {"1": 1.0, "2": 0.5, "3": 0.0}),
        ("vector", {"1": 0.0, "2": 0.5, "3": 1.0}),
        ("weighted", {"1": 0.3, "2": 0.5, "3": 0.7}),
        ("balanced", {"1": 0.5, "2": 0.5, "3": 0.5}),
        ("rrf", {"1": 1 / 61 + 1 / 63, "2": 2 / 62, "3": 1 / 63 + 1 / 61}),
    ],
)
def test_scores(name: str, expected: dict[str, float]) -> None:
    found = fuse_lists(find_recipe(name), LISTS)
    assert {one.target: one.score for one in found} == pytest.approx(expected)


@pytest.mark.parametrize("name", ["weighted", "balanced", "rrf", "words"])
def test_a_missing_leg_is_done_without(name: str) -> None:
    assert [one.target for one in fuse_lists(find_recipe(name), {"words": LISTS["words"]})] == ["1", "2", "3"]


def test_ties_go_to_the_newer() -> None:
    assert [one.target for one in fuse_lists(find_recipe("balanced"), LISTS, {"1": 1, "2": 3, "3": 2})] == [
        "2",
        "3",
        "1",
    ]


def test_three_legs_follow_each_other_and_each_turn_stands_once() -> None:
    lists = {
        "vector": [("3", 0.9), ("2", 0.7)],
        "salient": [("5", 0.8), ("3", 1.0)],
        "recent": [("9", 900.0), ("5", 500.0)],
    }
    found = fuse_lists(find_recipe("tri"), lists)
    assert [one.target for one in found] == ["3", "2", "5", "9"]
    assert [part.leg for part in found[0].legs] == ["vector", "salient"]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_newness_and_mentions_decide_between_what_words_and_meaning_find_alike() -> None:
    legs = {"words": [("1", 2.0), ("2", 2.0), ("3", 2.0)], "vector": [("1", 0.5), ("2", 0.5), ("3", 0.5)]}
    boosts = {"recent": [("1", 100.0), ("2", 200.0), ("3", 150.0)], "mentions": [("1", 1.0), ("2", 1.0), ("3", 4.0)]}
    assert [one.target for one in fuse_lists(find_recipe("boosted"), {**legs, **boosts})] == ["3", "2", "1"]
    assert fuse_lists(find_recipe("boosted"), {**legs, **boosts})[0].score == pytest.approx(0.8 + 0.05 + 0.1)
