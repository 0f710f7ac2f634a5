"""The history in the window, after a restart: what was done before is listed, undone and done again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.api.caller import Caller
from app.core.vault_opening import VaultOpening
from app.host import Host
from tests.e2e.conftest import Until
from ui.app import start_host
from ui.dialogs.act_row import ActRow
from ui.dialogs.history_sheet import HistorySheet
from ui.process.program import OpenVault, Program
from ui.widgets.plain_text import PlainMessageBox
from ui.window import Window

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
SCOUT = Caller("scout", "full", review=True)


@pytest.fixture
def lived_in(tmp_path: Path) -> Path:
    """Return a vault with an import, an acceptance and a deleted conversation, the last one the latest."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in ("Elder", "Birch"):
        (notes / f"{name}.md").write_text(f"# {name}\n\n{name} by the river.\n", encoding="utf-8")
    host = Host(tmp_path / "v", serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    host.ask("exchange.import", path=str(notes))
    host.ask("agent.add", name=SCOUT.name, trust=SCOUT.trust, review=True)
    proposal = host.call("note.save", {"title": "Kestrel", "content": "seen"}, SCOUT).result().value.proposed
    host.ask("inbox.accept", id=proposal)
    host.ask("session.append", session="tea", messages=[{"role": "user", "content": "Two cups."}])
    host.ask("session.forget", session="tea")
    host.stop()
    return tmp_path / "v"


def test_what_was_done_before_the_start_is_undone_in_the_window(
    launch: Callable[[Path], Program], until: Until, qtbot: QtBot, lived_in: Path
) -> None:
    program = launch(lived_in)
    window = program.window
    until(lambda: window.undo.undo_text == "Undo: Deleted the conversation ‘Two cups.’")
    window.registry.run("edit.undo")
    until(lambda: "1 session" in window.status_line.text)
    until(lambda: "Accepted" in window.undo.undo_text)
    window.registry.run("edit.undo")
    until(lambda: "2 memories" in window.status_line.text)
    until(lambda: "Imported" in window.undo.undo_text)

    window.registry.run("edit.history")
    sheet = window.sheets.front
    assert isinstance(sheet, HistorySheet)

    def row(words: str) -> ActRow:
        return next(row for row in sheet.rows if row.words.text().startswith(words))

    until(lambda: len(sheet.rows) == 5)
    assert row("Accepted").about.text().endswith("Undone")
    qtbot.mouseClick(row("Imported 2 notes").undo, Qt.MouseButton.LeftButton)
    until(lambda: "0 memories" in window.status_line.text)
    until(lambda: row("Imported 2 notes").undo.text() == "Do again")
    qtbot.mouseClick(row("Imported 2 notes").undo, Qt.MouseButton.LeftButton)
    until(lambda: "2 memories" in window.status_line.text)
    sheet.who.setCurrentIndex(4)
    until(lambda: [row.words.text() for row in sheet.rows] == ["Imported 2 notes, from Markdown notes"])


def opened(launch: Callable[..., Program], until: Until, vault: Path) -> tuple[Window, Host]:
    """Start the program; return its window, and its host, in which agents and runs do something too."""
    hosts: list[Host] = []

    def opener(vault: Path, *, safe_mode: bool = False, opening: VaultOpening | None = None) -> OpenVault:
        host = start_host(vault, safe_mode=safe_mode, opening=opening)
        assert isinstance(host, Host)
        hosts.append(host)
        return host

    window = launch(vault, opener=opener).window
    until(lambda: window.bridge is not None)
    return window, hosts[0]


def test_ctrl_z_takes_back_what_the_person_did_last_not_what_an_agent_or_a_run_did(
    launch: Callable[[Path], Program], until: Until, qtbot: QtBot, lived_in: Path
) -> None:
    window, host = opened(launch, until, lived_in)
    mine = host.ask("note.save", title="Mine", content="by me")
    host.ask("schedule.create", goal="Water the roses", cadence={"kind": "interval", "seconds": 3600}, name="Roses")
    theirs = host.call("note.save", {"title": "Theirs", "content": "by an agent"}, Caller("scout", "full")).result()
    host.ask("fact.remember", content="Rosa lives in Graz")
    host.ask("upkeep.run", job="housekeeping")
    until(lambda: "Graz" in window.undo.undo_text)
    for what in ("Graz", "Created the schedule ‘Roses’", "Wrote the note ‘Mine’"):
        until(lambda what=what: what in window.undo.undo_text and window.undo.can_undo())
        qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        until(lambda what=what: what not in window.undo.undo_text)
    until(lambda: host.ask("note.get", id=mine.id).deleted_at is not None)
    assert host.ask("note.get", id=theirs.value.id).deleted_at is None, "what an agent wrote stays"

    window.registry.run("edit.history")
    sheet = window.sheets.front
    assert isinstance(sheet, HistorySheet)
    sheet.who.setCurrentIndex(2)
    until(lambda: [row.words.text() for row in sheet.rows][:1] == ["Wrote the note ‘Theirs’"])
    qtbot.mouseClick(sheet.rows[0].undo, Qt.MouseButton.LeftButton)
    until(lambda: host.ask("note.get", id=theirs.value.id).deleted_at is not None)


def test_what_an_agent_changed_since_is_undone_with_it_where_the_person_agrees(
    launch: Callable[[Path], Program], until: Until, qtbot: QtBot, lived_in: Path
) -> None:
    window, host = opened(launch, until, lived_in)
    note = host.ask("note.save", title="Mine", content="by me")
    changed = {"id": note.id, "version": note.version, "content": "changed by an agent"}
    host.call("note.update", changed, Caller("scout", "full")).result()
    until(lambda: "Mine" in window.undo.undo_text and window.undo.can_undo())
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    until(lambda: bool(window.findChildren(PlainMessageBox)))
    (box,) = window.findChildren(PlainMessageBox)
    assert "‘Wrote the note ‘Mine’’ cannot be undone by itself." in box.text()
    assert "Changed the note ‘Mine’" in box.informativeText()
    box.button(box.StandardButton.Cancel).click()
    until(lambda: not window.findChildren(PlainMessageBox))
    assert host.ask("note.get", id=note.id).content == "changed by an agent"

    window.registry.run("edit.history")
    sheet = window.sheets.front
    assert isinstance(sheet, HistorySheet)
    until(lambda: [row.undo.text() for row in sheet.rows][:2] == ["Undo", "Undo both…"])
    assert "Undo this first: Changed the note ‘Mine’" in sheet.rows[1].about.text()
    qtbot.mouseClick(sheet.rows[1].undo, Qt.MouseButton.LeftButton)
    (box,) = window.findChildren(PlainMessageBox)
    next(button for button in box.buttons() if "both" in button.text()).click()
    until(lambda: host.ask("note.get", id=note.id).deleted_at is not None)
    until(lambda: [row.undo.text() for row in sheet.rows][2:4] == ["Do again", "Do again"])
