"""Names and first lines of docstrings keep to the glossary."""

from tests.helpers.vocabulary import problems


def test_names_and_docstrings_keep_to_the_glossary() -> None:
    assert "\n".join(problems("app", "ui")) == ""
