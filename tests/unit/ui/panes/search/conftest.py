"""Fixtures: a vault in memory, a bridge to it, and panes over that bridge."""

import asyncio
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from pytestqt.qtbot import QtBot

from tests.unit.ui.panes.fake_bridge import FakeBridge, FakeVault
from ui import theme
from ui.actions import Actions

if TYPE_CHECKING:
    from ui.notice import Notice
    from ui.panes.pane import Place


@pytest.fixture
def books() -> FakeVault:
    """Return an empty vault."""
    return FakeVault()


@pytest.fixture
def ask(books: FakeVault, qt_loop: asyncio.AbstractEventLoop, look: theme.Theme) -> Iterator[FakeBridge]:
    """Return a bridge to the vault."""
    bridge = FakeBridge(books)
    yield bridge
    for gate in bridge.gates.values():
        gate.set()
    qt_loop.run_until_complete(bridge.idle())
    bridge.deleteLater()


class Emitted:
    """Places and notices that a pane emitted."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.notices: list[Notice] = []


@pytest.fixture
def open_pane(ask: FakeBridge, qtbot: QtBot) -> Iterator[Callable[[str], Any]]:
    """Build a pane as the frame does: ``open_pane("notes")``; what it tells is in ``.told``."""
    registry = Actions()

    def build(name: str, state: bytes = b"", *, kept: bool = True) -> Any:
        kind = getattr(import_module(f"ui.panes.{name}.pane"), f"{name.capitalize()}Pane")
        pane = kind(ask, registry)
        pane.emitted = Emitted()
        pane.navigate.connect(pane.emitted.places.append)
        pane.notice.connect(pane.emitted.notices.append)
        ask.changed.connect(pane.refresh)
        registry.register(*pane.commands())
        registry.set_pane(name)
        if kept:
            qtbot.addWidget(pane)
        if state:
            pane.restore_state(state)
        pane.resize(1300, 800)
        pane.show()
        pane.shown()
        return pane

    yield build
    registry.deleteLater()
