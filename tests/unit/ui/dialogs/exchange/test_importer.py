"""Import: preview, progress, report; hiding it does not stop it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QProgressBar
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.changes import Progress
from app.host import Host
from tests.helpers.screen_reader import is_offered, named, press, words
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from ui.bridge import Bridge
from ui.dialogs.exchange.importer import ImportDialog

if TYPE_CHECKING:
    from ui.notice import Notice

SECRET = "My password is hunter2-Xk29fQ"


@pytest.fixture
def importer(qtbot: QtBot, bridge: Bridge) -> Iterator[ImportDialog]:
    dialog = ImportDialog(bridge)
    qtbot.addWidget(dialog)
    dialog.bring_to_front()
    yield dialog
    if isValid(dialog):
        dialog.hide()


def conversation(file: Path, *turns: str, lines_more: int = 0) -> Path:
    """Write a file of one conversation, and at its end lines that are no JSON."""
    records = [json.dumps({"session": "roses", "role": "user", "content": turn}) for turn in turns]
    file.write_text("\n".join([*records, *["{broken"] * lines_more]) + "\n", "utf-8")
    return file


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Return a file with four messages, one of them with a password, and one broken line."""
    return conversation(tmp_path / "roses.jsonl", "Which roses?", "The red ones.", SECRET, "Thanks.", lines_more=1)


def previewed(importer: ImportDialog, rest: Rest, *files: Path) -> None:
    """Offer files, and wait until the first is previewed."""
    importer.offer([str(file) for file in files])
    rest(lambda: is_offered(importer, "Import"))


def ended(importer: ImportDialog, rest: Rest) -> None:
    rest(lambda: not importer.is_running and is_offered(importer, "Close"))


def stats(host: Host) -> tuple[int, int]:
    counts = host.ask("memory.stats")
    return counts.sessions, counts.messages


def test_preview_import_report(importer: ImportDialog, host: Host, export: Path, rest: Rest) -> None:
    previewed(importer, rest, export)
    assert "Keepsake export · 1 kB" in words(importer)
    assert "1 conversation · 4 messages" in words(importer)
    named(importer, QCheckBox, "Leave out 1 text that looks as if it held a key or a password").setChecked(False)
    press(importer, "Import")
    assert importer.is_running
    ended(importer, rest)
    assert stats(host) == (1, 4)
    assert "1 conversation · 4 messages" in words(importer)
    assert "1 problem" in words(importer)
    problems = named(importer, QPlainTextEdit, "Problems").toPlainText()
    assert "line 5" in problems
    press(importer, "Copy problems")
    assert QGuiApplication.clipboard().text() == problems


def test_progress_of_this_job_only(
    importer: ImportDialog, connection: WatchedConnection, export: Path, rest: Rest
) -> None:
    previewed(importer, rest, export)
    connection.hold("exchange.import")
    press(importer, "Import")
    rest(lambda: bool(connection.requested("exchange.import")))
    job = connection.requested("exchange.import")[0]["job"]
    connection.publish(Progress("other", "t", 7, 10, "messages"))
    connection.publish(Progress(job, "t", 5, 10, "messages", 1.0, detail="file 3"))
    rest(lambda: "5 of 10 messages · 1/s · about 5 s left" in words(importer))
    assert "7 of 10" not in words(importer)
    assert "file 3" in words(importer)
    bar = named(importer, QProgressBar, "Import progress")
    assert (bar.value(), bar.maximum()) == (500, 1000)
    connection.release("exchange.import")
    ended(importer, rest)


def test_stop_cancels_the_job_and_says_what_stays(
    importer: ImportDialog, host: Host, connection: WatchedConnection, tmp_path: Path, rest: Rest
) -> None:
    previewed(importer, rest, conversation(tmp_path / "long.jsonl", *(f"turn {n}" for n in range(20_000))))
    press(importer, "Import")
    rest(lambda: bool(host.ask("job.list")) and stats(host)[1] > 0)
    press(importer, "Stop")
    ended(importer, rest)
    job = connection.requested("exchange.import")[0]["job"]
    assert connection.requested("job.cancel") == [{"job": job}]
    assert "Stopped" in words(importer)
    assert "What was imported so far stays." in words(importer)
    assert 0 < stats(host)[1] < 20_000


def test_unknown_file_is_explained(importer: ImportDialog, tmp_path: Path, rest: Rest) -> None:
    photo = tmp_path / "photo.png"
    photo.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    importer.offer([str(photo)])
    rest(lambda: "This could not be imported" in words(importer))
    assert "photo.png" in words(importer)
    assert not is_offered(importer, "Copy problems")


def test_hidden_import_tells_when_it_is_done(importer: ImportDialog, export: Path, rest: Rest) -> None:
    previewed(importer, rest, export)
    reported: list[Notice] = []
    importer.notice.connect(reported.append)
    press(importer, "Import")
    importer.hide()
    rest(lambda: bool(reported))
    assert reported[0].text.startswith("Imported. 1 conversation · 3 messages")


def test_dropped_files_are_previewed_one_after_another(
    importer: ImportDialog, host: Host, tmp_path: Path, rest: Rest
) -> None:
    files = [tmp_path / f"{name}.md" for name in ("roses", "kites")]
    for file in files:
        file.write_text(f"# {file.stem}\n\nAbout {file.stem}.\n", "utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    button, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    importer.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, button, keys))
    for name in ("roses.md", "kites.md"):
        rest(lambda name=name: is_offered(importer, "Import") and name in words(importer))
        press(importer, "Import")
    ended(importer, rest)
    assert len(host.ask("note.list")) == 2


@pytest.mark.parametrize("skips", [True, False])
def test_secrets_are_left_out_unless_one_wants_them(
    importer: ImportDialog, host: Host, export: Path, rest: Rest, skips: bool
) -> None:
    previewed(importer, rest, export)
    box = named(importer, QCheckBox, "Leave out 1 text that looks as if it held a key or a password")
    assert box.isChecked()
    box.setChecked(skips)
    press(importer, "Import")
    ended(importer, rest)
    assert stats(host) == (1, 3 if skips else 4)
    assert ("1 left out that may hold a key or a password" in words(importer)) is skips
