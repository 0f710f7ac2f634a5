"""The rail: every button is whole and tells what it does, whatever the height of the window and the size of text."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from ui.shell.pane_stack import PANES
from ui.theme import MAX_SCALE, MIN_SCALE, Theme
from ui.window import SMALLEST, Window

WORDS, ICONS = Qt.ToolButtonStyle.ToolButtonTextUnderIcon, Qt.ToolButtonStyle.ToolButtonIconOnly


def _buttons(window: Window) -> list[QToolButton]:
    found = [one for one in window.sidebar.findChildren(QToolButton) if one.isVisible()]
    return sorted(found, key=lambda one: one.geometry().top())


@pytest.mark.parametrize("scale", [MIN_SCALE, 1.0, 1.1, 1.5, MAX_SCALE])
@pytest.mark.parametrize("height", [SMALLEST.height(), 620, 820])
def test_all_buttons_fit(window: Window, look: Theme, scale: float, height: int) -> None:
    window.resize(820, height)
    look.set_scale(scale)
    window.sidebar.layout().activate()
    buttons = _buttons(window)
    assert len(buttons) == sum(pane.in_rail for pane in PANES) + 3
    for button in buttons:
        assert window.sidebar.rect().contains(button.geometry())
        assert button.height() >= button.iconSize().height() + 12
        assert button.accessibleName()
        assert button.toolTip().startswith(button.accessibleName())
    for upper, lower in pairwise(buttons):
        assert upper.geometry().bottom() < lower.geometry().top()


def test_words_go_where_they_have_no_room_and_come_back(window: Window, look: Theme) -> None:
    graph = window.sidebar._buttons["graph"]
    window.resize(820, 740)
    assert graph.toolButtonStyle() == WORDS
    wide = window.sidebar.width()
    look.set_scale(1.5)
    assert graph.toolButtonStyle() == ICONS
    assert window.sidebar.width() < wide
    window.resize(820, 1060)
    assert graph.toolButtonStyle() == WORDS
    look.set_scale(1.0)
    window.resize(820, 740)
    assert (graph.toolButtonStyle(), window.sidebar.width()) == (WORDS, wide)


def test_the_number_of_what_waits_stays_on_icons_alone(window: Window, look: Theme) -> None:
    window.resize(820, 740)
    look.set_scale(1.5)
    inbox = window.sidebar._buttons["inbox"]
    assert inbox.toolButtonStyle() == ICONS
    bare = inbox.grab().toImage()
    window.sidebar.set_badge("inbox", 12)
    inbox = window.sidebar._buttons["inbox"]
    shown = inbox.grab().toImage()
    assert shown != bare
    accent = look.colour("accent").rgb()
    corner = [shown.pixel(x, y) for x in range(shown.width() // 2, shown.width()) for y in range(shown.height() // 2)]
    assert accent in corner
    window.sidebar.set_badge("inbox", 0)
    assert inbox.grab().toImage() == bare
