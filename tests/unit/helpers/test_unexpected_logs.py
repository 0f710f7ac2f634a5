"""What a careless test does is noticed: each of these little tests must fail, and its careful twin pass."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

CARELESS = """
import logging
import threading

import apsw
from PySide6.QtCore import QTimer, qWarning
from PySide6.QtWidgets import QDialog, QMessageBox, QWidget

kept = []


def test_warning():
    logging.getLogger("keepsake").warning("boo")


def test_announced_warning(allow_logs):
    allow_logs("keepsake: WARNING: bo+")
    logging.getLogger("keepsake").warning("boo")


def test_connection():
    kept.append(apsw.Connection(":memory:"))


def test_closed_connection():
    apsw.Connection(":memory:").close()


def test_timer(qapp):
    kept.append(QTimer())
    kept[-1].start(1000)


def test_window(qapp):
    kept.append(QWidget())


def test_window_of_the_bot(qtbot):
    kept.append(QWidget())
    qtbot.addWidget(kept[-1])
    QTimer(kept[-1]).start(1000)


def test_dialog(qtbot):
    dialog = QDialog()
    qtbot.addWidget(dialog)
    dialog.exec()


def test_question(qtbot):
    QMessageBox.question(None, "Title", "Text?")


def test_qt_warning(qtbot):
    qWarning("boo")


def test_thread():
    kept.append(threading.Event())
    thread = threading.Thread(target=kept[-1].wait, name="keepsake-test", daemon=True)
    thread.start()
    kept.append(thread)


def test_ended_thread():
    kept[-2].set()
    kept[-1].join()
    thread = threading.Thread(target=int, name="keepsake-test", daemon=True)
    thread.start()
"""

CONFTEST = """
from tests.conftest import pytest_plugins
from tests.helpers.guards import leaks

leaks.TIMEOUT_S = 0.1
"""

SETTINGS = """
[pytest]
qt_api = pyside6
qt_log_level_fail = WARNING
"""


def test_carelessness_fails(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeconftest(CONFTEST)
    pytester.makeini(SETTINGS)
    pytester.makepyfile(CARELESS)
    answer = pytester.runpytest_subprocess("-rA", "-p", "no:cacheprovider")
    outcome = answer.parseoutcomes()
    lines = answer.stdout.lines
    fine = {line.split("::")[1] for line in lines if line.startswith("PASSED")}
    bad = {line.split("::")[1].split(" ")[0] for line in lines if line.startswith(("ERROR", "FAILED"))}
    careful = {"test_announced_warning", "test_closed_connection", "test_window_of_the_bot", "test_ended_thread"}
    assert fine - bad == careful, outcome
    assert len(bad) == 8
