"""The sheet of a month: keys, clicks, marks and words."""

from datetime import date

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.memories.model import CalendarDay
from ui.panes.notes.calendar.month_sheet import MonthSheet
from ui.theme import Theme


@pytest.fixture
def sheet(qtbot: QtBot, look: Theme) -> MonthSheet:
    """Return a sheet of March 2026."""
    sheet = MonthSheet()
    qtbot.addWidget(sheet)
    sheet.resize(sheet.sizeHint())
    sheet.show()
    sheet.go_to(date(2026, 3, 15))
    return sheet


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (Qt.Key.Key_Left, date(2026, 3, 14)),
        (Qt.Key.Key_Right, date(2026, 3, 16)),
        (Qt.Key.Key_Up, date(2026, 3, 8)),
        (Qt.Key.Key_Down, date(2026, 3, 22)),
        (Qt.Key.Key_PageUp, date(2026, 2, 15)),
        (Qt.Key.Key_PageDown, date(2026, 4, 15)),
    ],
)
def test_keys_move(sheet: MonthSheet, qtbot: QtBot, key: Qt.Key, expected: date) -> None:
    qtbot.keyClick(sheet, key)  # type: ignore[no-untyped-call]
    assert sheet.current == expected
    assert str(expected.day) in sheet.accessibleDescription()


def test_turning_keeps_the_day_within_shorter_months_and_says_so(sheet: MonthSheet, qtbot: QtBot) -> None:
    sheet.go_to(date(2026, 3, 31))
    with qtbot.waitSignal(sheet.month_changed):
        sheet.turn(-1)
    assert sheet.current == date(2026, 2, 28)
    sheet.go_to(date(2, 1, 1))
    sheet.turn(-24)
    assert sheet.current == date(2, 1, 1), "there is no year 0"


def test_the_span_covers_six_whole_weeks_with_the_month_in_them(sheet: MonthSheet) -> None:
    first, last = sheet.span
    assert (last - first).days == 41
    assert first <= date(2026, 3, 1) <= date(2026, 3, 31) <= last


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_a_click_opens_the_day_below_it(sheet: MonthSheet, qtbot: QtBot, direction: Qt.LayoutDirection) -> None:
    sheet.setLayoutDirection(direction)
    day = date(2026, 3, 12)
    with qtbot.waitSignal(sheet.activated) as chosen:
        spot = sheet._cell(day).center().toPoint()
        qtbot.mouseClick(sheet, Qt.MouseButton.LeftButton, pos=spot)  # type: ignore[no-untyped-call]
    assert chosen.args == [day]
    assert sheet.day_at(QPoint(-5, -5)) is None


def test_enter_opens_the_current_day(sheet: MonthSheet, qtbot: QtBot) -> None:
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        with qtbot.waitSignal(sheet.activated) as chosen:
            qtbot.keyClick(sheet, key)  # type: ignore[no-untyped-call]
        assert chosen.args == [date(2026, 3, 15)]


def test_days_say_what_they_hold_and_are_marked(sheet: MonthSheet) -> None:
    before = sheet.grab().toImage()
    day = date(2026, 3, 15)
    sheet.show_days({day: CalendarDay(day, 2, 1, "note-x")}, day)
    assert "daily note, notes: 2, conversations: 1" in sheet.accessibleDescription()
    assert sheet.grab().toImage() != before
