"""The facts of a conversation: read, followed to their messages, confirmed, corrected, forgotten."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.sessions.conftest import OpenPane
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.panes.graph.entity.link_row import LinkRow
from ui.panes.pane import Place
from ui.panes.sessions.conversation_tabs import FACTS, MESSAGES
from ui.panes.sessions.facts_tab import PAGE, FactsTab
from ui.theme import Theme

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(opened: OpenPane, bridge: Bridge, rest: Rest) -> FactsTab:
    """Return the tab in front."""
    opened.pane.tabs.bar.setCurrentIndex(FACTS)
    found = opened.pane.tabs.facts
    rest(lambda: len(found.cards) == 2 and not bridge.is_busy)
    return found


def _contents(page: FactsTab) -> list[str]:
    return [card.found.memory.content for card in page.cards]


def test_cards_keep_to_a_narrow_pane(opened: OpenPane, page: FactsTab, look: Theme, qtbot: QtBot) -> None:
    look.set_scale(2.0)
    opened.pane.resize(700, 600)
    right = page.mapToGlobal(page.rect().topRight()).x()
    for card in page.cards:
        qtbot.waitUntil(lambda card=card: card.mapToGlobal(card.rect().topRight()).x() <= right)


def test_a_quote_leads_to_the_message(opened: OpenPane, page: FactsTab, rest: Rest, qtbot: QtBot) -> None:
    assert _contents(page) == ["Anna Keller lives in Bern.", "Anna Keller loves the river."]
    row = page.cards[1].findChild(LinkRow)
    qtbot.mouseClick(row, LEFT)
    assert opened.pane.tabs.bar.currentIndex() == MESSAGES
    current = opened.pane.transcript.current
    assert current is not None
    assert current.seq == 9
    assert opened.places[-1] == Place("sessions", "ses-1", "9")


def test_a_name_leads_to_its_page(opened: OpenPane, page: FactsTab, host: Host, rest: Rest, qtbot: QtBot) -> None:
    card = page.cards[1]
    rest(lambda: "Anna Keller" in card.names.text())
    card.names.setFocus()
    qtbot.keyClick(card.names, Qt.Key.Key_Tab)
    qtbot.keyClick(card.names, Qt.Key.Key_Return)
    (entity,) = [row.id for row in host.ask("entity.list") if row.name == "Anna Keller"]
    assert opened.places[-1] == Place("graph", entity)


def test_a_fact_is_confirmed_and_forgotten_with_undo(
    opened: OpenPane, page: FactsTab, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    card = page.cards[0]
    qtbot.mouseClick(card.confirm, LEFT)
    rest(lambda: page.cards[0] is not card and not bridge.is_busy)
    assert host.ask("note.get", id=card.found.memory.id).decay_rate == 0
    assert not page.cards[0].confirm.isVisible()
    host.ask("memory.undo", history_ids=list(opened.notices[-1].history_ids))
    rest(lambda: page.cards[0].confirm.isVisible() and not bridge.is_busy)
    qtbot.mouseClick(page.cards[0].forget, LEFT)
    rest(lambda: len(page.cards) == 1 and not bridge.is_busy)
    assert "Deleted" in opened.notices[-1].text
    host.ask("memory.undo", history_ids=list(opened.notices[-1].history_ids))
    rest(lambda: len(page.cards) == 2 and not bridge.is_busy)


def test_a_fact_is_corrected_in_place(page: FactsTab, bridge: Bridge, rest: Rest, qtbot: QtBot) -> None:
    card = page.cards[0]
    qtbot.mouseClick(card.correct, LEFT)
    assert card.findChild(QLineEdit).isVisible()
    qtbot.keyClick(card.findChild(QLineEdit), Qt.Key.Key_Escape)
    assert not card.findChild(QLineEdit).isVisible()
    qtbot.keyClick(card.correct, Qt.Key.Key_Return)
    card.findChild(QLineEdit).setText("Anna Keller lives in Thun.")
    qtbot.keyClick(card.findChild(QLineEdit), Qt.Key.Key_Return)
    rest(lambda: "Anna Keller lives in Thun." in _contents(page) and not bridge.is_busy)
    assert "Anna Keller lives in Bern." not in _contents(page)
    corrected = next(card for card in page.cards if card.found.memory.content.endswith("Thun."))
    assert [quote.seq for quote in corrected.found.quotes] == [4]


def test_many_facts_come_by_pages(page: FactsTab, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot) -> None:
    facts = [{"content": f"Number {number} is a river in county {number * 7}."} for number in range(PAGE)]
    host.ask("fact.batch", facts=facts, session="ses-1")
    rest(lambda: len(page.cards) == PAGE and not bridge.is_busy)
    assert page.more.isVisible()
    qtbot.mouseClick(page.more, LEFT)
    rest(lambda: len(page.cards) > PAGE and not bridge.is_busy)
    assert not page.more.isVisible()


def test_every_button_has_a_name(opened: OpenPane, page: FactsTab) -> None:
    assert _nameless(opened.pane) == []
