"""The key of a service in the settings: unseen, kept, removed; what is said where there is no keyring."""

from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.errors import KeyringUnavailableError
from tests.unit.ui.conftest import Rest
from tests.unit.ui.fake_backend import FakeBackend
from ui.bridge import Bridge
from ui.dialogs.models.key_field import KeyField
from ui.dialogs.settings.search_panel import SearchPanel
from ui.dialogs.settings.settings import SettingsDialog

KEY = "sk-very-secret"


@pytest.fixture
def field(qtbot: QtBot, fake_bridge: Bridge) -> Iterator[KeyField]:
    made = KeyField(fake_bridge)
    qtbot.addWidget(made)
    made.show()
    yield made
    made.hide()


def chosen(field: KeyField, service: str = "openai") -> None:
    field._service.setCurrentIndex(field._service.findData(service))


def test_nothing_is_asked_before_a_service_is_chosen(field: KeyField, backend: FakeBackend, rest: Rest) -> None:
    assert backend.calls == []
    assert "never in the settings" in field._about.text()
    assert not field._line.isVisible()
    chosen(field)
    rest(lambda: "no key yet" in field._about.text())
    assert backend.calls == [("secret.status", {"name": "openai"})]
    assert field._about.text() == "There is no key yet. It will be kept in the test's keyring."
    assert not field._remove.isVisible()


def test_a_key_is_typed_unseen_and_kept(field: KeyField, backend: FakeBackend, rest: Rest, qtbot: QtBot) -> None:
    assert field._line.echoMode() == QLineEdit.EchoMode.Password
    chosen(field)
    rest(field._line.isEnabled)
    assert not field._keep.isEnabled()
    qtbot.keyClicks(field._line, KEY)
    field.follow("openai:m")  # an answer that comes late takes nothing of what is typed
    rest(lambda: len(backend.requested("secret.status")) == 2)
    qtbot.mouseClick(field._keep, Qt.MouseButton.LeftButton)
    assert field._line.text() == ""
    assert not field._line.isUndoAvailable()
    rest(lambda: field._about.text() == "A key is kept in the test's keyring.")
    assert backend.keys == {"openai": KEY}
    field._remove.click()
    rest(lambda: "no key yet" in field._about.text())
    assert backend.keys == {}


def test_a_machine_without_a_keyring_says_so(field: KeyField, backend: FakeBackend, rest: Rest) -> None:
    backend.keyring = ""
    chosen(field)
    rest(lambda: "has no keyring" in field._about.text())
    assert not field._line.isEnabled()
    assert not field._keep.isEnabled()


def test_a_refusal_is_said(field: KeyField, backend: FakeBackend, rest: Rest, qtbot: QtBot) -> None:
    chosen(field)
    rest(field._line.isEnabled)
    backend.refuse["secret.set"] = KeyringUnavailableError("It stayed locked.")
    qtbot.keyClicks(field._line, KEY)
    qtbot.keyClick(field._line, Qt.Key.Key_Return)
    rest(lambda: field._about.text() == "It stayed locked.")
    assert backend.keys == {}


def test_what_was_typed_is_forgotten(field: KeyField, rest: Rest, qtbot: QtBot) -> None:
    for leave in (field.hide, lambda: chosen(field, "voyage")):
        field.show()
        chosen(field)
        rest(field._line.isEnabled)
        qtbot.keyClicks(field._line, KEY)
        leave()
        assert field._line.text() == ""


def test_the_settings_show_the_key_of_the_service_in_use(
    qtbot: QtBot, fake_bridge: Bridge, backend: FakeBackend, rest: Rest
) -> None:
    sheet = SettingsDialog(fake_bridge, panels={"search": partial(SearchPanel, fake_bridge)})
    qtbot.addWidget(sheet)
    sheet.bring_to_front()
    rest(lambda: sheet.is_built)
    panel = next(section.panel for section in sheet._sections if section.spec.id == "search")
    assert isinstance(panel, SearchPanel)
    assert backend.requested("secret.status") == []
    editor = sheet._fields["embedding.model"].editor
    assert isinstance(editor, QLineEdit)
    editor.setText("cohere:embed-v4.0")
    editor.editingFinished.emit()
    rest(lambda: bool(backend.requested("secret.status")))
    assert panel.keys.service == "cohere"
    qtbot.keyClicks(sheet._search, "keyring cohere")
    rest(lambda: panel.isVisibleTo(sheet))
    assert [name for name, item in sheet._fields.items() if item.isVisibleTo(sheet)] == []
    sheet.hide()
