"""The tabs of a conversation over a real vault: summary, scratchpad, and what an agent would be told."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.screen_reader import words
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.pane import Place
from ui.panes.sessions.conversation_tabs import AGENT, FACTS, MESSAGES, SCRATCHPAD, SUMMARY
from ui.panes.sessions.pane import SessionsPane


@pytest.fixture
def pane(qtbot: QtBot, host: Host, bridge: Bridge, look: object, rest: Rest) -> Iterator[SessionsPane]:
    """Return the pane with a conversation open."""
    texts = [f"My sister Anna moved to Bern with cat number {number}." for number in range(40)]
    host.ask("session.append", session="ses-1", messages=[{"role": "user", "content": text} for text in texts])
    actions = Actions()
    pane = SessionsPane(bridge, actions)
    actions.setParent(pane)
    actions.register(*pane.commands())
    actions.set_pane("sessions")
    bridge.changed.connect(pane.refresh)
    qtbot.addWidget(pane)
    pane.resize(1200, 800)
    pane.show()
    pane.shown()
    pane.open_place(Place("sessions", "ses-1"))
    rest(lambda: pane.current_place().id == "ses-1" and not bridge.is_busy)
    yield pane
    rest(lambda: not bridge.is_busy)


def _show(pane: SessionsPane, tab: int, bridge: Bridge, rest: Rest) -> None:
    pane.tabs.bar.setCurrentIndex(tab)
    rest(lambda: not bridge.is_busy)


def test_a_summary_is_made_edited_and_never_overwritten_unseen(
    pane: SessionsPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    _show(pane, SUMMARY, bridge, rest)
    page = pane.tabs.summary
    assert page.text.toPlainText() == ""
    qtbot.mouseClick(page.make, Qt.MouseButton.LeftButton)
    rest(lambda: bool(page.text.toPlainText()) and not bridge.is_busy)
    assert "Anna" in page.text.toPlainText()
    page.text.setPlainText("Anna moved, with many cats.")
    host.ask("session.summary.set", session="ses-1", summary="Theirs")
    rest(lambda: not bridge.is_busy)
    assert page.text.toPlainText() == "Anna moved, with many cats.", "what is typed stays"
    qtbot.mouseClick(page.save, Qt.MouseButton.LeftButton)
    rest(lambda: "Somebody else" in page.about and not bridge.is_busy)
    assert page.text.toPlainText() == "Theirs"
    page.text.setPlainText("Mine")
    qtbot.mouseClick(page.save, Qt.MouseButton.LeftButton)
    rest(lambda: host.ask("session.summary.get", session="ses-1").summary == "Mine" and not bridge.is_busy)


def test_facts_are_drawn_on_request(pane: SessionsPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot) -> None:
    _show(pane, FACTS, bridge, rest)
    assert pane.tabs.facts.empty.isVisible()
    qtbot.mouseClick(pane.tabs.facts.empty.button, Qt.MouseButton.LeftButton)
    assert "Drawing" in words(pane.header)
    rest(lambda: bool(pane.tabs.facts.cards) and "Drawing" not in words(pane.header) and not bridge.is_busy)
    drawn = {fact.id for fact in host.ask("fact.list", limit=200)}
    rest(lambda: {card.found.memory.id for card in pane.tabs.facts.cards} == drawn)
    assert "Drawing" not in words(pane.header)


def test_the_scratchpad_is_changed_within_its_limits(
    pane: SessionsPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    _show(pane, SCRATCHPAD, bridge, rest)
    page = pane.tabs.scratchpad
    page.text.setPlainText("buy seeds\n\n  water them ")
    qtbot.mouseClick(page.save, Qt.MouseButton.LeftButton)
    rest(lambda: not page.save.isEnabled() and not bridge.is_busy)
    assert host.ask("session.scratchpad.read", session="ses-1").items == ("buy seeds", "water them")
    page.text.setPlainText("x" * 241)
    assert not page.save.isEnabled()
    page.text.setPlainText("\n".join(map(str, range(33))))
    assert not page.save.isEnabled()
    qtbot.mouseClick(page.clear, Qt.MouseButton.LeftButton)
    rest(lambda: host.ask("session.scratchpad.read", session="ses-1").items == () and not bridge.is_busy)


def test_what_an_agent_would_be_told_has_a_meter(
    pane: SessionsPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    host.ask("fact.remember", content="Anna is allergic to hazelnuts.")
    host.ask("vault.settle")
    _show(pane, AGENT, bridge, rest)
    page = pane.tabs.agent
    assert "cat number 39" in page.text.toPlainText()
    assert 0 < page.meter.value() <= page.meter.maximum()
    page.question.setText("What is Anna allergic to?")
    qtbot.keyClick(page.question, Qt.Key.Key_Return)
    rest(lambda: "hazelnuts" in page.text.toPlainText() and not bridge.is_busy)
    assert "tokens" in page.tokens


def test_finding_and_places_lead_back_to_the_messages(
    pane: SessionsPane, host: Host, bridge: Bridge, rest: Rest
) -> None:
    _show(pane, SUMMARY, bridge, rest)
    pane.registry.run("sessions.find")
    assert pane.tabs.bar.currentIndex() == MESSAGES
    _show(pane, SCRATCHPAD, bridge, rest)
    pane.open_place(Place("sessions", "ses-1", extra="3"))
    assert pane.tabs.bar.currentIndex() == MESSAGES
    rest(lambda: not bridge.is_busy)


def test_everything_that_takes_the_keyboard_has_a_name(pane: SessionsPane, bridge: Bridge, rest: Rest) -> None:
    for tab in (FACTS, SUMMARY, SCRATCHPAD, AGENT):
        _show(pane, tab, bridge, rest)
        assert _nameless(pane) == []
