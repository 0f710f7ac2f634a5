"""Completion of operators and their values in the search box."""

from typing import Any

import pytest
from PySide6.QtWidgets import QCompleter
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.loops import RunAsync
from tests.helpers.vault_filler import NoteText, VaultFiller
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane, Settle
from ui.bridge import Bridge
from ui.panes.search.operator_values import COMPLETED, operator_values


def offered(pane: Any) -> list[str]:
    completer = pane.box.findChild(QCompleter)
    model = completer.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())] if completer.popup().isVisible() else []


def test_operators_are_completed_as_the_engine_describes_them(
    open_pane: OpenPane, qtbot: QtBot, settle: Settle
) -> None:
    pane = open_pane("search")
    settle()
    qtbot.keyClicks(pane.box, "ki")
    assert pane.box.findChild(QCompleter).popup().isVisible()
    assert pane.box.findChild(QCompleter).model().index(0, 0).data().startswith("kind:")
    pane.box.findChild(QCompleter).popup().hide()


def test_tags_are_completed_with_those_there_are(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest, settle: Settle
) -> None:
    books.add_notes(NoteText("Roses", "x", ("garden/roses", "people")), NoteText("Soil", "x", ("garden",)))
    pane = open_pane("search")
    pane.focus_first()
    settle()
    for typed, wanted in (("tag:", ["garden", "garden/roses", "people"]), ("gar", ["garden", "garden/roses"])):
        qtbot.keyClicks(pane.box, typed)
        rest(lambda wanted=wanted: offered(pane) == wanted)
    pane.box.findChild(QCompleter).activated.emit("garden/roses")
    assert pane.box.text() == "tag:garden/roses "
    pane.box.clear()
    qtbot.keyClicks(pane.box, "tag:nothing")
    settle()
    assert offered(pane) == []


def test_an_older_completion_is_not_offered(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, settle: Settle, connection: WatchedConnection
) -> None:
    books.add_note("Roses", "x", tags=("garden",))
    pane = open_pane("search")
    pane.focus_first()
    settle()
    connection.hold("tag.list")
    qtbot.keyClicks(pane.box, "tag:ga rain")
    connection.release("tag.list")
    settle()
    assert offered(pane) == []


def test_agents_are_completed(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest, settle: Settle
) -> None:
    books.add_session("Garden", [("user", "x")], agent="Claude Code")
    pane = open_pane("search")
    pane.focus_first()
    settle()
    qtbot.keyClicks(pane.box, "agent:cl")
    rest(lambda: offered(pane) == ["Claude Code"])
    pane.box.findChild(QCompleter).activated.emit("Claude Code")
    assert pane.box.text() == 'agent:"Claude Code" '


@pytest.mark.parametrize("name", sorted(COMPLETED))
def test_values_come_from_the_vault(bridge: Bridge, host: Host, run_async: RunAsync[Any], name: str) -> None:
    host.ask("note.save", title="Beds", content="Roses for Ines Duarte", tags=["tomato"])
    host.ask("session.create", title="Tomorrow", agent="tom")
    found = run_async(operator_values(bridge, name, "tom"))
    assert [hint.text for hint in found] == {"tag": ["tomato"], "agent": ["tom"], "session": ["Tomorrow"]}.get(name, [])
