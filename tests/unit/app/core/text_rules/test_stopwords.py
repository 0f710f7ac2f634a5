"""Stop words: judged by the language of the whole question."""

import pytest

from app.core.text_rules.stopwords import LANGUAGES, stop_words


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did my son say", {"what", "did", "my"}),
        ("The WHO", {"the", "who"}),
        ("wann ist die Prüfung", {"wann", "ist", "die"}),
        ("quand est mon anniversaire", {"quand", "est", "mon"}),
        ("waar is mijn fiets", {"waar", "is", "mijn"}),
        ("cuándo es el examen", {"cuándo", "es", "el"}),
        ("dove sono le chiavi", {"dove", "sono", "le"}),
        ("onde está meu livro", {"onde", "está", "meu"}),
        ("die hard", {"die"}),
        ("red bicycle", set()),
        ("", set()),
    ],
)
def test_the_language_with_most_words_decides(question: str, expected: set[str]) -> None:
    assert stop_words(question.split()) == expected


def test_words_are_as_compared() -> None:
    for language in LANGUAGES:
        assert all(word == word.casefold() and word.isalpha() for word in language)
