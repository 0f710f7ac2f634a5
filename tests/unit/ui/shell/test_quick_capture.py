"""Quick capture keeps every word."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.errors import DiskFullError
from app.host import Host
from tests.helpers.screen_reader import named, words
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from ui.bridge import Bridge
from ui.shell.quick_capture import QuickCapture, title_of
from ui.window_state import WindowState


def words_of(capture: QuickCapture) -> QPlainTextEdit:
    return named(capture, QPlainTextEdit, "What to remember")


@pytest.fixture
def capture(qtbot: QtBot, bridge: Bridge, tmp_path: Path) -> Iterator[QuickCapture]:
    capture = QuickCapture(WindowState(tmp_path))
    capture.set_bridge(bridge)
    qtbot.addWidget(capture)
    capture.bring_to_front()
    yield capture
    capture.hide()


def test_enter_saves_and_hides(capture: QuickCapture, host: Host, qtbot: QtBot, rest: Rest) -> None:
    reported: list[Any] = []
    capture.saved.connect(reported.append)
    qtbot.keyClicks(words_of(capture), "Plant the rose")
    qtbot.keyClick(words_of(capture), Qt.Key.Key_Return)
    rest(lambda: bool(reported))
    [note] = host.ask("note.list")
    assert host.ask("note.get", id=note.id).content == "Plant the rose"
    assert capture.text == ""
    assert not capture.isVisible()
    host.ask("memory.undo", history_ids=list(reported[0].history_ids))
    assert host.ask("note.list") == []


@pytest.mark.parametrize("key", [Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier])
def test_new_line_does_not_save(
    capture: QuickCapture, connection: WatchedConnection, qtbot: QtBot, key: Qt.KeyboardModifier
) -> None:
    qtbot.keyClicks(words_of(capture), "a")
    qtbot.keyClick(words_of(capture), Qt.Key.Key_Return, key)
    qtbot.keyClicks(words_of(capture), "b")
    assert capture.text == "a\nb"
    assert connection.requested("note.save") == []


def test_escape_keeps_the_words_over_a_restart(capture: QuickCapture, qtbot: QtBot, tmp_path: Path) -> None:
    qtbot.keyClicks(words_of(capture), "half a thought")
    qtbot.keyClick(words_of(capture), Qt.Key.Key_Escape)
    assert not capture.isVisible()
    capture.bring_to_front("more")
    assert capture.text == "half a thought\nmore"
    again = QuickCapture(WindowState(tmp_path))
    qtbot.addWidget(again)
    assert again.text == "half a thought"


def test_failure_is_told_and_keeps_the_words(
    capture: QuickCapture, connection: WatchedConnection, qtbot: QtBot, rest: Rest
) -> None:
    connection.refused["note.save"] = DiskFullError("The disk is full.")
    qtbot.keyClicks(words_of(capture), "important")
    qtbot.keyClick(words_of(capture), Qt.Key.Key_Return)
    rest(lambda: "The disk is full." in words(capture))
    assert capture.text == "important"
    assert named(capture, QPushButton, "Save").isEnabled()


def test_nothing_typed_saves_nothing(capture: QuickCapture, connection: WatchedConnection, qtbot: QtBot) -> None:
    qtbot.keyClicks(words_of(capture), "   ")
    qtbot.keyClick(words_of(capture), Qt.Key.Key_Return)
    assert connection.requested("note.save") == []
    assert not named(capture, QPushButton, "Save").isEnabled()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("one line", ""),
        ("# Roses\n\nred and white", "Roses"),
        ("Roses\nred", "Roses"),
        ("x" * 200 + "\nmore", ""),
        ("", ""),
        ("\n\nfirst\nsecond", "first"),
    ],
)
def test_title_of(text: str, title: str) -> None:
    assert title_of(text) == title
