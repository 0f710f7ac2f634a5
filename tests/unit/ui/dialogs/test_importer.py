"""Import: preview, progress, report; hiding it does not stop it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.changes import Progress
from app.errors import CancelledByPersonError, FormatError
from tests.unit.ui.conftest import Rest
from tests.unit.ui.fake_backend import FakeBackend
from ui.bridge import Bridge
from ui.dialogs.importer import ImportDialog


@pytest.fixture
def importer(qtbot: QtBot, fake_bridge: Bridge) -> Iterator[ImportDialog]:
    made = ImportDialog(fake_bridge)
    qtbot.addWidget(made)
    made.bring_to_front()
    yield made
    if isValid(made):
        made.hide()


def test_preview_import_report(importer: ImportDialog, backend: FakeBackend, rest: Rest) -> None:
    importer.offer(["/home/a/chatgpt.zip"])
    rest(lambda: importer._pages.currentWidget() is importer._preview)
    assert "ChatGPT export · 48.2 MB" in importer._preview_text.text()
    importer._go.click()
    assert importer.is_running
    rest(lambda: importer._pages.currentWidget() is importer._result)
    assert "312 conversations · 9,041 messages" in importer._result_text.text()
    assert "2 problems" in importer._result_text.text()
    assert "message 7: The message has no text." in importer._problems.toPlainText()
    assert backend.requested("exchange.import")[0]["path"] == "/home/a/chatgpt.zip"
    importer._copy.click()
    assert "message 7" in QGuiApplication.clipboard().text()


def test_progress_of_this_job_only(importer: ImportDialog) -> None:
    importer._job = "mine"
    importer._on_bridge_progressed(Progress("other", "t", 5, 10, "messages"))
    assert importer._running_text.text() == ""
    importer._on_bridge_progressed(Progress("mine", "t", 5, 10, "messages", 1.0, detail="file 3"))
    assert importer._running_text.text() == "5 of 10 messages · 1/s · about 5 s left"
    assert importer._detail.text() == "file 3"
    assert importer._bar.value() == 500


def test_stop_cancels_the_job(importer: ImportDialog, backend: FakeBackend, rest: Rest) -> None:
    importer._job = "mine"
    importer._show_page(importer._running)
    importer._stop.click()
    rest(lambda: backend.requested("job.cancel") == [{"job": "mine"}])


def test_stopped_says_what_stays(importer: ImportDialog, backend: FakeBackend, rest: Rest) -> None:
    backend.refuse["exchange.import"] = CancelledByPersonError("stopped")
    importer.offer(["/a.zip"])
    rest(lambda: importer._pages.currentWidget() is importer._preview)
    importer._go.click()
    rest(lambda: not importer.is_running)
    assert importer._result_title.text() == "Stopped"


def test_unknown_file_is_explained(importer: ImportDialog, backend: FakeBackend, rest: Rest) -> None:
    backend.refuse["exchange.preview"] = FormatError("photo.png is not an export Keepsake knows.")
    importer.offer(["/photo.png"])
    rest(lambda: importer._pages.currentWidget() is importer._result)
    assert importer._result_text.text() == "photo.png is not an export Keepsake knows."
    assert not importer._problems.isVisible()


def test_hidden_import_tells_when_it_is_done(importer: ImportDialog, qtbot: QtBot, rest: Rest) -> None:
    importer.offer(["/a.zip"])
    rest(lambda: importer._pages.currentWidget() is importer._preview)
    importer._go.click()
    reported: list[object] = []
    importer.notice.connect(reported.append)
    importer.hide()
    rest(lambda: bool(reported))
    assert "312 conversations" in reported[0].text  # type: ignore[attr-defined]


def test_dropped_files_are_previewed_one_after_another(
    importer: ImportDialog, backend: FakeBackend, rest: Rest
) -> None:
    data = QMimeData()
    paths = [str(Path("/tmp") / name) for name in ("a.zip", "b.zip")]
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    button, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    importer.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, button, keys))
    rest(lambda: importer._pages.currentWidget() is importer._preview)
    importer._go.click()
    rest(lambda: len(backend.requested("exchange.preview")) == 2)
    assert [call["path"] for call in backend.requested("exchange.preview")] == paths


def test_the_preview_says_what_is_made_and_offers_to_leave_out_secrets(
    importer: ImportDialog, backend: FakeBackend, rest: Rest
) -> None:
    importer.offer(["/home/a/chatgpt.zip"])
    rest(lambda: importer._pages.currentWidget() is importer._preview)
    assert "312 conversations · 9,041 messages" in importer._preview_text.text()
    assert "2 texts" in importer._skip.text()
    assert importer._skip.isChecked()
    importer._go.click()
    rest(lambda: importer._pages.currentWidget() is importer._result)
    assert backend.requested("exchange.import")[0]["skip_secrets"] is True
    importer.start_over()
    importer.offer(["/home/a/chatgpt.zip"])
    rest(lambda: importer._pages.currentWidget() is importer._preview)
    importer._skip.setChecked(False)
    importer._go.click()
    rest(lambda: len(backend.requested("exchange.import")) == 2)
    assert backend.requested("exchange.import")[1]["skip_secrets"] is False
