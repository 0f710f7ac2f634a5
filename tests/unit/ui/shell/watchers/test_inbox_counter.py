"""The badge of the inbox counts what waits."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.api.caller import Caller
from app.host import Host
from tests.unit.ui.conftest import Rest
from ui.actions import Actions
from ui.bridge import Bridge
from ui.process.error_reporter import ErrorReporter
from ui.window import Window
from ui.window_state import WindowState


def test_the_inbox_button_says_how_much_waits(
    qtbot: QtBot, host: Host, bridge: Bridge, look: object, tmp_path: Path, rest: Rest
) -> None:
    host.ask("agent.add", name="scout", trust="full", review=True)
    scout = Caller("scout", "full", review=True)
    host.call("note.save", {"title": "One", "content": "1"}, scout).result()
    window = Window(Actions(), WindowState(tmp_path), ErrorReporter())
    qtbot.addWidget(window)
    window.show()
    window.attach(bridge)
    button = window.sidebar._buttons["inbox"]
    rest(lambda: button.text() == "Inbox 1")
    assert button.accessibleName() == "Inbox: 1 waiting"
    host.ask("inbox.reject", id=host.ask("inbox.list")[0].id)
    rest(lambda: button.text() == "Inbox")
    assert button.accessibleName() == "Inbox"
    window.shut_down()
    rest(lambda: not bridge.is_busy)
