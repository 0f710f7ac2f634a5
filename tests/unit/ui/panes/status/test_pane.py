"""The Status pane over a real vault: what it says, and its actions."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.pane import Place
from ui.panes.status.pane import StatusPane

if TYPE_CHECKING:
    from ui.notice import Notice


@pytest.fixture
def pane(qtbot: QtBot, host: Host, bridge: Bridge, look: object, rest: Rest) -> Iterator[StatusPane]:
    """Return the pane, in front."""
    actions = Actions()
    pane = StatusPane(bridge, actions)
    actions.setParent(pane)
    actions.register(*pane.commands())
    actions.set_pane("status")
    bridge.changed.connect(pane.refresh)
    qtbot.addWidget(pane)
    pane.resize(1000, 800)
    pane.show()
    pane.shown()
    rest(lambda: bool(pane.rows) and not bridge.is_busy)
    yield pane
    rest(lambda: not bridge.is_busy)


def press(pane: StatusPane, qtbot: QtBot, key: str) -> None:
    qtbot.mouseClick(pane.rows[key].button, Qt.MouseButton.LeftButton)


def test_a_backup_is_made_and_read_back(pane: StatusPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot) -> None:
    assert not pane.rows["verified"].button.isEnabled()
    press(pane, qtbot, "backup")
    assert not pane.rows["backup"].button.isEnabled()
    rest(lambda: "It is the only one" in pane.rows["backup"].text and not bridge.is_busy)
    press(pane, qtbot, "verified")
    rest(lambda: "is whole" in pane.rows["verified"].text and not bridge.is_busy)
    assert len(host.ask("backup.list")) == 1


def test_a_check_is_told(pane: StatusPane, bridge: Bridge, rest: Rest, qtbot: QtBot) -> None:
    press(pane, qtbot, "check")
    rest(lambda: "is sound" in pane.rows["check"].text and not bridge.is_busy)
    assert pane._about.text() == "Nothing needs you now, but there is no backup yet."
    press(pane, qtbot, "backup")
    rest(lambda: "All is well" in pane._about.text() and not bridge.is_busy)


def test_what_is_found_in_the_content_is_told(
    pane: StatusPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    assert "changes nothing" in pane.rows["content"].text
    press(pane, qtbot, "content")
    rest(lambda: pane.rows["content"].text == "Nothing stands out." and not bridge.is_busy)
    host.ask("note.save", title="Router", content="password: Xk29-vbQ7-tesselate")
    press(pane, qtbot, "content")
    rest(lambda: "1 memory or message has a password" in pane.rows["content"].text and not bridge.is_busy)
    assert "One thing needs a look" in pane._about.text()


def test_a_failure_is_told_and_the_action_can_be_repeated(
    pane: StatusPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    notices: list[Notice] = []
    pane.notice.connect(notices.append)
    backup = host.ask("backup.now")
    rest(lambda: pane.rows["verified"].button.isEnabled() and not bridge.is_busy)
    (host.vault / "backups" / backup.name).unlink()
    press(pane, qtbot, "verified")
    rest(lambda: bool(notices) and not bridge.is_busy)
    assert notices[0].kind == "error"


def test_a_change_elsewhere_is_shown(pane: StatusPane, host: Host, bridge: Bridge, rest: Rest) -> None:
    host.ask("agent.request_access", name="newcomer")
    rest(lambda: "waits to be let in" in pane.rows["agents"].text and not bridge.is_busy)
    assert "One thing needs a look" in pane._about.text()


def test_agents_open_their_pane(pane: StatusPane, qtbot: QtBot) -> None:
    places: list[Place] = []
    pane.navigate.connect(places.append)
    press(pane, qtbot, "agents")
    assert places == [Place("agents")]


def test_everything_has_a_name_and_the_keyboard_reaches_it(pane: StatusPane, qtbot: QtBot) -> None:
    assert _nameless(pane) == []
    pane.focus_first()
    first = pane.focusWidget()
    assert first is pane.rows["network"].button
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    assert pane.focusWidget() is pane.rows["services"].button
