"""The language model's key, test and spending."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.keyrings import MemoryKeyring
from tests.helpers.models.chat_server import ChatServer
from tests.helpers.screen_reader import is_offered, named, press
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.dialogs.models.key_field import KeyField
from ui.dialogs.settings.language_model_panel import LanguageModelPanel
from ui.theme import Theme


@pytest.fixture
def panel(qtbot: QtBot, host: Host, bridge: Bridge, look: Theme, rest: Rest) -> Iterator[LanguageModelPanel]:
    panel = LanguageModelPanel(bridge)
    qtbot.addWidget(panel)
    panel.resize(760, 600)
    panel.show()
    panel.shown()
    rest(lambda: not bridge.is_busy)
    yield panel
    panel.hide()
    rest(lambda: not bridge.is_busy)


def _settled(panel: LanguageModelPanel, bridge: Bridge, rest: Rest) -> None:
    panel.shown()
    rest(lambda: not bridge.is_busy)


def test_without_a_model_nothing_can_be_tested(panel: LanguageModelPanel) -> None:
    assert not panel.test.isEnabled()
    assert not panel.keys.isVisible()
    assert "Nothing is sent" in panel.sent.text()
    assert "no limit" in panel.spent.text()
    assert _nameless(panel) == []


def test_a_model_out_of_reach_says_why(panel: LanguageModelPanel, bridge: Bridge, host: Host, rest: Rest) -> None:
    for name, value in (("base_url", "http://127.0.0.1:9/v1"), ("model", "tiny"), ("attempts", 1)):
        host.ask("settings.set", name=f"llm.{name}", value=value)
    host.ask("settings.set", name="llm.provider", value="openai-compatible")
    _settled(panel, bridge, rest)
    panel.test.click()
    rest(lambda: not bridge.is_busy)
    assert "127.0.0.1" in panel.result.text()
    assert panel.result.property("tone") == "danger"
    assert panel.test.isEnabled()


def test_an_answer_and_what_it_cost(panel: LanguageModelPanel, bridge: Bridge, host: Host, rest: Rest) -> None:
    with ChatServer() as server:
        wanted = {"base_url": server.address, "model": "tiny", "monthly_cap": 5.0, "input_price": 10.0}
        for name, value in {**wanted, "provider": "openai-compatible"}.items():
            host.ask("settings.set", name=f"llm.{name}", value=value)
        _settled(panel, bridge, rest)
        panel.test.click()
        rest(lambda: not bridge.is_busy)
    assert panel.result.text().startswith("tiny answered in ")
    assert "of at most 5.00 spent" in panel.spent.text()
    assert panel.bar.isVisible()
    assert panel.usage.topLevelItem(0).text(0) == "test"
    assert _nameless(panel) == []


def test_the_key_of_the_one_service_needs_no_choice(
    qtbot: QtBot, bridge: Bridge, host: Host, memory_keyring: MemoryKeyring, rest: Rest
) -> None:
    host.ask("settings.set", name="llm.base_url", value="http://127.0.0.1:9/v1")
    field = KeyField(bridge, only="llm")
    qtbot.addWidget(field)
    field.show()
    assert not any(choice.isVisible() for choice in field.findChildren(QComboBox))
    field.ask()
    line = named(field, QLineEdit, "Key of the service")
    rest(line.isEnabled)
    line.setText("sk-secret")
    press(field, "Keep")
    rest(lambda: host.ask("secret.status", name="llm").is_kept)
    assert list(memory_keyring.kept.values()) == ["sk-secret"]
    assert line.text() == ""
    rest(lambda: is_offered(field, "Remove"))
    field.hide()
