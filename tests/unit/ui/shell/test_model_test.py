"""The language model is tested from the palette."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.models.chat_server import ChatServer
from tests.unit.ui.conftest import Rest
from ui.actions import Actions
from ui.bridge import Bridge
from ui.process.error_reporter import ErrorReporter
from ui.window import Window
from ui.window_state import WindowState


@pytest.fixture
def shown(qtbot: QtBot, bridge: Bridge, look: object, tmp_path: Path, rest: Rest) -> Window:
    window = Window(Actions(), WindowState(tmp_path), ErrorReporter())
    qtbot.addWidget(window)
    window.show()
    window.attach(bridge)
    rest(lambda: not bridge.is_busy)
    return window


def _notice_text(window: Window, rest: Rest) -> str:
    assert window.registry.run("file.test_model")
    rest(lambda: bool(window.toaster._toasts))
    text = window.toaster._toasts[-1].notice.text
    window.toaster._toasts[-1].dismiss()
    return text


def test_without_a_model_the_setting_is_named(shown: Window, rest: Rest, bridge: Bridge) -> None:
    assert "llm." in _notice_text(shown, rest)
    shown.shut_down()
    rest(lambda: not bridge.is_busy)


def test_a_model_that_answers_is_timed(shown: Window, host: Host, rest: Rest, bridge: Bridge) -> None:
    with ChatServer() as server:
        host.ask("settings.set", name="llm.base_url", value=server.address)
        host.ask("settings.set", name="llm.model", value="small")
        host.ask("settings.set", name="llm.provider", value="openai-compatible")
        assert "small answered in" in _notice_text(shown, rest)
    shown.shut_down()
    rest(lambda: not bridge.is_busy)
