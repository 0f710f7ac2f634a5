"""Projects are shown as the person calls them, and changed in place."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from app.entities.model import EntityFilter
from app.host import Host
from tests.helpers.vault_filler import VaultFiller
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane
from ui.panes.pane import Place


def _garden(host: Host) -> str:
    """Make a memory of a renamed project, and return its id."""
    memory = host.ask("memory.write", content="Lime.", project="alice/garden").memory.id
    host.ask("vault.settle", names=True)
    (row,) = host.ask("entity.list", filter=EntityFilter(types=("project",)))
    host.ask("entity.rename", id=row.id, name="Vegetables")
    return str(memory)


def _type(qtbot: QtBot, field: Any, text: str, key: Qt.Key = Qt.Key.Key_Return) -> None:
    field.setFocus()
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Delete)
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, key)


def test_a_memory_goes_into_another_project_and_back(
    books: VaultFiller, open_pane: OpenPane, host: Host, qtbot: QtBot, rest: Rest
) -> None:
    memory = _garden(host)
    pane = open_pane("notes")
    pane.open_place(Place("notes", memory))
    field = pane.inspector.project
    rest(lambda: field.text() == "Vegetables")
    (row,) = host.ask("entity.list", filter=EntityFilter(types=("project",)))
    host.ask("entity.rename", id=row.id, name="Beds")
    rest(lambda: field.text() == "Beds")
    _type(qtbot, field, "bob/mill", Qt.Key.Key_Escape)
    assert field.text() == "Beds"
    _type(qtbot, field, "bob/mill")
    rest(lambda: bool(pane.emitted.notices))
    assert pane.emitted.notices[-1].text == "It is in the project ‘bob/mill’ now"
    assert host.ask("note.get", id=memory).attributes == {"project": "bob/mill"}
    host.ask("memory.undo", history_ids=list(pane.emitted.notices[-1].history_ids))
    rest(lambda: field.text() == "Beds")
    _type(qtbot, field, "")
    rest(lambda: pane.emitted.notices[-1].text == "It is in no project now")
    assert host.ask("note.get", id=memory).attributes == {}
    assert field.text() == ""


def test_a_conversation_goes_into_a_known_project(
    books: VaultFiller, open_pane: OpenPane, host: Host, qtbot: QtBot, rest: Rest
) -> None:
    books.add_session("Garden", [("user", "Frost?")])
    _garden(host)
    pane = open_pane("sessions")
    field = pane.header.project
    rest(lambda: bool(pane.header.title.text()))
    assert (field.text(), field.placeholderText()) == ("", "No project")
    field.setFocus()
    qtbot.keyClicks(field, "garden")
    rest(field._popup.isVisible)
    qtbot.keyClick(field, Qt.Key.Key_Down)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    rest(lambda: bool(pane.emitted.notices))
    assert pane.emitted.notices[-1].text == "It is in the project ‘Vegetables’ now"
    assert host.ask("session.get", session="ses-000000").attributes["project"] == "Vegetables"
    # Another name of the same project changes nothing that is seen.
    rest(lambda: field.text() == "Vegetables")
    hits = host.ask("memory.search", query="project:garden").hits
    assert "ses-000000#1" in {hit.id for hit in hits}


def test_selected_notes_go_into_a_project(
    books: VaultFiller, open_pane: OpenPane, host: Host, qtbot: QtBot, rest: Rest
) -> None:
    ids = [books.add_note("Roses", "x"), books.add_note("Beds", "y")]
    _garden(host)
    pane = open_pane("notes")
    rest(lambda: pane.controller.memory is not None)
    pane._actions.bulk.ask_for_project(ids)
    rest(lambda: bool(pane.findChildren(QInputDialog)))
    (box,) = pane.findChildren(QInputDialog)
    assert box.comboBoxItems() == ["", "Vegetables"]
    box.setTextValue("Vegetables")
    box.accept()
    rest(lambda: bool(pane.emitted.notices))
    assert pane.emitted.notices[-1].text == "2 notes are in the project ‘Vegetables’ now"
    assert [host.ask("note.get", id=identity).attributes["project"] for identity in ids] == ["Vegetables"] * 2
