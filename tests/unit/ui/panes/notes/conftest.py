"""The Notes pane over a real vault."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.unit.ui.conftest import Rest
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.notes.pane import NotesPane

if TYPE_CHECKING:
    from ui.notice import Notice
    from ui.panes.pane import Place

OpenNotes = Callable[..., NotesPane]


@pytest.fixture
def notices() -> "list[Notice]":
    """Return what collects the notices of the pane."""
    return []


@pytest.fixture
def visited() -> "list[Place]":
    """Return what collects the places that the pane asks for."""
    return []


@pytest.fixture
def open_notes(
    qtbot: QtBot,
    host: Host,
    bridge: Bridge,
    look: object,
    rest: Rest,
    notices: "list[Notice]",
    visited: "list[Place]",
) -> Iterator[OpenNotes]:
    """Return what opens the pane, in front, once the vault is filled."""
    rest(lambda: host.ask("schedule.count") > 0)

    def build(state: bytes = b"") -> NotesPane:
        actions = Actions()
        pane = NotesPane(bridge, actions)
        actions.setParent(pane)
        actions.register(*pane.commands())
        actions.set_pane("notes")
        pane.notice.connect(notices.append)
        pane.navigate.connect(visited.append)
        bridge.changed.connect(pane.refresh)
        qtbot.addWidget(pane)
        if state:
            pane.restore_state(state)
        pane.resize(1440, 900)
        pane.show()
        pane.shown()
        rest(lambda: not bridge.is_busy)
        return pane

    yield build
    rest(lambda: not bridge.is_busy)
