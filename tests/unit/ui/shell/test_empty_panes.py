"""Panes without content say what is true, and offer no inspector."""

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.unit.ui.conftest import Rest
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.graph.pane import GraphPane
from ui.shell.navigation import Place
from ui.window import Window

MakeGraph = Callable[[], GraphPane]


@pytest.fixture
def make_graph(qtbot: QtBot, bridge: Bridge, look: object, rest: Rest) -> MakeGraph:
    """Return what builds the graph pane on a real host and waits until it is filled."""

    def make() -> GraphPane:
        actions = Actions()
        pane = GraphPane(bridge, actions)
        actions.setParent(pane)
        qtbot.addWidget(pane)
        pane.show()
        pane.shown()
        rest(lambda: not bridge._tasks)
        return pane

    return make


def test_an_empty_vault_knows_nobody_yet(make_graph: MakeGraph) -> None:
    pane = make_graph()
    assert "No people or things are known yet" in pane._empty._text.accessibleName()
    assert pane._empty.button.text() == "Open Notes"


def test_names_are_counted_and_searched(make_graph: MakeGraph, host: Host, qtbot: QtBot, rest: Rest) -> None:
    host.ask("note.save", title="Contacts", content="Write to ines@example.org about the wall.")
    rest(lambda: bool(host.ask("entity.list")))
    pane = make_graph()
    assert "0 people and 1 other names" in pane._empty._text.accessibleName()
    with qtbot.waitSignal(pane.navigate) as went:
        pane._empty.button.click()
    assert went.args == [Place("search", extra="entity:ines@example.org")]


def test_the_inspector_is_off_where_there_is_none(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    button = window.top_bar._inspector
    window.go(Place("schedule"))
    assert not button.isEnabled()
    assert button.toolTip() == "This page has no inspector"
    monkeypatch.setattr(GraphPane, "has_inspector", True)
    window.go(Place("graph"))
    assert button.isEnabled()
    assert "no inspector" not in button.toolTip()
