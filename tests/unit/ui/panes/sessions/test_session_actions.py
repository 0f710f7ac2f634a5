"""Several conversations selected at once."""

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.helpers.vault_filler import VaultFiller
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane
from ui.widgets.selection_summary import SelectionSummary

SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_several_are_summed_up_and_forgotten_with_one_undo(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    for number in range(5):
        books.add_session(f"Talk {number}", [("user", f"Text {number}")])
    pane = open_pane("sessions")
    pane.navigate.connect(pane.open_place)
    rest(lambda: pane._session is not None and not pane._choice.isActive())
    rows = pane.listing.list
    rows.setFocus()
    for _ in range(2):
        qtbot.keyClick(rows, Qt.Key.Key_Down, SHIFT)
        rest(lambda: not pane._choice.isActive())
    assert rows.selected_ids() == ["ses-000000", "ses-000001", "ses-000002"]
    assert pane.findChild(SelectionSummary).isVisible()
    assert pane.findChild(SelectionSummary).heading == "3 conversations selected"
    pane.findChild(SelectionSummary).button("delete").click()
    rest(lambda: bool(pane.emitted.notices))
    assert [notice.text for notice in pane.emitted.notices] == ["Deleted 3 conversations"]
    assert len(books.sessions()) == 2
    rest(lambda: pane.header.title.text() == "Talk 3" and not pane.findChild(SelectionSummary).isVisible())
    books.host.ask("memory.undo", history_ids=list(pane.emitted.notices[0].history_ids))
    assert len(books.sessions()) == 5
