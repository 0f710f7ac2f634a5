"""The strip of matches by month."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.core.clock import to_ms
from app.retrieval.model import MonthCount, Query
from ui.panes.search.timeline_strip import MOST_MONTHS, TimelineStrip, periods_of
from ui.theme import Scheme, Theme

MONTHS = [MonthCount("2025-11", 3), MonthCount("2025-12", 1), MonthCount("2026-02", 9)]


@pytest.fixture
def strip(qtbot: QtBot, look: Theme) -> Iterator[TimelineStrip]:
    strip = TimelineStrip()
    qtbot.addWidget(strip)
    strip.resize(600, strip.sizeHint().height())
    strip.show_months(MONTHS, None)
    strip.show()
    yield strip
    strip.hide()


def test_months_without_matches_stand_between() -> None:
    assert [(one.name, one.count) for one in periods_of(MONTHS)] == [
        ("2025-11", 3), ("2025-12", 1), ("2026-01", 0), ("2026-02", 9)
    ]  # fmt: skip
    assert periods_of([]) == []


def test_very_many_months_become_years() -> None:
    found = periods_of([MonthCount("1999-12", 2), MonthCount("2026-01", 3), MonthCount("2026-02", 1)])
    assert len(found) == 28 <= MOST_MONTHS
    assert (found[0].name, found[-1].name, found[-1].count) == ("1999", "2026", 4)


def test_one_month_is_no_choice(strip: TimelineStrip) -> None:
    strip.show_months(MONTHS[:1], None)
    assert not strip.isVisible()


def test_a_click_chooses_and_lets_go(strip: TimelineStrip, qtbot: QtBot) -> None:
    chosen: list[str] = []
    strip.chosen.connect(chosen.append)
    spot = strip.rect_of(1).center()
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=spot)
    since, until = (to_ms(_local(2025, 12)), to_ms(_local(2026, 1)))
    strip.show_query(Query("x", since=since, until=until))
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=spot)
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(strip.width() - 1, 2))
    assert chosen == ["2025-12", ""]


def test_the_keyboard_does_it_too(strip: TimelineStrip, qtbot: QtBot) -> None:
    chosen: list[str] = []
    strip.chosen.connect(chosen.append)
    assert strip.accessibleDescription() == "February 2026: 9 texts"
    for key in (
        Qt.Key.Key_Left,
        Qt.Key.Key_Left,
        Qt.Key.Key_Return,
        Qt.Key.Key_Home,
        Qt.Key.Key_Left,
        Qt.Key.Key_Space,
    ):
        qtbot.keyClick(strip, key)
    assert strip.accessibleDescription() == "November 2025: 3 texts"
    strip.show_query(Query("x", since=to_ms(_local(2026, 1))))
    qtbot.keyClick(strip, Qt.Key.Key_Escape)
    assert chosen == ["2025-12", "2025-11", ""]


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_it_paints_at_any_width(strip: TimelineStrip, look: Theme, direction: Qt.LayoutDirection) -> None:
    strip.setLayoutDirection(direction)
    many = [MonthCount(f"{2018 + at // 12}-{at % 12 + 1:02}", at) for at in range(MOST_MONTHS)]
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look.set_scheme(scheme)
        for width in (60, 300, 1400):
            for months in (MONTHS, many):
                strip.show_months(months, Query("x", since=to_ms(_local(2025, 12))))
                strip.resize(width, strip.sizeHint().height())
                strip.setFocus()
                assert not strip.grab().isNull()
                place = strip.rect_of(len(strip.periods) - 1)
                assert 0 <= place.left() <= place.right() <= width


def _local(year: int, month: int) -> datetime:
    return datetime(year, month, 1).astimezone()
