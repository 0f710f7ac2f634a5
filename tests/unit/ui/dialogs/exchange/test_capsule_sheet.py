"""The sheet of capsules, with the real engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.host import Host
from tests.helpers.screen_reader import press, words
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.dialogs.exchange.capsule_sheet import CapsuleSheet
from ui.dialogs.exchange.import_report import capsule_text, unknown_key_text
from ui.dialogs.exchange.importer import ImportDialog


@pytest.fixture
def notes(host: Host) -> list[str]:
    return [
        host.ask("note.save", title="Roses", content="Prune in March.", tags=["garden"], store="shared").id,
        host.ask("note.save", title="Tulips", content="Plant in October.", tags=["garden"], store="shared").id,
        host.ask("note.save", title="Diary", content="Quiet words.").id,
    ]


@pytest.fixture
def sheet(qtbot: QtBot, bridge: Bridge, notes: list[str], tmp_path: Path) -> Iterator[CapsuleSheet]:
    sheet = CapsuleSheet(bridge)
    qtbot.addWidget(sheet)
    sheet.path.setText(str(tmp_path / "garden.capsule"))
    sheet.bring_to_front()
    yield sheet
    if isValid(sheet):
        sheet.hide()


def test_choose_and_make(sheet: CapsuleSheet, host: Host, rest: Rest, tmp_path: Path) -> None:
    rest(lambda: sheet.number.text() == "2 memories go in" and bool(sheet.key.text()))
    assert sheet.key.text() == host.ask("capsule.key")
    sheet.copy.click()
    assert QGuiApplication.clipboard().text() == sheet.key.text()
    sheet.words.setText("october")
    rest(lambda: sheet.number.text() == "1 memory goes in")
    sheet.words.setText("nowhere at all")
    rest(lambda: sheet.number.text() == "Nothing goes in")
    assert not sheet.make.isEnabled()
    sheet.words.clear()
    sheet.store.setCurrentIndex(3)
    rest(lambda: sheet.number.text() == "3 memories go in")
    sheet.from_name.setText("Maren Vogt")
    sheet.for_name.setText("Anna")
    sheet.days.setCurrentIndex(0)
    assert sheet.make.isEnabled()
    sheet.make.click()
    rest(lambda: "garden.capsule" in sheet.said.text())
    origin = host.ask("exchange.preview", path=str(tmp_path / "garden.capsule")).capsule
    assert (origin.sender, origin.recipient, origin.is_own) == ("Maren Vogt", "Anna", True)


def test_a_selection(sheet: CapsuleSheet, notes: list[str], rest: Rest, tmp_path: Path) -> None:
    sheet.choose([notes[2]])
    rest(lambda: sheet.number.text() == "1 memory goes in")
    assert not sheet.words.isVisible()
    sheet.make.click()
    rest(lambda: bool(sheet.said.text()))
    assert b"Quiet words" in (tmp_path / "garden.capsule").read_bytes()


def test_a_file_that_cannot_be_written_says_so(sheet: CapsuleSheet, rest: Rest, tmp_path: Path) -> None:
    rest(sheet.make.isEnabled)
    other = tmp_path / "letter.txt"
    other.write_text("mine")
    sheet.path.setText(str(other))
    sheet.make.click()
    rest(lambda: bool(sheet.said.text()))
    assert other.read_text() == "mine"
    assert sheet.make.isEnabled()


def test_every_control_has_a_name(sheet: CapsuleSheet) -> None:
    assert _nameless(sheet) == []


def test_the_import_page_warns_of_an_unknown_key(
    host: Host, bridge: Bridge, notes: list[str], tmp_path: Path, qtbot: QtBot, rest: Rest
) -> None:
    path = tmp_path / "garden.capsule"
    other = Host(tmp_path / "other", serve=False)
    other.start()
    try:
        other.ask("note.save", content="From afar", store="shared")
        other.ask("capsule.make", path=str(path), sender="Petra")
    finally:
        other.stop()
    importer = ImportDialog(bridge)
    qtbot.addWidget(importer)
    importer.offer([str(path)])
    rest(lambda: "It says that it is from Petra." in words(importer))
    press(importer, "Import")
    rest(lambda: "Imported" in words(importer).splitlines())
    origin = host.ask("exchange.preview", path=str(path)).capsule
    assert unknown_key_text(origin) == ""
    assert "You know this key since" in capsule_text(origin)
    importer.hide()
