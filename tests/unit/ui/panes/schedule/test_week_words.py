"""The days of a week in words."""

from datetime import date, datetime, timedelta, timezone

import pytest
from PySide6.QtGui import QFontMetrics
from pytestqt.qtbot import QtBot

from app.schedule.model import BUILT_IN, Cadence, Schedule
from ui.panes.schedule.run_labels import schedule_title, week_words, zone_words
from ui.panes.schedule.week_view import WeekView, _side_by_side
from ui.theme import Theme


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


@pytest.mark.parametrize("width", [300, 420, 1200])
def test_headings_of_days_fit_into_their_columns(qtbot: QtBot, look: Theme, width: int) -> None:
    view = WeekView()
    qtbot.addWidget(view)
    view.show_week(date(2026, 11, 23), [], date(2026, 11, 24))
    view.resize(width, 400)
    metrics = QFontMetrics(look.font("small"))
    headings = view.headings(metrics)
    assert len(set(headings)) == 7
    assert max(map(metrics.horizontalAdvance, headings)) <= width / 7
    assert (headings[0] == "Mon 23 Nov") is (width == 1200)


def test_boxes_that_overlap_stand_side_by_side() -> None:
    assert _side_by_side([0], 10) == ([0], 1)
    assert _side_by_side([0, 5, 12], 10) == ([0, 1, 0], 2)
    assert _side_by_side([0, 0, 0], 10) == ([0, 1, 2], 3)


def test_a_zone_is_said_where_its_clocks_differ() -> None:
    here = datetime(2026, 11, 24, 8, 30).astimezone()
    there = here.astimezone(timezone(here.utcoffset() + timedelta(hours=3)))  # type: ignore[operator]
    assert zone_words("Europe/Berlin", [here]) == ""
    assert zone_words("America/New_York", [there]) == "New York"
    assert zone_words("Etc/UTC", [there]) == "UTC"


def test_two_schedules_of_one_job_have_names_of_their_own(qapp: object) -> None:
    now = datetime(2026, 11, 24, 8, 30).astimezone()

    def title(cadence: Cadence, user: str = BUILT_IN) -> str:
        return schedule_title(Schedule("sch-1", user, "Consolidation", "", cadence, "never", "active", now, now))

    often, nightly = Cadence(kind="interval", seconds=21_600), Cadence(kind="cron", expression="0 3 * * *")
    assert title(often) == "Consolidation when a conversation has ended"
    assert title(nightly) == "Consolidation every night"
    assert title(nightly, "person") == "Consolidation"
