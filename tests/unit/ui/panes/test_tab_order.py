"""Tab goes through the panes as one reads them."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from tests.unit.ui.panes.fake_bridge import FakeBridge, FakeVault, until


def _stops(pane: QWidget, first: QWidget) -> list[QWidget]:
    """Return what Tab reaches from ``first`` on, in order."""
    found, widget = [first], first.nextInFocusChain()
    while widget is not first:
        if pane.isAncestorOf(widget) and widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            found.append(widget)
        widget = widget.nextInFocusChain()
    return found


@pytest.mark.parametrize("name", ["sessions", "notes"])
def test_filter_list_and_text_follow_one_another(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, name: str
) -> None:
    books.add_session("Garden", [("user", "Frost?")])
    books.add_note("Roses", "x", tags=("garden",))
    pane = open_pane(name)
    opened = (lambda: pane.current_place().id) if name == "notes" else (lambda: pane.pager.messages)
    run_async(until(opened))
    run_async(ask.idle())
    text = pane.transcript if name == "sessions" else pane.document.editor
    title = pane.header._buttons[0] if name == "sessions" else pane.document.title
    stops = _stops(pane, pane.listing.filter)
    places = [stops.index(one) for one in (pane.listing.filter, pane.listing.list, title, text)]
    assert places == sorted(places)
    if name == "notes":
        assert stops.index(pane.document.tags.field) > places[-1]
