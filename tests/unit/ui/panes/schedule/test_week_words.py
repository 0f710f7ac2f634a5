"""The days of a week in words."""

from datetime import date

import pytest

from ui.panes.schedule.run_labels import week_words


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        (date(2026, 11, 23), date(2026, 11, 29), "23 – 29 Nov 2026"),
        (date(2026, 11, 30), date(2026, 12, 6), "30 Nov – 6 Dec 2026"),
        (date(2026, 12, 28), date(2027, 1, 3), "28 Dec 2026 – 3 Jan 2027"),
    ],
)
def test_month_and_year_are_said_once(first: date, last: date, words: str, qapp: object) -> None:
    assert week_words(first, last) == words
