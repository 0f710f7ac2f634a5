"""Clash notice: both sides of what the person wrote and what is stored."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytestqt.qtbot import QtBot

from app.api.caller import Caller
from app.host import Host
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.shell.watchers.clash_watcher import ClashWatcher
from ui.widgets.notices.clash_bar import ClashBar

if TYPE_CHECKING:
    from ui.notice import Notice
    from ui.panes.pane import Place

OLD = "The deadline of the kite project is 12 October"
NEW = "The deadline of the kite project is 19 October"


@pytest.fixture
def bar(qtbot: QtBot, look: object) -> Iterator[ClashBar]:
    bar = ClashBar()
    qtbot.addWidget(bar)
    yield bar
    bar.hide()


@pytest.fixture
def watcher(host: Host, bridge: Bridge, bar: ClashBar) -> ClashWatcher:
    host.ask("fact.remember", content=OLD)
    host.ask("vault.settle")
    return ClashWatcher(bridge, bar, bar)


def test_both_sides_show_once(host: Host, bridge: Bridge, bar: ClashBar, watcher: ClashWatcher, rest: Rest) -> None:
    note = host.ask("note.save", content=NEW)
    rest(bar.isVisible)
    assert bar.sides[0] == f"Now: {NEW}"
    assert bar.sides[1].endswith(OLD)
    assert _nameless(bar) == []
    places: list[Place] = []
    watcher.place_requested.connect(places.append)
    bar.open_button.click()
    bar.inbox_button.click()
    assert [place.pane for place in places] == ["notes", "inbox"]
    bar.close_button.click()
    assert not bar.isVisible()
    host.ask("note.update", id=note.id, version=note.version, content=f"{NEW}. More.")
    rest(lambda: bool(watcher._written))
    rest(lambda: not watcher._timer.isActive() and not bridge.is_busy)
    assert not bar.isVisible()


def test_the_stored_fact_is_forgotten_with_undo(
    host: Host, bridge: Bridge, bar: ClashBar, watcher: ClashWatcher, rest: Rest
) -> None:
    notices: list[Notice] = []
    watcher.notice.connect(notices.append)
    host.ask("note.save", content=NEW)
    rest(bar.isVisible)
    bar.aside_button.click()
    rest(lambda: bool(notices) and not bar.isVisible())
    assert host.ask("fact.list") == []
    host.ask("memory.undo", history_ids=list(notices[0].history_ids))
    assert len(host.ask("fact.list")) == 1


def test_agents_and_what_agrees_raise_no_notice(
    host: Host, bridge: Bridge, bar: ClashBar, watcher: ClashWatcher, rest: Rest
) -> None:
    theirs = host.call("note.save", {"content": NEW}, Caller("scout", "full")).result().value
    own = host.ask("note.save", content="The kite project is fun")
    rest(lambda: own.id in watcher._written)
    assert theirs.id not in watcher._written
    rest(lambda: not watcher._timer.isActive() and not bridge.is_busy)
    assert not bar.isVisible()


def test_the_setting_turns_it_off(host: Host, bridge: Bridge, bar: ClashBar, watcher: ClashWatcher, rest: Rest) -> None:
    host.ask("settings.set", name="window.hints", value=False)
    host.ask("note.save", content=NEW)
    rest(lambda: bool(watcher._written))
    rest(lambda: not watcher._timer.isActive() and not bridge.is_busy)
    assert not bar.isVisible()
