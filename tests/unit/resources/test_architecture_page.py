"""The architecture page names only modules that exist, and every folder of the engine and the window."""

import re

import pytest

from tests.helpers.vocabulary import ROOT

PAGE = ROOT / "resources" / "help" / "architecture.md"
_PATH = re.compile(r"\b(?:app|ui|tests|resources|packaging|migrations)/[\w./-]*\w")
_LAYER = re.compile(r"^ app/(.+?)  +", re.MULTILINE)


def named_paths(page: str) -> list[str]:
    """Return every path of the project that a page names; ``app/a | b`` names two."""
    alternatives = [f"app/{name}" for row in _LAYER.findall(page) for name in re.split(r"[| ]+", row.strip())]
    return sorted({*_PATH.findall(page), *alternatives})


@pytest.mark.parametrize("path", named_paths(PAGE.read_text(encoding="utf-8")))
def test_each_path_of_the_page_exists(path: str) -> None:
    place = ROOT / path
    assert place.exists() or place.with_suffix(".py").exists()


def test_each_module_of_the_engine_is_in_the_layer_picture() -> None:
    page = PAGE.read_text(encoding="utf-8")
    there = {path.stem for path in (ROOT / "app").iterdir() if not path.name.startswith("__")}
    named = {path.removeprefix("app/").partition("/")[0].removesuffix(".py") for path in named_paths(page)}
    assert there - named == set()


def test_each_large_part_of_the_window_is_named() -> None:
    page = PAGE.read_text(encoding="utf-8")
    folders = {f"ui/{path.name}" for path in (ROOT / "ui").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert {folder for folder in folders if folder not in page} == set()


def test_a_made_up_path_is_noticed() -> None:
    page = "see `app/nowhere/file.py`\n app/one | two   values\n"
    assert named_paths(page) == ["app/nowhere/file.py", "app/one", "app/two"]
