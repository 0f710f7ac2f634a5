"""Tab goes through the panes as one reads them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from tests.helpers.vault_filler import VaultFiller
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane, Settle


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
    books: VaultFiller, open_pane: OpenPane, name: str, rest: Rest, settle: Settle
) -> None:
    books.add_session("Garden", [("user", "Frost?")])
    books.add_note("Roses", "x", tags=("garden",))
    pane = open_pane(name)
    opened = (lambda: pane.current_place().id) if name == "notes" else (lambda: pane.pager.messages)
    rest(opened)
    settle()
    text = pane.transcript if name == "sessions" else pane.document.editor
    title = pane.header._buttons[0] if name == "sessions" else pane.document.title
    stops = _stops(pane, pane.listing.filter)
    places = [stops.index(one) for one in (pane.listing.filter, pane.listing.list, title, text)]
    assert places == sorted(places)
    if name == "notes":
        assert stops.index(pane.document.tags.field) > places[-1]
