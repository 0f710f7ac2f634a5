"""Cadences in words, in the language that is asked for and no other."""

import calendar
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from app.schedule.cadence import upcoming
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


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("*/15 * * * *", "Every 15 minutes"),
        ("*/90 * * * *", "Every hour"),
        ("*/45 * * * *", "At 0 and 45 minutes past the hour"),
        ("30/20 * * * *", "At 30 and 50 minutes past the hour"),
        ("5/20 * * * *", "Every 20 minutes, starting at 5 minutes past the hour"),
        ("10-30/10 * * * *", "Every 10 minutes, minutes 10 through 30 past the hour"),
        ("*/7,3 * * * *", "At 0, 3, 7, 14, 21, 28, 35, 42, 49, and 56 minutes past the hour"),
        ("0 */5 * * *", "At 00:00, 05:00, 10:00, 15:00 and 20:00"),
        ("0 */25 * * *", "At 00:00"),
        ("0 */6 * * *", "Every 6 hours"),
        ("0 0 */10 * *", "At 00:00, on day 1, 11, 21, and 31 of the month"),
        ("0 0 1 */5 *", "At 00:00, on day 1 of the month, only in January, June, and November"),
        ("0 0 1 */3 *", "At 00:00, on day 1 of the month, every 3 months"),
        ("0 0 1 1-12/13 *", "At 00:00, on day 1 of the month, only in January"),
        ("0 0 * * 7-1/2", "At 00:00, only on Sunday"),
        ("0 0 * * 1-5/7", "At 00:00, only on Monday"),
        ("0 0 * * */2", "At 00:00, only on Sunday, Tuesday, Thursday, and Saturday"),
        ("0 9 */1 * 1", "At 09:00"),
        ("0 9 1-31 * mon", "At 09:00"),
        ("0 9 5 * 0-6", "At 09:00"),
        ("0 9 * * 1", "At 09:00, only on Monday"),
        ("0 9 13 * 5", "At 09:00, on day 13 of the month, or on Friday"),
        ("0 0 l * *", "At 00:00, on the last day of the month"),
        ("0 0 * * wed#1", "At 00:00, on the first Wednesday of the month"),
    ],
)
def test_words_agree_with_the_runs(expression: str, words: str) -> None:
    assert in_words(Cadence(kind="cron", expression=expression, zone="UTC")) == words


@pytest.mark.parametrize("step", range(2, 70))
def test_a_step_is_said_only_where_the_runs_keep_it(step: int) -> None:
    """The runs of two days show whether they are so far apart."""
    for expression, seconds in ((f"*/{step} * * * *", 60), (f"0 */{step} * * *", 3600)):
        cadence = Cadence(kind="cron", expression=expression, zone="UTC")
        runs = [run.timestamp() for run in upcoming(cadence, datetime(2024, 6, 30, tzinfo=UTC), 60)]
        is_kept = {later - earlier for earlier, later in pairwise(runs)} == {step * seconds}
        assert is_kept or f"Every {step}" not in in_words(cadence)
