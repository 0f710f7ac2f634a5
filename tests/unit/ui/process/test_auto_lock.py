"""Automatic lock: only of an encrypted vault, only when nobody uses it, and never in the middle of work."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.encryption.data_key import DataKey
from app.encryption.key_file import KeyFile, read_key_file
from app.encryption.model import EncryptionState
from app.encryption.vault_keys import keep_key, require_key
from app.host import Host
from app.store.encryption.vault_encryption import VaultEncryption
from tests.helpers.encryption import PASSPHRASE, locked, needs_cipher
from tests.helpers.engine import engine_of
from tests.unit.ui.conftest import Rest
from ui.bridge import Bridge
from ui.process.auto_lock import SETTING, AutoLock

MINUTES = 5


@pytest.fixture
def watched(qtbot: QtBot, look: object) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.fixture(scope="module")
def encrypted_template(
    template_db: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, DataKey, KeyFile]]:
    """Return an encrypted vault, never to be written to, with its key and key file."""
    folder = tmp_path_factory.mktemp("encrypted")
    shutil.copy(template_db, folder)
    VaultEncryption(folder).encrypt(PASSPHRASE)
    host = Host(folder, serve=False)
    host.start()
    host.ask("settings.set", name=SETTING, value=MINUTES)
    host.stop()
    file = read_key_file(folder)
    assert file is not None
    yield folder, require_key(folder), file
    locked(folder)


def looked(lock: AutoLock, bridge: Bridge, rest: Rest) -> None:
    """Let the lock look at the clock and end what it asks then."""
    lock.look()
    rest(lambda: not bridge.is_busy)


def made(bridge: Bridge, watched: QWidget, rest: Rest) -> tuple[AutoLock, list[bool]]:
    lock = AutoLock(bridge, [watched], bridge)
    expired: list[bool] = []
    lock.expired.connect(lambda: expired.append(True))
    rest(lambda: not bridge.is_busy)
    return lock, expired


@needs_cipher
class TestEncrypted:
    """An encrypted vault that locks itself after some minutes."""

    @pytest.fixture
    def vault(self, encrypted_template: tuple[Path, DataKey, KeyFile], tmp_path: Path) -> Iterator[Path]:
        template, key, file = encrypted_template
        vault = Path(shutil.copytree(template, tmp_path / "vault"))
        keep_key(vault, key, file)
        yield vault
        locked(vault)

    def test_it_locks_after_the_minutes(self, bridge: Bridge, watched: QWidget, rest: Rest) -> None:
        lock, expired = made(bridge, watched, rest)
        assert lock.is_encrypted
        looked(lock, bridge, rest)
        assert expired == []
        lock.used_at = time.time() - MINUTES * 60 - 1
        looked(lock, bridge, rest)
        assert expired == [True]

    def test_use_begins_the_minutes_anew(self, bridge: Bridge, watched: QWidget, rest: Rest) -> None:
        lock, expired = made(bridge, watched, rest)
        none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
        for event in (
            QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, none),
            QMouseEvent(QEvent.Type.MouseButtonPress, QPointF(1, 1), QPointF(1, 1), left, left, none),
        ):
            lock.used_at = 0.0
            QApplication.sendEvent(watched.windowHandle(), event)
            assert lock.used_at > 0
        looked(lock, bridge, rest)
        assert expired == []

    def test_work_is_finished_first_and_no_minutes_lock_nothing(
        self, host: Host, bridge: Bridge, watched: QWidget, rest: Rest
    ) -> None:
        lock, expired = made(bridge, watched, rest)
        jobs = engine_of(host).jobs
        job = jobs.begin("Importing a.zip", "messages")
        lock.used_at = 0.0
        looked(lock, bridge, rest)
        assert expired == []
        jobs.end(job, "finished")
        host.ask("settings.set", name=SETTING, value=0)
        rest(lambda: lock.minutes == 0)
        looked(lock, bridge, rest)
        assert expired == []


@pytest.mark.parametrize("state", [EncryptionState.NONE, pytest.param(EncryptionState.ENCRYPTING, marks=needs_cipher)])
def test_a_vault_that_is_not_encrypted_yet_does_not_lock(
    host: Host, bridge: Bridge, watched: QWidget, rest: Rest, state: EncryptionState
) -> None:
    host.ask("settings.set", name=SETTING, value=MINUTES)
    if state is EncryptionState.ENCRYPTING:
        host.ask("encryption.encrypt", passphrase=PASSPHRASE)
    assert host.ask("encryption.status").state is state
    lock, expired = made(bridge, watched, rest)
    lock.used_at = 0.0
    looked(lock, bridge, rest)
    assert expired == []
    locked(host.vault)
