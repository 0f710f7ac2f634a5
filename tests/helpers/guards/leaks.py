"""A test fails when it leaves a thread, a timer, a window or a database connection behind."""

import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import apsw
import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

import app.retrieval.query.match_expression  # noqa: F401  (opens the tokenizer's connection, once for the process)

# How long a thread that was told to stop may take to end.
TIMEOUT_S = 5.0

_READER = "keepsake-reader"
_WRITER = "keepsake-writer"

# Windows that Qt makes for itself and keeps.
QT_OWN = frozenset({"QTipLabel", "QComboBoxPrivateContainer", "QScreen", "QDesktopScreenWidget"})


@pytest.fixture(autouse=True, scope="module")
def _set_apart() -> None:
    """Set apart what imports and earlier files made, so that no test looks through all of it for its own timers.

    Once a file, for the window's collector takes everything back when it stops.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare what lives before and after the test."""
    threads = set(threading.enumerate())
    connections = {id(connection) for connection in apsw.connections()}
    objects = {id(item) for item in _qt_objects()}
    yield
    new = {thread for thread in threading.enumerate() if thread not in threads and _is_ours(thread)}
    further = _further_readers(threads, new)
    left = [f"thread {thread.name}" for thread in _running(new - further)]
    left += _open_connections(connections, spared=len(further))
    if QCoreApplication.instance() is not None:
        left += _left_in_qt(objects)
    if left:
        pytest.fail("left behind:\n" + "\n".join(left), pytrace=False)


def _further_readers(before: set[threading.Thread], new: set[threading.Thread]) -> set[threading.Thread]:
    """Return the readers that a vault which several tests share started because its others were busy.

    A vault that the test itself left open has a writer too.
    """
    had_readers = any(thread.name.startswith(_READER) for thread in before)
    if not had_readers or any(thread.name.startswith(_WRITER) for thread in new):
        return set()
    return {thread for thread in new if thread.name.startswith(_READER)}


def _running(new: set[threading.Thread]) -> list[threading.Thread]:
    """Return the threads that do not end in time."""
    for thread in new:
        thread.join(TIMEOUT_S)
    return [thread for thread in new if thread.is_alive()]


def _is_ours(thread: threading.Thread) -> bool:
    return thread.name.startswith("keepsake") or not thread.daemon


def _open_connections(before: set[int], *, spared: int) -> list[str]:
    """Return databases the test opened and did not close, none where they are as few as those spared."""
    new = [connection for connection in apsw.connections() if id(connection) not in before]
    return [f"connection to {connection.filename or ':memory:'}" for connection in new if len(new) > spared]


def _qt_objects() -> list[QObject]:
    """Return live running timers and top-level windows known to Python."""
    if QCoreApplication.instance() is None:
        return []
    return [*_timers(), *_windows()]


def _timers() -> list[QTimer]:
    return [item for item in gc.get_objects() if isinstance(item, QTimer) and _answers(item, QTimer.isActive)]


def _windows() -> list[QWidget]:
    if not isinstance(QCoreApplication.instance(), QApplication):
        return []
    return [item for item in QApplication.topLevelWidgets() if item.metaObject().className() not in QT_OWN]


def _answers(item: Any, question: Callable[[Any], bool]) -> bool:
    return shiboken6.isValid(item) and question(item)


def _left_in_qt(before: set[int]) -> list[str]:
    """Return timers still running and windows still alive that the test made."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    if all(id(item) in before for item in _qt_objects()):
        return []
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return [_described(item) for item in _qt_objects() if id(item) not in before]


def _described(item: QObject) -> str:
    owner = item.parent()
    name = f"{type(item).__name__} {item.objectName()!r}"
    return f"{name} of {type(owner).__name__} {owner.objectName()!r}" if owner is not None else name
