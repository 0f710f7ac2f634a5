"""Panes without content offer no inspector."""

from tests.unit.ui.conftest import Rest
from ui.shell.navigation import Place
from ui.window import Window


def test_the_inspector_is_off_where_there_is_none(window: Window, rest: Rest) -> None:
    button = window.top_bar._inspector
    window.go(Place("schedule"))
    rest(lambda: window.panes is not None and window.panes.front is not None and window.panes.front.name == "schedule")
    assert not button.isEnabled()
    assert button.toolTip() == "This page has no inspector"
    window.go(Place("graph"))
    assert button.isEnabled()
    assert "no inspector" not in button.toolTip()
