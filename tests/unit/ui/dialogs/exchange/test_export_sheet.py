"""The sheet that exports everything, with the real engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.changes import Progress
from app.encryption.encrypted_file import is_encrypted_file
from app.host import Host
from app.store.encryption.vault_encryption import VaultEncryption
from tests.helpers.encryption import PASSPHRASE, files_with, locked, needs_cipher
from tests.helpers.screen_reader import is_offered, named, press, words
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.dialogs.exchange.export_sheet import ExportSheet
from ui.dialogs.exchange.importer import ImportDialog


@pytest.fixture
def sheet(bridge: Bridge, host: Host, tmp_path: Path) -> Iterator[ExportSheet]:
    host.ask("note.save", title="Roses", content="Prune in March.")
    sheet = ExportSheet(bridge)
    sheet.path.setText(str(tmp_path / "everything"))
    sheet.bring_to_front()
    yield sheet
    if isValid(sheet):
        sheet.reject()  # which deletes it


def choose(sheet: ExportSheet, identity: str) -> None:
    sheet.format.setCurrentIndex(sheet.format.findData(identity))


def test_a_folder_at_once_and_shown_in_its_place(
    sheet: ExportSheet, rest: Rest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    rest(sheet.go.isEnabled)
    assert sheet.format.currentData() == "folder"
    assert not sheet.new.isVisible()
    assert not sheet.warning.isVisible()
    sheet.go.click()
    assert sheet.is_busy
    assert not sheet.format.isEnabled()
    rest(lambda: not sheet.is_busy)
    assert f"to {tmp_path / 'everything'}." in sheet.said.text()
    assert (tmp_path / "everything" / "index.html").is_file()
    assert sheet.show_folder.isVisible()
    sheet.show_folder.click()
    assert [url.toLocalFile() for url in opened] == [str(tmp_path)]


def test_an_encrypted_file_wants_a_passphrase_twice(sheet: ExportSheet, rest: Rest, tmp_path: Path) -> None:
    rest(sheet.go.isEnabled)
    choose(sheet, "encrypted")
    assert sheet.path.text() == str(tmp_path / "everything.keepsake")
    assert sheet.new.isVisible()
    assert not sheet.go.isEnabled()
    sheet.new.setText("short")
    assert "At least 8" in words(sheet)
    sheet.new.setText(PASSPHRASE)
    sheet.again.setText("correct mule")
    assert "The two differ." in words(sheet)
    assert not sheet.go.isEnabled()
    sheet.again.setText(PASSPHRASE)
    sheet.history.setChecked(True)
    sheet.go.click()
    rest(lambda: not sheet.is_busy)
    data = (tmp_path / "everything.keepsake").read_bytes()
    assert is_encrypted_file(data)
    assert b"Roses" not in data
    assert (sheet.new.text(), sheet.again.text()) == ("", "")


def test_the_import_asks_for_the_passphrase(
    sheet: ExportSheet, bridge: Bridge, host: Host, qtbot: QtBot, rest: Rest, tmp_path: Path
) -> None:
    file = tmp_path / "all.keepsake"
    host.ask("exchange.export", path=str(file), format="encrypted", passphrase=PASSPHRASE)
    importer = ImportDialog(bridge)
    qtbot.addWidget(importer)
    importer.offer([str(file)])
    rest(importer.passphrase.isVisible)
    assert "Encrypted Keepsake export" in words(importer)
    assert not named(importer, QPushButton, "Open").isEnabled()
    assert _nameless(importer) == []
    importer.passphrase.setText("another fine phrase")
    qtbot.keyClick(importer.passphrase, Qt.Key.Key_Return)
    rest(importer.wrong.isVisible)
    assert "not the passphrase of all.keepsake" in importer.wrong.text()
    assert importer.passphrase.text() == ""
    importer.passphrase.setText(PASSPHRASE)
    press(importer, "Open")
    rest(lambda: is_offered(importer, "Import") and not importer.passphrase.isVisible())
    assert "1 note" in words(importer)
    press(importer, "Import")
    rest(lambda: "1 were there already" in words(importer))
    importer.hide()


def test_what_cannot_be_written_is_said(sheet: ExportSheet, rest: Rest, tmp_path: Path) -> None:
    rest(sheet.go.isEnabled)
    choose(sheet, "jsonl")
    other = tmp_path / "letter.txt"
    other.write_text("mine")
    sheet.path.setText(str(other))
    sheet.go.click()
    rest(lambda: not sheet.is_busy)
    assert "holds something else" in sheet.said.text()
    assert not sheet.show_folder.isVisible()
    assert sheet.go.isEnabled()
    sheet.path.setText(" ")
    assert not sheet.go.isEnabled()


def test_progress_is_that_of_this_job(sheet: ExportSheet) -> None:
    sheet._job = "mine"
    sheet._on_bridge_progressed(Progress("other", "t", 5, None, "items"))
    assert sheet.said.text() == ""
    sheet._on_bridge_progressed(Progress("mine", "t", 5, None, "items"))
    assert sheet.said.text().startswith("5 ")
    sheet._job = ""


def test_it_can_be_stopped(sheet: ExportSheet, host: Host, rest: Rest, tmp_path: Path) -> None:
    for number in range(40):
        turns = [{"role": "user", "content": f"turn {number}.{turn}"} for turn in range(200)]
        host.ask("session.append", session=f"s{number}", messages=turns)
    rest(sheet.go.isEnabled)
    sheet.go.click()
    assert sheet.stop.isVisible()
    sheet.stop.click()
    rest(lambda: not sheet.is_busy)
    assert sheet.said.text() == "Stopped. Nothing was written."
    assert not (tmp_path / "everything").exists()
    assert not list(tmp_path.glob(".everything*"))


def test_hidden_while_it_runs_it_tells_when_it_is_done(sheet: ExportSheet, rest: Rest) -> None:
    notices: list[str] = []
    sheet.notice.connect(lambda notice: notices.append(notice.text))
    rest(sheet.go.isEnabled)
    sheet.go.click()
    sheet.leave.click()
    assert not sheet.is_closed
    rest(lambda: bool(notices))
    assert notices[0].startswith("Wrote")
    rest(lambda: sheet.is_closed)


def test_keys_alone_are_enough(sheet: ExportSheet, qtbot: QtBot, rest: Rest, tmp_path: Path) -> None:
    rest(sheet.go.isEnabled)
    sheet.format.setFocus()
    qtbot.keyClick(sheet.format, Qt.Key.Key_Down)
    assert sheet.format.currentData() == "encrypted"
    sheet.new.setFocus()
    qtbot.keyClicks(sheet.new, PASSPHRASE)
    sheet.again.setFocus()
    qtbot.keyClicks(sheet.again, PASSPHRASE)
    qtbot.keyClick(sheet.again, Qt.Key.Key_Return)
    rest(lambda: not sheet.is_busy)
    assert (tmp_path / "everything.keepsake").is_file()
    assert QApplication.focusWidget() in {sheet.show_folder, None}
    qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    assert sheet.is_closed


def test_every_control_has_a_name(sheet: ExportSheet) -> None:
    choose(sheet, "encrypted")
    assert _nameless(sheet) == []


@needs_cipher
def test_a_plain_export_of_an_encrypted_vault_is_warned_of(
    vault: Path, qtbot: QtBot, rest: Rest, tmp_path: Path
) -> None:
    VaultEncryption(vault).encrypt(PASSPHRASE)
    host = Host(vault, serve=False)
    host.start()
    bridge = Bridge(host)
    try:
        host.ask("note.save", title="Roses", content="Zanzibarian")
        sheet = ExportSheet(bridge)
        qtbot.addWidget(sheet)
        sheet.path.setText(str(tmp_path / "all"))
        sheet.bring_to_front()
        rest(lambda: sheet.format.currentData() == "encrypted")
        assert not sheet.warning.isVisible()
        choose(sheet, "jsonl")
        assert "Your memories are encrypted, and this export is not" in sheet.warning.text()
        assert sheet.warning.isVisible()
        assert sheet.go.text() == "Export without encryption"
        assert files_with(tmp_path, "Zanzibarian") == []
        sheet.go.click()
        rest(lambda: not sheet.is_busy)
        assert "Zanzibarian" in (tmp_path / "all.jsonl").read_text()
        sheet.hide()
    finally:
        host.stop()
        locked(vault)
