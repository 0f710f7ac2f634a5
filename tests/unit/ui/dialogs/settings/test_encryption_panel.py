"""Encryption over a real vault: what is requested before, what is said after, and what is carried out."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.encryption.key_file import read_key_file
from app.encryption.model import KEY_FILE, EncryptionState
from app.host import Host
from app.store.encryption.vault_encryption import VaultEncryption
from tests.helpers.encryption import PASSPHRASE, locked, needs_cipher
from tests.helpers.keyrings import MemoryKeyring
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.dialogs.base_dialog import BaseDialog
from ui.dialogs.settings.encryption_panel import EncryptionPanel
from ui.theme import Theme

OTHER = "another fine phrase"


@pytest.fixture
def panel(
    qtbot: QtBot, host: Host, bridge: Bridge, look: Theme, rest: Rest, qt_loop: asyncio.AbstractEventLoop
) -> Iterator[EncryptionPanel]:
    panel = EncryptionPanel(bridge)
    qtbot.addWidget(panel)
    panel.resize(760, 600)
    panel.show()
    panel.shown()
    rest(lambda: not bridge.is_busy)
    yield panel
    panel.hide()
    rest(lambda: not bridge.is_busy)


@pytest.fixture
def restarts(panel: EncryptionPanel) -> list[bool]:
    requested: list[bool] = []
    panel.restart_requested.connect(lambda: requested.append(True))
    return requested


@pytest.fixture
def encrypted(vault: Path) -> Iterator[Path]:
    VaultEncryption(vault).encrypt(PASSPHRASE)
    yield vault
    locked(vault)


def fill(panel: EncryptionPanel, new: str, again: str | None = None, *, understood: bool = True) -> None:
    panel.new.setText(new)
    panel.again.setText(new if again is None else again)
    panel.understood.setChecked(understood)


@needs_cipher
def test_it_is_encrypted_at_the_next_start(
    panel: EncryptionPanel, restarts: list[bool], host: Host, bridge: Bridge, rest: Rest
) -> None:
    assert "not encrypted" in panel.said.text()
    assert not panel.lock.isVisible()
    panel.encrypt.click()
    assert not panel.old.isVisible()
    assert _nameless(panel) == []
    for new, again, understood in (
        ("short", "short", True),
        (PASSPHRASE, OTHER, True),
        (PASSPHRASE, PASSPHRASE, False),
        (" " + PASSPHRASE, " " + PASSPHRASE, True),
        ("", "", True),
    ):
        fill(panel, new, again, understood=understood)
        assert not panel.confirm.isEnabled()
    fill(panel, PASSPHRASE)
    panel.confirm.click()
    rest(lambda: not bridge.is_busy)
    assert restarts == [True]
    assert not panel.card.isVisible()
    assert panel.new.text() == panel.again.text() == ""
    assert panel.restart.isVisible()
    found = read_key_file(host.vault)
    assert found is not None
    assert found.state is EncryptionState.ENCRYPTING
    locked(host.vault)


@needs_cipher
def test_it_is_called_off_without_the_passphrase(
    panel: EncryptionPanel, restarts: list[bool], host: Host, bridge: Bridge, rest: Rest
) -> None:
    host.ask("encryption.encrypt", passphrase=PASSPHRASE)
    rest(panel.cancel_pending.isVisible)
    panel.cancel_pending.click()
    rest(lambda: not bridge.is_busy)
    assert "not encrypted" in panel.said.text()
    assert not panel.card.isVisible()
    assert not panel.cancel_pending.isVisible()
    assert restarts == []
    assert read_key_file(host.vault) is None


@needs_cipher
@pytest.mark.usefixtures("encrypted")
class TestEncrypted:
    """A vault that was encrypted before the host opened it."""

    @pytest.fixture
    def host(self, encrypted: Path) -> Iterator[Host]:
        running = Host(encrypted)
        running.start()
        yield running
        running.stop()

    def test_the_passphrase_changes_at_once(
        self, panel: EncryptionPanel, restarts: list[bool], host: Host, bridge: Bridge, rest: Rest
    ) -> None:
        assert panel.lock.isVisible()
        panel.change.click()
        panel.old.setText("wrong horse battery")
        fill(panel, OTHER)
        panel.confirm.click()
        rest(lambda: not bridge.is_busy)
        assert "not the passphrase" in panel.error.text()
        assert panel.card.isVisible()
        panel.old.setText(PASSPHRASE)
        panel.confirm.click()
        rest(lambda: not bridge.is_busy)
        assert not panel.error.isVisible()
        assert not panel.card.isVisible()
        assert restarts == []
        VaultEncryption(host.vault).unlock(OTHER)

    def test_decrypting_restarts(
        self, panel: EncryptionPanel, restarts: list[bool], host: Host, bridge: Bridge, rest: Rest
    ) -> None:
        panel.decrypt.click()
        assert not panel.new.isVisible()
        panel.cancel.click()
        assert not panel.card.isVisible()
        panel.decrypt.click()
        panel.old.setText(PASSPHRASE)
        panel.confirm.click()
        rest(lambda: not bridge.is_busy)
        assert restarts == [True]
        assert "decrypted when" in panel.said.text()
        found = read_key_file(host.vault)
        assert found is not None
        assert found.state is EncryptionState.DECRYPTING

    def test_the_keyring_is_asked_for_with_the_passphrase(
        self, panel: EncryptionPanel, bridge: Bridge, rest: Rest, memory_keyring: MemoryKeyring
    ) -> None:
        panel.keyring.click()
        assert not panel.keyring.isChecked()
        panel.old.setText(PASSPHRASE)
        panel.confirm.click()
        rest(lambda: not bridge.is_busy)
        assert panel.keyring.isChecked()
        assert len(memory_keyring.kept) == 1
        panel.keyring.click()
        rest(lambda: not bridge.is_busy)
        assert not panel.keyring.isChecked()
        assert memory_keyring.kept == {}


def test_without_ciphers_it_says_so(panel: EncryptionPanel, host: Host) -> None:
    assert panel.status is not None
    if panel.status.is_available:
        pytest.skip("this SQLite can encrypt")
    assert "cannot encrypt" in panel.said.text()
    assert not panel.encrypt.isVisible()
    assert not (host.vault / KEY_FILE).exists()


@needs_cipher
def test_escape_closes_the_form_and_not_the_settings(
    qtbot: QtBot, host: Host, bridge: Bridge, look: Theme, rest: Rest
) -> None:
    sheet = BaseDialog("Settings")
    panel = EncryptionPanel(bridge, sheet)
    sheet.body.addWidget(panel)
    qtbot.addWidget(sheet)
    sheet.show()
    panel.shown()
    rest(panel.encrypt.isVisible)
    for part in ("new", "again", "understood"):
        panel.encrypt.click()
        panel.new.setText("correct horse")
        qtbot.keyClick(getattr(panel, part), Qt.Key.Key_Escape)
        assert sheet.isVisible()
        assert not panel.card.isVisible()
        assert panel.new.text() == ""
        assert panel.encrypt.hasFocus()
    qtbot.keyClick(panel.encrypt, Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    rest(lambda: not bridge.is_busy)
