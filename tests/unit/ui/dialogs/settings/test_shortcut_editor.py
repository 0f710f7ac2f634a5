"""Keys are changed by pressing them; what they did before is said and taken away."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.config.model import SettingValue
from app.errors import InputError
from app.host import Host
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from ui.actions import Action, Actions
from ui.bridge import Bridge
from ui.dialogs.settings.key_capture import needs_modifier
from ui.dialogs.settings.shortcut_editor import ShortcutEditor
from ui.style.own_keys import read_keys


@pytest.fixture
def actions() -> Actions:
    actions = Actions()
    actions.register(
        Action("file.import", "Import…", dir, shortcut="Ctrl+I", group="file"),
        Action("file.none", "No key", dir, group="file"),
        Action("notes.new", "New note", dir, shortcut="Ctrl+N", group="notes"),
    )
    return actions


@pytest.fixture
def editor(qtbot: QtBot, bridge: Bridge, actions: Actions) -> Iterator[ShortcutEditor]:
    editor = ShortcutEditor(bridge, actions)

    def obey(stored: SettingValue) -> None:
        actions.set_own_keys(read_keys(str(stored.value)))

    editor.stored.connect(obey)
    qtbot.addWidget(editor)
    editor.resize(700, 700)
    editor.show()
    editor.shown()
    yield editor
    editor.hide()


def choose(editor: ShortcutEditor, title: str) -> None:
    [item] = editor.tree.findItems(title, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    editor.tree.setCurrentItem(item)


def press(editor: ShortcutEditor, keys: str) -> None:
    editor.capture.setKeySequence(QKeySequence(keys))


def test_every_action_is_listed_also_without_keys(editor: ShortcutEditor) -> None:
    titles = [
        editor.tree.topLevelItem(group).child(row).text(0)
        for group in range(editor.tree.topLevelItemCount())
        for row in range(editor.tree.topLevelItem(group).childCount())
    ]
    assert titles == ["Import", "No key", "New note"]
    assert not editor.use.isEnabled()


@pytest.mark.parametrize("keys", ["A", "Shift+A", "Space", "Return", "Tab", "Left", "5"])
def test_keys_that_type_are_refused_with_the_reason(editor: ShortcutEditor, keys: str) -> None:
    choose(editor, "Import")
    press(editor, keys)
    assert needs_modifier(QKeySequence(keys))
    assert not editor.use.isEnabled()
    assert "Hold Ctrl or Alt" in editor.clash.text()


@pytest.mark.parametrize("keys", ["F9", "Ctrl+A", "Alt+Left", "Delete", "Ctrl+Shift+5"])
def test_other_keys_can_be_used(keys: str) -> None:
    assert not needs_modifier(QKeySequence(keys))


def test_new_keys_apply_at_once_and_are_stored(
    editor: ShortcutEditor, actions: Actions, host: Host, rest: Rest
) -> None:
    choose(editor, "No key")
    press(editor, "Ctrl+Alt+X")
    assert not editor.clash.isVisible()
    editor.use.click()
    rest(lambda: actions.find("file.none").keys == "Ctrl+Alt+X")
    [kept] = [setting.value for setting in host.ask("settings.list") if setting.name == "window.shortcuts"]
    assert read_keys(str(kept)) == {"file.none": "Ctrl+Alt+X"}
    assert actions.qaction("file.none").shortcut() == QKeySequence("Ctrl+Alt+X")


def test_keys_in_use_are_named_and_taken_away_there(editor: ShortcutEditor, actions: Actions, rest: Rest) -> None:
    choose(editor, "Import")
    press(editor, "Ctrl+N")
    assert "‘New note’" in editor.clash.text()
    editor.use.click()
    rest(lambda: actions.find("file.import").keys == "Ctrl+N")
    assert actions.find("notes.new").keys == ""
    choose(editor, "New note")
    assert editor.reset.isEnabled()
    editor.reset_all.click()
    rest(lambda: actions.find("notes.new").keys == "Ctrl+N")
    assert actions.find("file.import").keys == "Ctrl+I"
    assert actions.own_keys == {}
    assert not editor.reset_all.isEnabled()


def test_one_is_reset_alone(editor: ShortcutEditor, actions: Actions, rest: Rest) -> None:
    for title, keys in (("Import", "F9"), ("New note", "F10")):
        choose(editor, title)
        press(editor, keys)
        editor.use.click()
        rest(lambda keys=keys: keys in actions.own_keys.values())
    choose(editor, "Import")
    editor.reset.click()
    rest(lambda: actions.own_keys == {"notes.new": "F10"})
    editor.none.click()
    rest(lambda: actions.own_keys == {"notes.new": "F10", "file.import": ""})


def test_pressed_keys_stay_when_the_list_changes(editor: ShortcutEditor, actions: Actions) -> None:
    choose(editor, "Import")
    press(editor, "Ctrl+Alt+X")
    actions.retitle("notes.new", "New memory")
    assert editor.capture.keySequence() == QKeySequence("Ctrl+Alt+X")
    assert editor.use.isEnabled()


def test_a_refusal_is_said(editor: ShortcutEditor, connection: WatchedConnection, actions: Actions, rest: Rest) -> None:
    connection.refused["settings.set"] = InputError("The settings cannot be written.")
    choose(editor, "Import")
    press(editor, "F9")
    editor.use.click()
    rest(editor.error.isVisible)
    assert editor.error.text() == "The settings cannot be written."
    assert actions.find("file.import").keys == "Ctrl+I"


def test_nobody_is_caught_in_the_field(editor: ShortcutEditor, qtbot: QtBot) -> None:
    choose(editor, "Import")
    editor.activateWindow()
    editor.capture.setFocus()
    QTest.keyClick(editor.capture, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is editor.tree
    editor.capture.setFocus()
    QTest.keyClick(editor.capture, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() not in (editor.capture, *editor.capture.children())
    assert editor.capture.keySequence().isEmpty()
