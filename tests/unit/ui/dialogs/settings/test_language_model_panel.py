"""The language model's key, test and spending."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.chat_server import ChatServer
from tests.unit.ui.conftest import Rest
from tests.unit.ui.fake_backend import FakeBackend
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.dialogs.models.key_field import KeyField
from ui.dialogs.settings.language_model_panel import LanguageModelPanel
from ui.theme import Theme


@pytest.fixture
def panel(qtbot: QtBot, host: Host, bridge: Bridge, look: Theme, rest: Rest) -> Iterator[LanguageModelPanel]:
    made = LanguageModelPanel(bridge)
    qtbot.addWidget(made)
    made.resize(760, 600)
    made.show()
    made.shown()
    rest(lambda: not bridge.is_busy)
    yield made
    made.hide()
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
    qtbot: QtBot, fake_bridge: Bridge, backend: FakeBackend, rest: Rest
) -> None:
    field = KeyField(fake_bridge, only="llm")
    qtbot.addWidget(field)
    field.show()
    assert not field._service.isVisible()
    field.ask()
    rest(lambda: bool(backend.requested("secret.status")))
    rest(field._line.isEnabled)
    field._line.setText("sk-secret")
    field._keep.click()
    rest(lambda: backend.keys == {"llm": "sk-secret"})
    assert field._line.text() == ""
    field.hide()
