"""A crash of the run before, offered at the next start."""

from datetime import UTC, datetime

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QGuiApplication

from app.trace.model import CrashReport
from ui.dialogs.crash_report import CrashDialog
from ui.window import Window

REPORT = CrashReport("window", datetime(2026, 3, 1, 12, tzinfo=UTC), "Fatal Python error: Segmentation fault")


def test_nothing_is_said_of_an_orderly_end(window: Window) -> None:
    window.frame.offer_crash_reports([])
    assert not window.banner.isVisible()


def test_a_crash_is_offered_to_read_and_to_copy(window: Window) -> None:
    window.frame.offer_crash_reports([REPORT])
    assert "ended unexpectedly" in window.banner.text
    assert window.findChild(CrashDialog) is None
    window.banner._show_report.click()
    dialog = window.findChild(CrashDialog)
    assert REPORT.stacks in dialog.text.toPlainText()
    dialog._on_copy_clicked()
    assert REPORT.stacks in QGuiApplication.clipboard().text()
    dialog.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert window.findChild(CrashDialog) is None


def test_the_report_can_be_copied_from_the_banner(window: Window) -> None:
    window.frame.offer_crash_reports([REPORT])
    window.banner._details.click()
    assert REPORT.stacks in QGuiApplication.clipboard().text()
    assert not window.banner.isVisible()


def test_a_later_failure_takes_its_place(window: Window) -> None:
    window.frame.offer_crash_reports([REPORT])
    window.banner.show_notice("Something else.")
    assert window.banner.report == ""
    assert window.banner._show_report.isHidden()
