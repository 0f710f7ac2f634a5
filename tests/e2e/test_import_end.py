"""The end of an import in the window: what came in is shown, and taken back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.e2e.conftest import Until
from ui.dialogs.exchange.importer import ImportDialog
from ui.process.program import Program

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture
def imported(
    launch: Callable[[Path], Program], until: Until, qtbot: QtBot, tmp_path: Path
) -> tuple[Program, ImportDialog]:
    """Return the program with the last page of an import of two notes in front."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("Elder", "Birch"):
        (folder / f"{name}.md").write_text(f"# {name}\n\n{name} by the river.\n", encoding="utf-8")
    program = launch(tmp_path / "v")
    window = program.window
    until(lambda: "0 memories" in window.status_line.text)
    window.registry.run("file.import")
    sheet = window.sheets.front
    assert isinstance(sheet, ImportDialog)
    sheet.offer([str(folder)])
    until(sheet._go.isVisible)
    qtbot.mouseClick(sheet._go, Qt.MouseButton.LeftButton)
    until(sheet.show_made.isVisible)
    return program, sheet


def test_what_was_imported_is_shown(imported: tuple[Program, ImportDialog], until: Until, qtbot: QtBot) -> None:
    program, sheet = imported
    qtbot.mouseClick(sheet.show_made, Qt.MouseButton.LeftButton)
    until(lambda: program.window.sheets.front is None)
    panes = program.window.panes
    assert panes is not None
    until(lambda: panes.front is not None and panes.front.name == "notes")


def test_what_was_imported_is_taken_back_and_comes_again(
    imported: tuple[Program, ImportDialog], until: Until, qtbot: QtBot
) -> None:
    program, sheet = imported
    window = program.window
    until(lambda: "2 memories" in window.status_line.text)
    qtbot.mouseClick(sheet.undo, Qt.MouseButton.LeftButton)
    until(lambda: "0 memories" in window.status_line.text)
    until(lambda: not sheet.undo.isVisible() and not sheet.show_made.isVisible())
    until(window.undo.can_redo)
    window.registry.run("edit.redo")
    until(lambda: "2 memories" in window.status_line.text)
