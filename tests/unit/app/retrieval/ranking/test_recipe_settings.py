"""Settings change a recipe; without them it is as it was published."""

from pathlib import Path

import pytest

from app.config.config import Config
from app.errors import ModelUnavailableError
from app.host import Host
from app.retrieval import service
from app.retrieval.ranking.recipe_settings import with_settings
from app.retrieval.recipes import RECIPES, find_recipe


@pytest.mark.parametrize("name", RECIPES)
def test_the_defaults_are_the_published_numbers(tmp_path: Path, name: str) -> None:
    assert with_settings(Config(tmp_path, environment={}), find_recipe(name)) == find_recipe(name)


def test_each_recipe_takes_its_own(tmp_path: Path) -> None:
    config = Config(tmp_path, {"search.vector_weight": 0.2, "search.rrf_k": 5, "search.depth": 30}, {})
    assert with_settings(config, find_recipe("weighted")).weights == {"vector": 0.2, "words": 0.3}
    assert with_settings(config, find_recipe("balanced")).weights == find_recipe("balanced").weights
    assert (with_settings(config, find_recipe("rrf")).k, with_settings(config, find_recipe("weighted")).k) == (
        5,
        find_recipe("weighted").k,
    )
    assert with_settings(config, find_recipe("words")).depth == 30


def test_two_zeros_leave_the_recipe_as_it_is(tmp_path: Path) -> None:
    config = Config(tmp_path, {"search.vector_weight": 0, "search.lexical_weight": 0}, {})
    assert with_settings(config, find_recipe("weighted")).weights == find_recipe("weighted").weights


def test_without_the_learned_weights_another_recipe_stands_in(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.ask("note.save", content="A heron by the lock")

    def missing() -> None:
        raise ModelUnavailableError("The search weights are missing.")

    monkeypatch.setattr(service, "_load_ranker", missing)
    result = host.ask("memory.search", query="heron", recipe="learned")
    assert (result.recipe, len(result.hits)) == (service.FALLBACK, 1)
    assert "The search weights are missing." in result.notes
    monkeypatch.undo()
    assert host.ask("memory.search", query="heron", recipe="learned").recipe == "learned"
