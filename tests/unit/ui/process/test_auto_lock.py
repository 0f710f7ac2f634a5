"""Automatic lock: only of an encrypted vault, only when nobody uses it, and never in the middle of work."""

import time

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.changes import ChangeSet
from app.encryption.model import EncryptionState
from tests.unit.ui.conftest import Rest
from tests.unit.ui.fake_backend import FakeBackend
from ui.bridge import Bridge
from ui.process.auto_lock import SETTING, AutoLock


@pytest.fixture
def watched(qtbot: QtBot, look: object) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.fixture
def encrypted(backend: FakeBackend) -> FakeBackend:
    backend.encryption = EncryptionState.ENCRYPTED
    backend.settings_set(SETTING, 5)
    return backend


def made(bridge: Bridge, watched: QWidget, rest: Rest) -> tuple[AutoLock, list[bool]]:
    lock = AutoLock(bridge, [watched], bridge)
    expired: list[bool] = []
    lock.expired.connect(lambda: expired.append(True))
    rest(lambda: not bridge.is_busy)
    return lock, expired


def test_it_locks_after_the_minutes(encrypted: FakeBackend, fake_bridge: Bridge, watched: QWidget, rest: Rest) -> None:
    lock, expired = made(fake_bridge, watched, rest)
    assert lock.is_encrypted
    lock.look()
    rest(lambda: not fake_bridge.is_busy)
    assert expired == []
    lock.used_at = time.time() - 5 * 60 - 1
    lock.look()
    rest(lambda: not fake_bridge.is_busy)
    assert expired == [True]


def test_use_begins_the_minutes_anew(encrypted: FakeBackend, fake_bridge: Bridge, watched: QWidget, rest: Rest) -> None:
    lock, expired = made(fake_bridge, watched, rest)
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    for event in (
        QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, none),
        QMouseEvent(QEvent.Type.MouseButtonPress, QPointF(1, 1), QPointF(1, 1), left, left, none),
    ):
        lock.used_at = 0.0
        QApplication.sendEvent(watched.windowHandle(), event)
        assert lock.used_at > 0
    lock.look()
    rest(lambda: not fake_bridge.is_busy)
    assert expired == []


@pytest.mark.parametrize(
    ("state", "minutes", "running"),
    [
        (EncryptionState.NONE, 5, []),
        (EncryptionState.ENCRYPTING, 5, []),
        (EncryptionState.ENCRYPTED, 0, []),
        (EncryptionState.ENCRYPTED, 5, ["an import"]),
    ],
)
def test_it_does_not_lock(
    encrypted: FakeBackend,
    fake_bridge: Bridge,
    watched: QWidget,
    rest: Rest,
    state: EncryptionState,
    minutes: int,
    running: list[str],
) -> None:
    lock, expired = made(fake_bridge, watched, rest)
    encrypted.encryption, encrypted.jobs = state, running
    encrypted.settings_set(SETTING, minutes)
    fake_bridge.changed.emit(ChangeSet(frozenset({"settings"}), (), "person"))
    rest(lambda: not fake_bridge.is_busy)
    lock.used_at = 0.0
    lock.look()
    rest(lambda: not fake_bridge.is_busy)
    assert expired == []
