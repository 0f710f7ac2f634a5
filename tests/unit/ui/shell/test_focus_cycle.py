"""F6 goes round the parts of the window."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from ui.shell.focus_cycle import cycle, entrance, holder

Parts = tuple[QLineEdit, QLabel, QWidget, QLineEdit]


@pytest.fixture
def parts(qtbot: QtBot) -> Iterator[Parts]:
    top = QWidget()
    row = QHBoxLayout(top)
    first, bare, group = QLineEdit(), QLabel("words"), QWidget()
    inner = QLineEdit(group)
    QHBoxLayout(group).addWidget(inner)
    for widget in (first, bare, group):
        row.addWidget(widget)
    qtbot.addWidget(top)
    top.show()
    first.setFocus()
    yield first, bare, group, inner
    top.hide()


def test_cycle_skips_what_takes_no_keys(parts: Parts) -> None:
    first, bare, group, inner = parts
    regions = [first, bare, group]
    assert cycle(regions, first, 1) is inner
    assert cycle(regions, inner, 1) is first
    assert cycle(regions, first, -1) is inner


def test_holder_is_the_innermost(parts: Parts) -> None:
    first, _, group, inner = parts
    assert holder([group.window(), group], inner) == 1
    assert holder([group], first) == -1
    assert holder([group], None) == -1


def test_entrance_needs_visible_and_enabled(parts: Parts) -> None:
    _, bare, group, inner = parts
    assert entrance(group) is inner
    inner.setEnabled(False)
    assert entrance(group) is None
    assert entrance(bare) is None


def test_nothing_to_go_to(qtbot: QtBot) -> None:
    label = QLabel("x")
    qtbot.addWidget(label)
    assert cycle([label], None, 1) is None
    assert QApplication.focusWidget() is None
    assert label.focusPolicy() == Qt.FocusPolicy.NoFocus
