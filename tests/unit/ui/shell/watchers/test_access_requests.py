"""A program asks for access; the person allows or refuses it in the window, over a real vault."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.agents.model import AccessRequest
from app.api.authentication import unknown_caller
from app.host import Host
from tests.unit.ui.conftest import Rest
from ui import theme
from ui.bridge import Bridge
from ui.notice import Notice
from ui.shell.watchers.access_requests import AccessRequests
from ui.tray import Tray
from ui.widgets.notices.access_bar import AccessBar
from ui.window import Window


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


@pytest.fixture
def bar(
    host: Host, qtbot: QtBot, qt_loop: asyncio.AbstractEventLoop, look: theme.Theme, notices: list[Notice]
) -> Iterator[AccessBar]:
    """Return a bar whose requests come from a real vault."""
    bridge = Bridge(host)
    bar = AccessBar()
    qtbot.addWidget(bar)
    requests = AccessRequests(bridge, bar)
    requests.changed.connect(bar.show_requests)
    requests.notice.connect(notices.append)
    bar.allowed.connect(requests.allow)
    bar.refused.connect(requests.refuse)
    yield bar
    qt_loop.run_until_complete(bridge.close())


@pytest.fixture
def notices() -> list[Notice]:
    return []


def ask(host: Host, name: str, trust: str = "inner", reason: str = "") -> None:
    arguments = {"name": name, "trust": trust, "reason": reason}
    host.call("agent.request_access", arguments, unknown_caller(name, name)).result()


def test_who_has_access_and_asks_for_a_new_token_keeps_what_it_may_do(
    bar: AccessBar, host: Host, qtbot: QtBot, rest: Rest
) -> None:
    first = host.ask("agent.add", name="scout", trust="inner", review=True)
    ask(host, "scout", "full")
    rest(lambda: not bar.isHidden())
    assert "Is this the same program?" in bar.text
    assert not any(box.isVisibleTo(bar) for box in bar.findChildren(QComboBox))
    qtbot.mouseClick(bar.allow_button, Qt.MouseButton.LeftButton)
    rest(bar.isHidden)
    (agent,) = host.ask("agent.list")
    assert (agent.trust, agent.review, agent.revoked_at) == ("inner", True, None)
    assert host.authenticate(first.token, "scout", "1").state == "unknown"


def test_a_program_is_allowed_with_the_chosen_trust(bar: AccessBar, host: Host, qtbot: QtBot, rest: Rest) -> None:
    ask(host, "scout", "full", "to help <b>you</b>")
    rest(lambda: not bar.isHidden())
    assert "“scout” asks for access" in bar.text
    assert bar.trust == "familiar"  # never full by a mere click
    qtbot.mouseClick(bar.allow_button, Qt.MouseButton.LeftButton)
    rest(bar.isHidden)
    (agent,) = host.ask("agent.list")
    assert (agent.name, agent.trust, agent.review) == ("scout", "familiar", False)


def test_a_program_is_refused(bar: AccessBar, host: Host, qtbot: QtBot, rest: Rest, notices: list[Notice]) -> None:
    ask(host, "one")
    ask(host, "two")
    rest(lambda: "1 more" in bar.text)
    assert "“one”" in bar.text
    qtbot.mouseClick(bar.refuse_button, Qt.MouseButton.LeftButton)
    rest(lambda: "“two”" in bar.text)
    assert [request.name for request in host.ask("agent.requests")] == ["two"]
    assert notices[-1].text == "Refused one"


def test_a_request_that_was_decided_elsewhere_is_said(
    bar: AccessBar, host: Host, rest: Rest, notices: list[Notice]
) -> None:
    ask(host, "scout")
    rest(lambda: not bar.isHidden())
    (request,) = host.ask("agent.requests")
    host.ask("agent.allow", request="scout")
    rest(bar.isHidden)
    bar.allowed.emit(request, "full", False)
    rest(lambda: bool(notices))
    assert "decided already" in notices[-1].text
    assert host.ask("agent.list")[0].trust == "inner"


def test_the_window_and_the_tray_show_who_asks(window: Window, look: theme.Theme, qtbot: QtBot) -> None:
    request = AccessRequest("agt-1", "A&B " + "x" * 90, "", "familiar", "", datetime(2026, 3, 1, 9, tzinfo=UTC))
    icon = Tray(window.registry, window)
    try:
        window.access_bar.show_requests([request])
        assert window.access_bar.isVisible()
        assert window.access_bar.trust == "familiar"
        icon.set_requests([request])
        first, second = icon.agents.actions()
        assert first.text().startswith("Allow A&&B")
        with qtbot.waitSignal(icon.refused) as refused:
            second.trigger()
        assert refused.args == [request]
        icon.set_requests([])
        assert not icon.agents.menuAction().isVisible()
    finally:
        icon.dispose()
