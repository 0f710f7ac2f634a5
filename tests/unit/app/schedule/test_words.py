"""Cadences in words, in the language that is asked for and no other."""

import pytest

from app.schedule.model import Cadence
from app.schedule.words import in_words

DAILY = Cadence(kind="cron", expression="30 4 * * *")


@pytest.mark.parametrize(
    ("language", "words"),
    [("", "At 04:30"), ("en", "At 04:30"), ("de", "Um 04:30"), ("es", "A las 04:30"), ("klingon", "At 04:30")],
)
def test_a_cron_expression_is_said_in_the_language(language: str, words: str) -> None:
    assert in_words(DAILY, language) == words


def test_chinese() -> None:
    assert "04:30" in in_words(DAILY, "zh_CN")
    assert "At" not in in_words(DAILY, "zh_CN")


def test_the_language_of_the_process_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locale.getlocale", lambda *_: ("de_DE", "UTF-8"))
    assert in_words(DAILY) == "At 04:30"
