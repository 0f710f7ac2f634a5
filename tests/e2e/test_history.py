"""The history in the window, after a restart: what was done before is listed, undone and done again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.api.caller import Caller
from app.host import Host
from tests.e2e.conftest import Until
from ui.dialogs.act_row import ActRow
from ui.dialogs.history_sheet import HistorySheet
from ui.process.program import Program

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
        return next(one for one in sheet.rows if one.words.text().startswith(words))

    until(lambda: len(sheet.rows) == 5)
    assert row("Accepted").about.text().endswith("Undone")
    qtbot.mouseClick(row("Imported 2 notes").undo, Qt.MouseButton.LeftButton)
    until(lambda: "0 memories" in window.status_line.text)
    until(lambda: row("Imported 2 notes").undo.text() == "Do again")
    qtbot.mouseClick(row("Imported 2 notes").undo, Qt.MouseButton.LeftButton)
    until(lambda: "2 memories" in window.status_line.text)
    sheet.who.setCurrentIndex(4)
    until(lambda: [one.words.text() for one in sheet.rows] == ["Imported 2 notes, from Markdown notes"])
