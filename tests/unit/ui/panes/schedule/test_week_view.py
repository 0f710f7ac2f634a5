"""The week: every run has a box that can be read."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtGui import QFontMetrics
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
    made = WeekView()
    qtbot.addWidget(made)
    made.resize(900, 640)
    made.show()
    return made


def _boxes(week: WeekView, minutes: list[int]) -> list[Any]:
    week.show_week(MONDAY, _runs(minutes), MONDAY)
    return [box for _, box in week._laid_out()]


@pytest.mark.parametrize("minutes", [[600] * 4, [1430] * 4, [0, 1, 2, 3, 700], [600, 601, 602, 603, 640], [600] * 30])
def test_runs_that_meet_stand_below_one_another_where_their_times_would_not_fit(
    week: WeekView, look: Any, minutes: list[int]
) -> None:
    boxes = _boxes(week, minutes)
    least = QFontMetrics(look.font("small")).horizontalAdvance("00:00")
    assert all(box.width() > least for box in boxes)
    assert all(above.bottom() <= below.top() for above, below in pairwise(boxes))
    assert boxes[0].top() >= look.scaled(HEAD)
    assert boxes[-1].bottom() <= week.height()


def test_two_runs_at_one_time_stay_side_by_side_at_their_hour(week: WeekView) -> None:
    left, right = _boxes(week, [600, 600])
    assert left.top() == right.top()
    assert left.right() <= right.left()


def test_many_more_runs_than_fit_below_one_another_keep_their_hours(week: WeekView) -> None:
    boxes = _boxes(week, [600] * 80)
    assert {box.top() for box in boxes} == {boxes[0].top()}
