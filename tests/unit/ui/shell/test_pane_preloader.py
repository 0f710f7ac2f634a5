"""Panes that nobody opened yet are built while the window rests."""

from collections.abc import Callable

from PySide6.QtWidgets import QLabel

from ui.shell.navigation import Place
from ui.shell.pane_preloader import PanePreloader
from ui.shell.pane_stack import PANES, read_pane
from ui.window import Window

Rest = Callable[[Callable[[], bool]], None]


def test_every_pane_is_built_and_none_comes_to_the_front(window: Window, rest: Rest) -> None:
    assert window.panes is not None
    front = window.panes.front
    preloader = PanePreloader(window.panes)
    rest(lambda: preloader.is_done)
    assert all(window.panes.is_whole(pane.name) for pane in PANES)
    assert window.panes.front is front


def test_nothing_is_built_while_the_window_is_hidden(window: Window, rest: Rest) -> None:
    assert window.panes is not None
    window.hide()
    preloader = PanePreloader(window.panes)
    before = len(window.panes.built)
    preloader._on_timer_timeout()
    assert (len(window.panes.built), preloader.is_done) == (before, False)
    window.show()
    rest(lambda: preloader.is_done)


def test_a_stopped_preloader_builds_no_more(window: Window) -> None:
    assert window.panes is not None
    before = len(window.panes.built)
    preloader = PanePreloader(window.panes)
    preloader.stop()
    preloader._on_timer_timeout()
    assert preloader.is_done
    assert len(window.panes.built) == before


def test_a_pane_opened_half_built_is_whole(window: Window) -> None:
    assert window.panes is not None
    window.panes.build_part("status")
    assert not window.panes.is_whole("status")
    window.go(Place("status"))
    assert window.panes.front is not None
    assert window.panes.front.current_place() == Place("status")
    assert window.panes.front.findChildren(QLabel)


def test_a_pane_that_is_missing_cannot_be_read() -> None:
    assert not read_pane("nowhere")
