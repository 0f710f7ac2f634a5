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
        made = NotesPane(bridge, actions)
        actions.setParent(made)
        actions.register(*made.commands())
        actions.set_pane("notes")
        made.notice.connect(notices.append)
        made.navigate.connect(visited.append)
        bridge.changed.connect(made.refresh)
        qtbot.addWidget(made)
        if state:
            made.restore_state(state)
        made.resize(1440, 900)
        made.show()
        made.shown()
        rest(lambda: not bridge.is_busy)
        return made

    yield build
    rest(lambda: not bridge.is_busy)
