"""Recipes: the seeds' numbers, and what happens without a leg."""

import pytest

from app.errors import InputError
from app.retrieval.recipes import DEFAULT, RECIPES, recipe

LISTS = {"words": [(1, 8.0), (2, 4.0), (3, 0.0)], "vector": [(3, 0.9), (2, 0.7), (1, 0.5)]}


def test_the_names() -> None:
    assert set(RECIPES) == {"words", "vector", "weighted", "rrf", "balanced", "learned"}
    assert recipe() is RECIPES[DEFAULT]
    assert all(recipe(name).name == name and recipe(name).summary for name in RECIPES)
    assert len({*RECIPES.values()}) == len(RECIPES)


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(InputError, match="words, vector, weighted, rrf, balanced, learned") as caught:
        recipe("magic")
    assert caught.value.data == {"allowed": [*RECIPES]}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("words", {1: 1.0, 2: 0.5, 3: 0.0}),
        ("vector", {1: 0.0, 2: 0.5, 3: 1.0}),
        ("weighted", {1: 0.3, 2: 0.5, 3: 0.7}),
        ("balanced", {1: 0.5, 2: 0.5, 3: 0.5}),
        ("rrf", {1: 1 / 61 + 1 / 63, 2: 2 / 62, 3: 1 / 63 + 1 / 61}),
    ],
)
def test_scores(name: str, expected: dict[int, float]) -> None:
    found = recipe(name).fuse(LISTS)
    assert {one.id: one.score for one in found} == pytest.approx(expected)


@pytest.mark.parametrize("name", ["weighted", "balanced", "rrf", "words"])
def test_a_missing_leg_is_done_without(name: str) -> None:
    assert [one.id for one in recipe(name).fuse({"words": LISTS["words"]})] == [1, 2, 3]


def test_ties_go_to_the_newer() -> None:
    assert [one.id for one in recipe("balanced").fuse(LISTS, {1: 1, 2: 3, 3: 2})] == [2, 3, 1]
