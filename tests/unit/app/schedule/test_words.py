"""Cadences in words, in the language that is asked for and no other."""

import calendar

import pytest

from app.schedule.model import Cadence
from app.schedule.words import in_words

_ALIKE = {"April", "August", "September", "November"}
"""Months that are called alike in English and in German."""
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


@pytest.mark.parametrize(
    ("language", "expression", "names"),
    [
        ("de", "30 8 * * mon-fri", ("Montag", "Freitag")),
        ("es", "30 8 * * mon,sun", ("lunes", "domingo")),
        ("zh_CN", "30 8 * * wed#1", ("第一个星期三",)),
        ("de", "0 7 5 3,10 *", ("März", "Oktober")),
        ("zh_CN", "0 7 5 1,11 *", ("一月", "十一月")),
    ],
)
def test_days_and_months_are_in_the_language(language: str, expression: str, names: tuple[str, ...]) -> None:
    words = in_words(Cadence(kind="cron", expression=expression, zone="UTC"), language)
    assert all(name in words for name in names), words
    assert not any(name in words for name in (*calendar.day_name, *calendar.month_name[1:]) if name not in _ALIKE), (
        words
    )


def test_days_stay_english_where_the_process_names_them_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calendar.day_name", ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Sa", "So"])
    words = in_words(Cadence(kind="cron", expression="30 8 * * mon-fri", zone="UTC"))
    assert words == "At 08:30, Monday through Friday"
