"""The key of a service in the settings: unseen, kept, removed; what is said where there is no keyring."""

from collections.abc import Iterator
from functools import partial

import pytest
from keyring.errors import KeyringLocked
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.keyrings import MemoryKeyring
from tests.helpers.screen_reader import is_offered, named, press, words
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from ui.bridge import Bridge
from ui.dialogs.models.key_field import KeyField
from ui.dialogs.settings.search_panel import SearchPanel
from ui.dialogs.settings.settings import SettingsDialog

KEY = "sk-very-secret"


@pytest.fixture
def field(qtbot: QtBot, bridge: Bridge) -> Iterator[KeyField]:
    field = KeyField(bridge)
    qtbot.addWidget(field)
    field.show()
    yield field
    field.hide()


def choose(field: KeyField, service: str = "openai") -> QLineEdit:
    """Choose a service, and return the field of its key."""
    services = named(field, QComboBox, "Service of the key")
    services.setCurrentIndex(services.findData(service))
    return named(field, QLineEdit, "Key of a remote service")


def test_nothing_is_asked_before_a_service_is_chosen(
    field: KeyField, connection: WatchedConnection, host: Host, rest: Rest, memory_keyring: MemoryKeyring
) -> None:
    assert connection.calls == []
    assert "never in the settings" in words(field)
    assert not is_offered(field, "Keep")
    choose(field)
    rest(lambda: "no key yet" in words(field))
    assert connection.calls == [("secret.status", {"name": "openai"})]
    place = host.ask("secret.status", name="openai").keyring
    assert f"There is no key yet. It will be kept in {place}." in words(field)
    assert not is_offered(field, "Remove")


def test_a_key_is_typed_unseen_and_kept(
    field: KeyField, connection: WatchedConnection, rest: Rest, qtbot: QtBot, memory_keyring: MemoryKeyring
) -> None:
    line = choose(field)
    assert line.echoMode() == QLineEdit.EchoMode.Password
    rest(line.isEnabled)
    qtbot.keyClicks(line, KEY)
    field.follow("openai:m")  # an answer that comes late takes nothing of what is typed
    rest(lambda: len(connection.requested("secret.status")) == 2)
    press(field, "Keep")
    assert line.text() == ""
    assert not line.isUndoAvailable()
    rest(lambda: "A key is kept in" in words(field))
    assert list(memory_keyring.kept.values()) == [KEY]
    press(field, "Remove")
    rest(lambda: "no key yet" in words(field))
    assert memory_keyring.kept == {}


def test_a_machine_without_a_keyring_says_so(field: KeyField, host: Host, rest: Rest) -> None:
    line = choose(field)
    note = host.ask("secret.status", name="openai").note
    assert note
    rest(lambda: note in words(field))
    assert not line.isEnabled()


def test_a_refusal_is_said(field: KeyField, rest: Rest, qtbot: QtBot, memory_keyring: MemoryKeyring) -> None:
    line = choose(field)
    rest(line.isEnabled)
    memory_keyring.fault = KeyringLocked("It stayed locked.")
    qtbot.keyClicks(line, KEY)
    qtbot.keyClick(line, Qt.Key.Key_Return)
    rest(lambda: "locked" in words(field))
    assert memory_keyring.kept == {}


def test_what_was_typed_is_forgotten(field: KeyField, rest: Rest, qtbot: QtBot, memory_keyring: MemoryKeyring) -> None:
    for leave in (field.hide, lambda: choose(field, "voyage")):
        field.show()
        line = choose(field)
        rest(line.isEnabled)
        qtbot.keyClicks(line, KEY)
        leave()
        assert line.text() == ""


def test_the_settings_show_the_key_of_the_service_in_use(
    qtbot: QtBot, bridge: Bridge, connection: WatchedConnection, rest: Rest, memory_keyring: MemoryKeyring
) -> None:
    sheet = SettingsDialog(bridge, panels={"search": partial(SearchPanel, bridge)})
    qtbot.addWidget(sheet)
    sheet.bring_to_front()
    rest(lambda: sheet.is_built)
    panel = next(section.panel for section in sheet._sections if section.spec.id == "search")
    assert isinstance(panel, SearchPanel)
    assert connection.requested("secret.status") == []
    editor = sheet._fields["embedding.model"].editor
    assert isinstance(editor, QLineEdit)
    editor.setText("cohere:embed-v4.0")
    editor.editingFinished.emit()
    rest(lambda: bool(connection.requested("secret.status")))
    assert panel.keys.service == "cohere"
    qtbot.keyClicks(named(sheet, QLineEdit, "Search settings"), "keyring cohere")
    rest(lambda: panel.isVisibleTo(sheet))
    assert [name for name, item in sheet._fields.items() if item.isVisibleTo(sheet)] == []
    rest(lambda: not bridge.is_busy)
    sheet.hide()
