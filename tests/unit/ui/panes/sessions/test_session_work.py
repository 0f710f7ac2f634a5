"""Longer work on conversations: told in words, undone, exported; and several selected at once."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.screen_reader import words
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.sessions.conftest import OpenPane
from ui.bridge import Bridge
from ui.panes.sessions.conversation_tabs import SUMMARY
from ui.panes.sessions.session_work import SessionWork
from ui.widgets.selection_summary import SelectionSummary

SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


def test_condensing_is_told_and_undone(opened: OpenPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot) -> None:
    opened.pane.tabs.bar.setCurrentIndex(SUMMARY)
    rest(lambda: not bridge.is_busy)
    qtbot.mouseClick(opened.pane.tabs.summary.compact, LEFT)
    assert "Condensing" in words(opened.pane.header)
    rest(lambda: bool(opened.notices) and not bridge.is_busy)
    assert "stand in its summary now" in opened.notices[-1].text
    assert opened.pane.tabs.summary.text.toPlainText()
    host.ask("memory.undo", history_ids=list(opened.notices[-1].history_ids))
    rest(lambda: not opened.pane.tabs.summary.text.toPlainText() and not bridge.is_busy)


def test_short_conversations_are_not_condensed(opened: OpenPane, host: Host, bridge: Bridge, rest: Rest) -> None:
    session = host.ask("session.get", session="old-1")
    opened.pane.findChild(SessionWork).compact(session)
    opened.pane.findChild(SessionWork).summarise(session)
    assert "Wait a moment" in opened.notices[0].text
    rest(lambda: not bridge.is_busy)
    assert "nothing to condense" in opened.notices[-1].text
    assert opened.notices[-1].history_ids == ()


def test_facts_are_drawn_from_several_and_undone_as_one(
    opened: OpenPane, host: Host, bridge: Bridge, rest: Rest
) -> None:
    before = {fact.id for fact in host.ask("fact.list", limit=200)}
    sessions = host.ask("session.rows", ids=["ses-1", "old-1"])
    opened.pane.findChild(SessionWork).draw_facts(sessions)
    rest(lambda: bool(opened.notices) and not bridge.is_busy)
    notice = opened.notices[-1]
    assert {fact.id for fact in host.ask("fact.list", limit=200)} != before or "Nothing new" in notice.text
    if notice.history_ids:
        host.ask("memory.undo", history_ids=list(notice.history_ids))
        assert {fact.id for fact in host.ask("fact.list", limit=200)} == before


def test_a_conversation_is_exported_to_the_chosen_file(
    opened: OpenPane, host: Host, bridge: Bridge, rest: Rest, tmp_path: Path
) -> None:
    opened.pane.registry.run("sessions.markdown")
    box = opened.pane.findChild(QFileDialog)
    assert box is not None
    assert box.selectedFiles()[0].endswith("Anna moves.md")
    box.close()
    target = tmp_path / "talk.md"
    box.fileSelected.emit(str(target))
    rest(lambda: bool(opened.notices) and not bridge.is_busy)
    assert opened.notices[-1].text == f"Exported 60 messages to {target}"
    assert "loves the river" in target.read_text()
    target.write_text("mine")
    opened.pane.findChild(SessionWork).export_to(host.ask("session.get", session="ses-1"), "markdown", str(target))
    rest(lambda: opened.notices[-1].kind == "error" and not bridge.is_busy)
    assert target.read_text() == "mine"


def test_rows_have_headings_counts_and_states(opened: OpenPane, bridge: Bridge, rest: Rest) -> None:
    rows = opened.pane.listing
    rest(lambda: bool(rows.model.card_of("ses-1") and rows.model.card_of("old-1")) and not bridge.is_busy)
    titles = [rows.list._groups.title_of(row) for row in range(5)]
    assert titles[0] == "Today"
    assert [bool(title) for title in titles] == [True, True, False, True, False]
    card, other = rows.model.card_of("ses-1"), rows.model.card_of("old-1")
    assert card is not None
    assert other is not None
    assert "2 facts drawn from it" in card.speech
    assert "facts are not drawn yet" in other.speech
    next(one for one in rows.findChildren(QAction) if one.text() == "Headings for days and agents").setChecked(False)
    rest(lambda: not rows.list._groups and not bridge.is_busy)
    assert rows.state["grouped"] is False


def test_several_rows_are_selected_with_shift_and_ctrl(
    opened: OpenPane, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    view = opened.pane.listing.list
    view.choose_row(0)
    rest(lambda: not bridge.is_busy)
    view.setFocus()
    for _ in range(2):
        qtbot.keyClick(view, Qt.Key.Key_Down, SHIFT)
        qtbot.wait(120)  # longer than a rest on a row, after which a single one is opened
    assert view.selected_count == 3
    spot = view.visualRect(view.model().index(4, 0)).center()
    qtbot.mouseClick(view.viewport(), LEFT, CTRL, spot)
    qtbot.wait(120)
    assert view.selected_count == 4
    spot = view.visualRect(view.model().index(1, 0)).center()
    qtbot.mouseClick(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, spot)
    spot = view.visualRect(view.model().index(3, 0)).center()
    qtbot.mouseClick(view.viewport(), LEFT, SHIFT, spot)
    assert view.selected_count == 3
    assert opened.pane.findChild(SelectionSummary).isVisible()
    rest(lambda: not bridge.is_busy)
