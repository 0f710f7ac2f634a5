"""Failures nobody waited for are logged and told, once in a while."""

import asyncio
import threading
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from app.errors import DiskFullError
from ui.process.error_reporter import ErrorReporter


@pytest.fixture
def faults(allow_logs: Callable[[str], None]) -> Iterator[ErrorReporter]:
    allow_logs("ui.process.error_reporter: ERROR")
    reporter = ErrorReporter()
    yield reporter
    reporter.deleteLater()


def _reported(faults: ErrorReporter) -> list[str]:
    reported: list[str] = []
    faults.reported.connect(reported.append)
    return reported


def test_our_errors_speak_for_themselves(faults: ErrorReporter) -> None:
    reported = _reported(faults)
    faults.report(DiskFullError("The disk is full. Make space, then try again."))
    assert reported == ["The disk is full. Make space, then try again."]


def test_others_are_named_and_kept_in_full(faults: ErrorReporter) -> None:
    reported = _reported(faults)
    faults.report(ZeroDivisionError("secret"))
    assert "ZeroDivisionError" in reported[0]
    assert "secret" not in reported[0]
    assert "ZeroDivisionError: secret" in faults.details


def test_a_storm_is_one_sentence(faults: ErrorReporter) -> None:
    reported = _reported(faults)
    for _ in range(50):
        faults.report(ValueError("x"))
    assert len(reported) == 1
    faults._last_report -= 100
    faults.report(ValueError("x"))
    assert reported[1].endswith("It happened 49 more times.")


def test_hooks_hear_threads_and_the_loop(faults: ErrorReporter, qt_loop: asyncio.AbstractEventLoop) -> None:
    faults.install(qt_loop)
    try:
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        qt_loop.call_exception_handler({"message": "m", "exception": KeyError("task")})
    finally:
        faults.uninstall()
    assert "ZeroDivisionError" in faults.details
    assert "KeyError" in faults.details


class _Slot(QObject):
    def fail(self) -> None:
        raise RuntimeError("in a slot")


def test_slots_reach_the_hook(qtbot: QtBot, faults: ErrorReporter) -> None:
    slot = _Slot()
    with capture_exceptions() as caught:
        QTimer.singleShot(0, slot.fail)
        qtbot.waitUntil(lambda: bool(caught))
    faults._on_exception(*caught[0])
    assert "in a slot" in faults.details
