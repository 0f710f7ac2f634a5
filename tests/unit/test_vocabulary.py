"""Names, comments and docstrings keep to the glossary."""

import pytest

from tests.helpers.vocabulary import ROOT, doubled_classes, doubled_modules, problems, problems_of_tests, python_files

# The package is being written; it leaves this list with its first module.
FOLDERS = sorted(
    path.relative_to(ROOT).as_posix()
    for top in ("app", "ui")
    for path in (ROOT / top).iterdir()
    if (path.is_dir() or path.suffix == ".py") and path.name != "__pycache__"
)


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_and_docstrings_keep_to_the_glossary(folder: str) -> None:
    assert "\n".join(problems(folder)) == ""


def test_tests_keep_to_the_glossary() -> None:
    assert "\n".join(problems_of_tests()) == ""


def test_no_two_modules_or_classes_share_a_name() -> None:
    paths = python_files("app", "ui")
    assert "\n".join([*doubled_modules(paths), *doubled_classes(paths)]) == ""
