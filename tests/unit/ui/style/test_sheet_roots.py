"""The roots of the style sheet: what is seen is dressed at once, what is hidden soon."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QLabel, QStackedWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ui import theme
from ui.panes.pane import Place
from ui.shell.pane_stack import PANES
from ui.style.sheet_roots import SheetRoots
from ui.theme import Scheme
from ui.widgets.fields.completion_popup import CompletionPopup
from ui.window import Window

RED, BLUE = "QLabel { color: #ff0000; }", "QLabel { color: #0000ff; }"


def _colour(label: QLabel) -> str:
    return label.palette().color(QPalette.ColorRole.WindowText).name()


@pytest.fixture
def pages(qtbot: QtBot) -> QStackedWidget:
    """Return a visible stack of two pages, each with a label."""
    widget = QStackedWidget()
    qtbot.addWidget(widget)
    for _ in range(2):
        page = QWidget(widget)
        QVBoxLayout(page).addWidget(QLabel("a", page))
        widget.addWidget(page)
    widget.show()
    return widget


def _page(pages: QStackedWidget, number: int) -> QWidget:
    found = pages.widget(number)
    assert found is not None
    return found


def _labels(pages: QStackedWidget) -> list[QLabel]:
    return [_page(pages, one).findChildren(QLabel)[0] for one in range(2)]


def test_a_hidden_root_is_dressed_in_a_later_turn(pages: QStackedWidget, qtbot: QtBot) -> None:
    roots = SheetRoots(pages)
    for one in range(2):
        roots.add(_page(pages, one))
    roots.set_sheet(RED, at_once=True)
    seen, hidden = _labels(pages)
    hidden.ensurePolished()
    assert (_colour(seen), _colour(hidden)) == ("#ff0000", "#ff0000")
    roots.set_sheet(BLUE, at_once=False)
    assert (_colour(seen), _colour(hidden)) == ("#0000ff", "#ff0000")
    qtbot.waitUntil(lambda: _colour(hidden) == "#0000ff")


def test_a_hidden_root_is_dressed_when_it_is_asked_for(pages: QStackedWidget) -> None:
    roots = SheetRoots(pages)
    for one in range(2):
        roots.add(_page(pages, one))
    roots.set_sheet(RED, at_once=False)
    roots.dress(_page(pages, 1))
    hidden = _labels(pages)[1]
    hidden.ensurePolished()
    assert _colour(hidden) == "#ff0000"


def test_a_root_may_go_while_others_wait(pages: QStackedWidget, qtbot: QtBot) -> None:
    roots = SheetRoots(pages)
    gone = QWidget()
    for root in (gone, _page(pages, 0), _page(pages, 1)):
        roots.add(root)
    gone.deleteLater()
    QApplication.sendPostedEvents(gone, QEvent.Type.DeferredDelete)
    roots.set_sheet(RED, at_once=False)
    qtbot.waitUntil(lambda: _page(pages, 1).styleSheet() == RED)


def test_rules_of_a_root_stand_for_the_sheet(qtbot: QtBot) -> None:
    label = QLabel("a")
    qtbot.addWidget(label)
    roots = SheetRoots(label)
    roots.add(label, lambda: BLUE)
    roots.set_sheet(RED, at_once=True)
    label.ensurePolished()
    assert _colour(label) == "#0000ff"


def test_the_application_carries_the_sheet_until_there_is_a_window(look: theme.Theme, qapp: QApplication) -> None:
    assert "QPushButton" in qapp.styleSheet()
    look.divide()
    assert qapp.styleSheet() == ""


def test_a_completion_popup_follows_the_colours(qtbot: QtBot, look: theme.Theme) -> None:
    popup = CompletionPopup("Tags")
    qtbot.addWidget(popup)
    for is_divided in (False, True):
        if is_divided:
            look.divide()
        for scheme in (Scheme.LIGHT, Scheme.DARK):
            look.set_scheme(scheme)
            qtbot.waitUntil(lambda: theme.current().tokens.accent_soft in popup.styleSheet())


def _is_dressed(widget: QWidget) -> bool:
    one: QWidget | None = widget
    while one is not None:
        if one.styleSheet():
            return True
        one = one.parentWidget()
    return False


def test_everything_in_the_window_has_a_root_above_it(
    window: Window, rest: Callable[[Callable[[], bool]], None]
) -> None:
    assert window.panes is not None
    bare = {window, window.centralWidget(), window.panes, window.panes.parentWidget()}
    for pane in PANES:
        window.go(Place(pane.name))
        rest(lambda: window.panes is not None and window.panes.front is not None)
    found = [one for one in window.findChildren(QWidget) if one not in bare and not _is_dressed(one)]
    assert [f"{type(one).__name__} {one.objectName()}" for one in found] == []
    assert len(window.findChildren(QWidget)) > 500


def test_a_pane_has_the_new_colours_when_it_comes_to_the_front(window: Window, look: theme.Theme) -> None:
    assert window.panes is not None
    for place in ("status", "graph"):
        window.go(Place(place))
    look.set_scheme(Scheme.DARK)
    window.go(Place("status"))
    assert window.panes.front is not None
    assert look.tokens.accent in window.panes.front.styleSheet()
