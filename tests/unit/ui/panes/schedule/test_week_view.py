"""The week: every run has a box that can be read."""

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from ui.panes.schedule.week_view import HEAD, WeekView

MONDAY = date(2026, 11, 23)


def _runs(minutes: list[int]) -> list[Any]:
    begin = datetime(2026, 11, 24).astimezone(UTC)
    return [
        SimpleNamespace(
            at=begin + timedelta(minutes=minute), name=f"Job {minute}", state="planned", schedule_id="s", seconds=0.0
        )
        for minute in minutes
    ]


@pytest.fixture
def week(qtbot: QtBot, look: Any) -> WeekView:
    view = WeekView()
    qtbot.addWidget(view)
    view.resize(900, 640)
    view.show()
    return view


def _boxes(week: WeekView, minutes: list[int]) -> list[Any]:
    week.show_week(MONDAY, _runs(minutes), MONDAY)
    return week._laid_out()


@pytest.mark.parametrize("minutes", [[600] * 4, [600, 601, 602, 603, 640], [600] * 80])
def test_runs_whose_times_would_not_fit_side_by_side_share_a_box_at_their_hours(
    week: WeekView, minutes: list[int]
) -> None:
    (lone,) = _boxes(week, minutes[:1])
    (last,) = _boxes(week, minutes[-1:])
    (box,) = _boxes(week, minutes)
    assert len(box.runs) == len(minutes)
    assert (box.place.top(), box.place.bottom()) == (lone.place.top(), last.place.bottom())


def test_a_crowd_at_one_hour_moves_no_run_of_another_hour(week: WeekView) -> None:
    (alone,) = _boxes(week, [700])
    crowd, other = _boxes(week, [600] * 9 + [700])
    assert other.place == alone.place
    assert crowd.place.bottom() < other.place.top()


def test_runs_of_the_last_minutes_of_a_day_stay_within_the_view(week: WeekView) -> None:
    boxes = _boxes(week, [0, 1439])
    assert boxes[0].place.top() >= HEAD
    assert boxes[-1].place.bottom() <= week.height()


def test_two_runs_at_one_time_stay_side_by_side_at_their_hour(week: WeekView) -> None:
    left, right = (box.place for box in _boxes(week, [600, 600]))
    assert left.top() == right.top()
    assert left.right() <= right.left()


def test_a_crowd_tells_how_many_it_is_and_which_one_the_keyboard_is_on(week: WeekView, qtbot: QtBot) -> None:
    (box,) = _boxes(week, [600] * 4)
    metrics = QFontMetrics(week.font())
    assert week._words_within(box.runs, metrics, 900) == "10:00 4 runs"
    qtbot.keyClick(week, Qt.Key.Key_Down)
    assert week._words_within(box.runs, metrics, 900) == "10:00 Job 600"


def test_a_click_on_a_crowd_offers_its_runs(week: WeekView, qtbot: QtBot) -> None:
    (box,) = _boxes(week, [600, 600, 600, 601])
    week.repaint()
    opened: list[str] = []
    week.opened.connect(opened.append)
    qtbot.mouseClick(week, Qt.MouseButton.LeftButton, pos=box.place.center().toPoint())
    menu = week.findChild(QMenu)
    assert [action.text() for action in menu.actions()] == ["10:00 Job 600"] * 3 + ["10:01 Job 601"]
    menu.actions()[3].trigger()
    assert opened == ["s"]
    assert week.current.name == "Job 601"
    menu.close()
