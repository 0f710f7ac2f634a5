"""Tabs that become a menu where they do not fit."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ui.widgets.folding_tabs import FoldingTabs

TITLES = ("Messages", "Facts", "What an agent would be shown")
WIDE, NARROW = 900, 160


@pytest.fixture
def tabs(qtbot: QtBot, look: Any) -> FoldingTabs:
    tabs = FoldingTabs("Parts", TITLES)
    qtbot.addWidget(tabs)
    tabs.resize(WIDE, 40)
    tabs.show()
    return tabs


def test_they_fold_and_unfold_with_the_room(tabs: FoldingTabs) -> None:
    assert tabs.bar.isVisible()
    assert not tabs.menu.isVisible()
    tabs.resize(NARROW, 40)
    assert tabs.width() == NARROW, "they ask for no more than the menu needs"
    assert tabs.menu.isVisible()
    assert not tabs.bar.isVisible()
    tabs.resize(WIDE, 40)
    assert tabs.bar.isVisible()
    assert not tabs.menu.isVisible()


def test_larger_text_folds_them(tabs: FoldingTabs, look: Any) -> None:
    tabs.resize(tabs.bar.sizeHint().width() + 4, 40)
    assert not tabs.is_folded
    look.set_scale(2.0)
    assert tabs.is_folded


def test_menu_and_bar_tell_the_same(tabs: FoldingTabs, qtbot: QtBot) -> None:
    shown: list[int] = []
    tabs.changed.connect(shown.append)
    tabs.resize(NARROW, 40)
    qtbot.keyClick(tabs.menu, Qt.Key.Key_Down)
    assert shown == [1]
    assert tabs.bar.currentIndex() == 1
    tabs.bar.setCurrentIndex(2)
    assert shown == [1, 2]
    assert tabs.menu.currentText() == TITLES[2]


def test_the_keyboard_stays_on_them(tabs: FoldingTabs, qtbot: QtBot) -> None:
    tabs.activateWindow()
    tabs.bar.setFocus()
    assert tabs.bar.hasFocus()
    tabs.resize(NARROW, 40)
    assert tabs.menu.hasFocus()
    tabs.resize(WIDE, 40)
    assert tabs.bar.hasFocus()
