"""The Agents pane over a real vault: adding, limiting, watching and taking back."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.api.caller import Caller
from app.host import Host
from tests.helpers.screen_reader import words
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.agents.pane import AgentsPane
from ui.panes.pane import Place
from ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from app.agents.model import Agent
    from ui.notice import Notice


def _texts(root: QWidget) -> str:
    return "\n".join(
        label.text() for label in root.findChildren(QWidget) if hasattr(label, "text") and label.isVisibleTo(root)
    )


def _agent(host: Host, name: str) -> "Agent":
    found: Agent = next(one for one in host.ask("agent.list") if one.name == name)
    return found


@pytest.fixture
def notices() -> "list[Notice]":
    """Return what collects the notices of the pane."""
    return []


@pytest.fixture
def pane(
    qtbot: QtBot, host: Host, bridge: Bridge, look: object, rest: Rest, notices: "list[Notice]"
) -> Iterator[AgentsPane]:
    """Return the pane, in front."""
    actions = Actions()
    pane = AgentsPane(bridge, actions)
    actions.setParent(pane)
    actions.register(*pane.commands())
    actions.set_pane("agents")
    pane.notice.connect(notices.append)
    bridge.changed.connect(pane.refresh)
    qtbot.addWidget(pane)
    pane.resize(1200, 900)
    pane.show()
    pane.shown()
    rest(lambda: not bridge.is_busy)
    yield pane
    rest(lambda: not bridge.is_busy)


def _add(pane: AgentsPane, host: Host, bridge: Bridge, rest: Rest, name: str = "scout") -> None:
    host.ask("agent.add", name=name, trust="full")
    rest(lambda: words(pane.page).startswith(name) and not bridge.is_busy)


def test_without_agents_the_pane_teaches_one_action(pane: AgentsPane, qtbot: QtBot) -> None:
    assert pane.findChild(EmptyState).isVisible()
    qtbot.mouseClick(pane.findChild(EmptyState).second, Qt.MouseButton.LeftButton)
    assert pane.form.isVisible()


def test_an_agent_is_added_and_its_token_shown_once(
    pane: AgentsPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    pane.listing.new.click()
    assert not pane.form.add.isEnabled()
    qtbot.keyClicks(pane.form.name, "scout")
    qtbot.keyClick(pane.form.name, Qt.Key.Key_Return)
    rest(lambda: bool(pane.form.token.text()) and not bridge.is_busy)
    token = pane.form.token.text()
    made = _agent(host, "scout")
    assert (made.trust, made.review) == ("inner", True)
    qtbot.mouseClick(pane.form.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == token
    qtbot.mouseClick(pane.form.done, Qt.MouseButton.LeftButton)
    rest(lambda: pane.page.isVisible() and not bridge.is_busy)
    assert pane.form.token.text() == ""
    QAbstractItemModelTester(pane.listing.model, QAbstractItemModelTester.FailureReportingMode.Fatal)


def test_trust_stores_and_review_take_effect_at_once(
    pane: AgentsPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    _add(pane, host, bridge, rest)
    pane.page.stores["private"].click()
    rest(lambda: set(_agent(host, "scout").stores) == {"shared", "social"} and not bridge.is_busy)
    pane.page.trust.setCurrentIndex(1)
    rest(lambda: _agent(host, "scout").trust == "familiar" and not bridge.is_busy)
    assert not pane.page.stores["private"].isEnabled()
    assert pane.page.stores["social"].isChecked()
    pane.page.review.click()
    rest(lambda: _agent(host, "scout").review and not bridge.is_busy)
    qtbot.mouseClick(pane.page.pause, Qt.MouseButton.LeftButton)
    rest(lambda: _agent(host, "scout").paused and not bridge.is_busy)
    rest(lambda: pane.page.pause.text() == "Let it go on")


def test_no_store_at_all_is_public_trust(pane: AgentsPane, host: Host, bridge: Bridge, rest: Rest) -> None:
    _add(pane, host, bridge, rest)
    for store in ("private", "shared", "social"):
        pane.page.stores[store].click()
        rest(lambda: not bridge.is_busy)
    assert _agent(host, "scout").trust == "public"


def test_its_calls_are_told_and_taken_back(
    pane: AgentsPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot, notices: "list[Notice]"
) -> None:
    _add(pane, host, bridge, rest)
    scout = Caller("scout", "full")
    host.call("note.save", {"title": "One", "content": "1"}, scout).result()
    host.call("memory.search", {"query": "one"}, scout).result()
    pane.shown()
    rest(lambda: len(pane.page.model.ids) == 2 and not bridge.is_busy)
    cards = [pane.page.model.card_of(identity) for identity in pane.page.model.ids]
    assert [card.title for card in cards if card] == ["Searched your memory", "Wrote a note"]
    qtbot.mouseClick(pane.page.hide_all, Qt.MouseButton.LeftButton)
    rest(lambda: not host.ask("note.ids") and not bridge.is_busy)
    rest(pane.page.release.isVisible)
    qtbot.mouseClick(pane.page.release, Qt.MouseButton.LeftButton)
    rest(lambda: len(host.ask("note.ids")) == 1 and not bridge.is_busy)
    qtbot.mouseClick(pane.page.forget_today, Qt.MouseButton.LeftButton)
    rest(lambda: not host.ask("note.ids") and not bridge.is_busy)
    assert len(notices) == 3


def test_a_call_names_and_opens_what_it_was_about(
    pane: AgentsPane, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]"
) -> None:
    _add(pane, host, bridge, rest)
    host.ask("settings.set", name="ledger.queries", value=True)
    scout = Caller("scout", "full")
    note = host.call("note.save", {"title": "One", "content": "quince"}, scout).result().value
    host.call("memory.search", {"query": "quince"}, scout).result()
    host.call("vault.status", {}, scout).result()
    pane.shown()
    rest(lambda: len(pane.page.model.ids) == 3 and not bridge.is_busy)
    states, search, write = pane.page.model.ids
    cards = {one: pane.page.model.card_of(one) for one in (search, write)}
    assert [card.text.split("  ·  ")[0] for card in cards.values() if card] == ["“quince”", "One"]
    places: list[Place] = []
    pane.navigate.connect(places.append)
    pane.page.calls.opened.emit(write)
    assert places == [Place("notes", note.id)]
    pane.page.calls.opened.emit(search)
    rest(lambda: bool(pane.findChildren(QMenu)))
    assert [action.text() for action in pane.findChildren(QMenu)[0].actions()] == ["“quince”", "One"]
    pane.findChildren(QMenu)[0].actions()[0].trigger()
    assert places[1:] == [Place("search", extra="quince")]
    pane.page.calls.opened.emit(states)
    assert len(notices) == 1


def test_access_ends_and_a_new_token_lets_in_again(
    pane: AgentsPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    _add(pane, host, bridge, rest)
    qtbot.mouseClick(pane.page.revoke, Qt.MouseButton.LeftButton)
    rest(lambda: _agent(host, "scout").revoked_at is not None and not bridge.is_busy)
    rest(lambda: not pane.page.revoke.isVisible())
    assert "access ended" in _texts(pane.page)


def test_everything_that_takes_the_keyboard_has_a_name(
    pane: AgentsPane, host: Host, bridge: Bridge, rest: Rest
) -> None:
    _add(pane, host, bridge, rest)
    assert _nameless(pane) == []
    pane.listing.new.click()
    assert _nameless(pane) == []


def test_a_refused_choice_is_put_back(
    pane: AgentsPane, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]"
) -> None:
    _add(pane, host, bridge, rest)
    page, before = pane.page, pane.page.rate.currentIndex()
    page.rate.addItem("More than anyone may", -1)
    page.rate.setCurrentIndex(page.rate.count() - 1)
    rest(lambda: not bridge.is_busy and page.rate.currentIndex() == before)
    assert [notice.kind for notice in notices] == ["error"]
