"""Connecting programs in the Agents pane, over a real vault and a home of the test's own."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.engine import engine_of
from tests.helpers.screen_reader import words
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.agents.pane import AgentsPane

if TYPE_CHECKING:
    from ui.notice import Notice


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the configuration of Cursor in a home where nothing else is installed."""
    home = tmp_path / "home"
    (home / ".cursor").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    path = home / ".cursor" / "mcp.json"
    path.write_text('{"mcpServers": {}}\n')
    return path


@pytest.fixture
def notices() -> "list[Notice]":
    """Return what collects the notices of the pane."""
    return []


@pytest.fixture
def pane(
    qtbot: QtBot, config: Path, host: Host, bridge: Bridge, look: object, rest: Rest, notices: "list[Notice]"
) -> Iterator[AgentsPane]:
    """Return the pane with the form in front."""
    actions = Actions()
    pane = AgentsPane(bridge, actions)
    actions.setParent(pane)
    pane.notice.connect(notices.append)
    bridge.changed.connect(pane.refresh)
    qtbot.addWidget(pane)
    pane.resize(1200, 900)
    pane.show()
    pane.shown()
    rest(lambda: not bridge.is_busy)
    qtbot.mouseClick(pane.listing.connect_new, Qt.MouseButton.LeftButton)
    rest(lambda: "keepsake" in words(pane.connect_form) and not bridge.is_busy)
    yield pane
    rest(lambda: not bridge.is_busy)


def click(qtbot: QtBot, button: object) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_installed_program_comes_first_with_its_change(pane: AgentsPane, config: Path) -> None:
    form = pane.connect_form
    assert form.programs.current_id() == "cursor"
    card = form.model.card_of("cursor")
    assert card is not None
    assert [badge.text for badge in card.badges] == ["Installed"]
    assert str(config) in form._change.accessibleName()
    assert "keepsake" in form._change.accessibleName()
    assert config.read_text() == '{"mcpServers": {}}\n'
    QAbstractItemModelTester(form.model, QAbstractItemModelTester.FailureReportingMode.Fatal)


def test_it_is_written_waits_for_the_program_and_is_taken_back(
    pane: AgentsPane, config: Path, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    form = pane.connect_form
    form.trust.setCurrentIndex(1)
    click(qtbot, form.write)
    rest(lambda: form.done.isVisible() and not bridge.is_busy)
    token = json.loads(config.read_text())["mcpServers"]["keepsake"]["env"]["KEEPSAKE_TOKEN"]
    agent = host.ask("agent.list")[0]
    assert (agent.name, agent.trust, agent.review) == ("cursor", "familiar", False)
    assert "Waiting" in words(form)
    host.authenticate(token, "cursor", "1.0")
    engine_of(host).presence.joined(agent.id, "cursor", "cursor 1.0")
    rest(lambda: "all is set up" in words(form) and not bridge.is_busy)
    click(qtbot, form.done)
    rest(lambda: pane.page.unplug.isVisible() and not bridge.is_busy)
    click(qtbot, pane.page.unplug)
    rest(lambda: form.remove.isVisible() and not bridge.is_busy)
    click(qtbot, form.remove)
    rest(lambda: form.done.isVisible() and not bridge.is_busy)
    assert config.read_text() == '{"mcpServers": {}}\n'
    assert host.ask("agent.list")[0].revoked_at is not None


def test_a_change_meanwhile_is_refused_and_shown_anew(
    pane: AgentsPane, config: Path, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot, notices: "list[Notice]"
) -> None:
    config.write_text('{"mcpServers": {}, "mine": 1}\n')
    click(qtbot, pane.connect_form.write)
    rest(lambda: bool(notices) and not bridge.is_busy)
    assert "since it was shown" in notices[0].text
    assert host.ask("agent.list") == []
    click(qtbot, pane.connect_form.write)
    rest(lambda: pane.connect_form.done.isVisible() and not bridge.is_busy)
    assert json.loads(config.read_text())["mine"] == 1


def test_a_broken_configuration_is_told_instead(
    pane: AgentsPane, config: Path, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    config.write_text('{"mcpServers": ')
    click(qtbot, pane.connect_form.cancel)
    click(qtbot, pane.listing.connect_new)
    rest(lambda: "mcp.json cannot be read" in words(pane.connect_form) and not bridge.is_busy)
    assert not pane.connect_form.write.isVisible()


def test_a_taken_name_gets_a_number(pane: AgentsPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot) -> None:
    host.ask("agent.add", name="cursor")
    rest(lambda: len(pane.listing.agents) == 1 and not bridge.is_busy)
    click(qtbot, pane.connect_form.cancel)
    rest(lambda: not bridge.is_busy)
    click(qtbot, pane.listing.connect_new)
    rest(lambda: pane.connect_form.agent_name.text() == "cursor-2" and not bridge.is_busy)


def test_everything_that_takes_the_keyboard_has_a_name(pane: AgentsPane) -> None:
    assert _nameless(pane) == []


def test_escape_closes_the_form(pane: AgentsPane, qtbot: QtBot, bridge: Bridge, rest: Rest) -> None:
    form = pane.connect_form
    for field in (form.programs, form.trust, form.agent_name, form.write):
        assert form.isVisible()
        qtbot.keyClick(field, Qt.Key.Key_Escape)
        assert not form.isVisible()
        click(qtbot, pane.listing.connect_new)
        rest(lambda: form._preview is not None and not bridge.is_busy)
    pane.listing.new.click()
    qtbot.keyClick(pane.form.name, Qt.Key.Key_Escape)
    assert not pane.form.isVisible()
