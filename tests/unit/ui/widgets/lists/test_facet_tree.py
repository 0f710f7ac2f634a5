"""Facets by keyboard: switched, renamed, deleted."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.lists.facet_tree import FacetGroup, FacetRow, FacetTree

GROUPS = (
    FacetGroup("saved", "Saved filters", [FacetRow("Garden"), FacetRow("Work")]),
    FacetGroup("kind", "Kind", [FacetRow("note", 3, "Notes")]),
)


@pytest.fixture
def tree(qtbot: QtBot, look: Theme) -> FacetTree:
    """Return a tree of two groups with the first saved filter current."""
    tree = FacetTree("Facets")
    qtbot.addWidget(tree)
    tree.set_groups(GROUPS)
    tree.show()
    head = tree.topLevelItem(0)
    assert head is not None
    tree.setCurrentItem(head.child(0))
    return tree


def test_enter_switches_a_value_on_and_off(tree: FacetTree, qtbot: QtBot) -> None:
    for on in (True, False):
        with qtbot.waitSignal(tree.toggled) as emitted:
            qtbot.keyClick(tree, Qt.Key.Key_Return)  # type: ignore[no-untyped-call]
        assert emitted.args == ["saved", "Garden", on]
    assert tree.chosen("saved") == ()


def test_f2_and_delete_name_the_current_value_and_no_heading(tree: FacetTree, qtbot: QtBot) -> None:
    for key, signal in ((Qt.Key.Key_F2, tree.rename_requested), (Qt.Key.Key_Delete, tree.delete_requested)):
        with qtbot.waitSignal(signal) as emitted:
            qtbot.keyClick(tree, key)  # type: ignore[no-untyped-call]
        assert emitted.args == ["saved", "Garden"]
    tree.setCurrentItem(tree.topLevelItem(0))
    with qtbot.assertNotEmitted(tree.delete_requested):
        qtbot.keyClick(tree, Qt.Key.Key_Delete)  # type: ignore[no-untyped-call]


def test_the_menu_key_asks_for_the_menu_of_the_current_value(tree: FacetTree, qtbot: QtBot) -> None:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(0, 0), QPoint(0, 0))
    with qtbot.waitSignal(tree.menu_requested) as emitted:
        QApplication.sendEvent(tree.viewport(), event)
    assert emitted.args[:2] == ["saved", "Garden"]
