"""Fixtures of the graph pane: a host with names in its texts, and the pane over it."""

import gc
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.host import Host
from app.sessions.model import NewMessage
from tests.unit.ui.conftest import Rest
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.graph.pane import GraphPane
from ui.widgets.empty_state import EmptyState

TEXTS = (
    "Ana Lopez met Ben Kowalski and Carla Weber in Berlin.",
    "Ben Kowalski met Carla Weber in Paris.",
    "Ana Lopez met Ben Kowalski.",
    "David Rossi met Elena Greco in Rome.",
    "Carla Weber met David Rossi.",
    "Ana Lopez is in Vienna.",
)
Open = Callable[..., GraphPane]


@pytest.fixture(autouse=True)
def gc_outside_events() -> Iterator[None]:
    """Keep garbage collection out of Qt's events, as the program does."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def known(host: Host, rest: Rest) -> Host:
    """Return a host that has recognised the names of ``TEXTS``."""
    host.ask("session.append", messages=[NewMessage("user", text) for text in TEXTS], session="ses-talk", title="Talk")
    rest(lambda: {row.name for row in host.ask("entity.list")} >= {"Ana Lopez", "Elena Greco", "Vienna"})
    rest(lambda: not host.ask("vault.status").pending_names)
    return host


@pytest.fixture
def open_graph(qtbot: QtBot, bridge: Bridge, look: object, rest: Rest) -> Iterator[Open]:
    """Return what builds the pane on the host's vault and waits until it is drawn; ``emitted`` is what it emitted."""
    made: list[GraphPane] = []

    def build(state: bytes = b"") -> GraphPane:
        actions = Actions()
        pane: Any = GraphPane(bridge, actions)
        actions.setParent(pane)
        pane.emitted = SimpleNamespace(places=[], notices=[])
        pane.navigate.connect(pane.emitted.places.append)
        pane.notice.connect(pane.emitted.notices.append)
        bridge.changed.connect(pane.refresh)
        qtbot.addWidget(pane)
        actions.register(*pane.commands())
        actions.set_pane("graph")
        if state:
            pane.restore_state(state)
        pane.resize(1300, 800)
        pane.show()
        pane.shown()
        rest(lambda: not bridge.is_busy and (pane.loader.has_graph or pane.findChild(EmptyState).isVisibleTo(pane)))
        made.append(pane)
        return pane

    yield build
    for pane in made:
        bridge.changed.disconnect(pane.refresh)
        pane.loader.stop()
        pane.canvas.finish()
    rest(lambda: not bridge.is_busy)
