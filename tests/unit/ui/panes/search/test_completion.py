"""Completion of operators and their values in the search box."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from tests.unit.ui.panes.fake_bridge import FakeBridge, FakeVault, until
from ui.bridge import Bridge
from ui.panes.search.operator_values import COMPLETED, operator_values


def offered(pane: Any) -> list[str]:
    model = pane.box._model
    return [model.item(row).text() for row in range(model.rowCount())] if pane.box._list.isVisible() else []


def test_operators_are_completed_as_the_engine_describes_them(
    ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    pane = open_pane("search")
    run_async(ask.idle())
    qtbot.keyClicks(pane.box, "ki")
    assert pane.box._list.isVisible()
    assert pane.box._model.item(0).text().startswith("kind:")
    pane.box._list.hide()


def test_tags_are_completed_with_those_there_are(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    books.add_note("Roses", "x", tags=("garden/roses", "people"))
    books.add_note("Soil", "x", tags=("garden",))
    pane = open_pane("search")
    pane.focus_first()
    run_async(ask.idle())
    for typed, wanted in (("tag:", ["garden", "garden/roses", "people"]), ("gar", ["garden", "garden/roses"])):
        qtbot.keyClicks(pane.box, typed)
        run_async(until(lambda wanted=wanted: offered(pane) == wanted))
    pane.box._on_completer_activated("garden/roses")
    assert pane.box.text() == "tag:garden/roses "
    pane.box.clear()
    qtbot.keyClicks(pane.box, "tag:nothing")
    run_async(ask.idle())
    assert offered(pane) == []


def test_an_older_completion_is_not_offered(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    books.add_note("Roses", "x", tags=("garden",))
    pane = open_pane("search")
    pane.focus_first()
    run_async(ask.idle())
    gate = ask.gates["tag.list"] = asyncio.Event()
    qtbot.keyClicks(pane.box, "tag:ga rain")
    gate.set()
    run_async(ask.idle())
    assert offered(pane) == []


def test_agents_are_completed(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any) -> None:
    books.add_session("Garden", [("user", "x")], agent="Claude Code")
    pane = open_pane("search")
    pane.focus_first()
    run_async(ask.idle())
    qtbot.keyClicks(pane.box, "agent:cl")
    run_async(until(lambda: offered(pane) == ["Claude Code"]))
    pane.box._on_completer_activated("Claude Code")
    assert pane.box.text() == 'agent:"Claude Code" '


@pytest.mark.parametrize("name", sorted(COMPLETED))
def test_values_come_from_a_real_vault(tmp_path: Path, run_async: Any, name: str, qt_loop: Any) -> None:
    host = Host(tmp_path / "vault", serve=False)
    host.start()
    try:
        host.ask("note.save", title="Beds", content="Roses for Ines Duarte", tags=["tomato"])
        host.ask("session.create", title="Tomorrow", agent="tom")
        bridge = Bridge(host)
        found = run_async(operator_values(bridge, name, "tom"))
        run_async(bridge.close())
        bridge.deleteLater()
    finally:
        host.stop()
    assert [hint.text for hint in found] == {"tag": ["tomato"], "agent": ["tom"], "session": ["Tomorrow"]}.get(name, [])
