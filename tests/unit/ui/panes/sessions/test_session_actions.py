"""Several conversations selected at once."""

from typing import Any

from PySide6.QtCore import Qt

from tests.unit.ui.panes.fake_bridge import FakeBridge, FakeVault, until

SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_several_are_summed_up_and_forgotten_with_one_undo(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    for number in range(5):
        books.add_session(f"Talk {number}", [("user", f"Text {number}")])
    pane = open_pane("sessions")
    pane.navigate.connect(pane.open_place)
    run_async(until(lambda: pane._session is not None and not pane._choice.isActive()))
    rows = pane.listing.list
    rows.setFocus()
    for _ in range(2):
        qtbot.keyClick(rows, Qt.Key.Key_Down, SHIFT)
        run_async(until(lambda: not pane._choice.isActive()))
    assert rows.selected_ids() == ["ses-000000", "ses-000001", "ses-000002"]
    assert pane._summary.isVisible()
    assert pane._summary.heading == "3 conversations selected"
    pane._summary.button("delete").click()
    run_async(until(lambda: bool(pane.emitted.notices)))
    assert [(one.text, one.history_ids) for one in pane.emitted.notices] == [("Deleted 3 conversations", (2, 3))]
    run_async(until(lambda: pane.header.title.text() == "Talk 3" and not pane._summary.isVisible()))
