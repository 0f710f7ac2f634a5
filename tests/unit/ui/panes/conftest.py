"""Fixtures: a vault to fill, and panes over it."""

import asyncio
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.vault_filler import VaultFiller
from ui.actions import Actions
from ui.bridge import Bridge

if TYPE_CHECKING:
    from ui.notice import Notice
    from ui.panes.pane import Place

OpenPane = Callable[..., Any]
Settle = Callable[[], None]


@pytest.fixture
def books(host: Host) -> VaultFiller:
    """Return what fills the vault."""
    return VaultFiller(host)


class Emitted:
    """Places and notices that a pane emitted."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.notices: list[Notice] = []


@pytest.fixture
def settle(bridge: Bridge, qt_loop: asyncio.AbstractEventLoop) -> Settle:
    """Wait until the changes so far have reached the window and it asks nothing more."""

    async def until_idle() -> None:
        end = qt_loop.time() + 10
        await asyncio.sleep(0.01)
        while bridge.is_busy:
            assert qt_loop.time() < end, "the window did not come to rest in 10 seconds"
            await asyncio.sleep(0.005)

    return lambda: qt_loop.run_until_complete(until_idle())


@pytest.fixture
def open_pane(bridge: Bridge, qtbot: QtBot, settle: Settle) -> Iterator[OpenPane]:
    """Build a pane as the frame does: ``open_pane("notes")``; what it tells is in ``.emitted``."""
    registry = Actions()

    def build(name: str, state: bytes = b"", *, kept: bool = True) -> Any:
        kind = getattr(import_module(f"ui.panes.{name}.pane"), f"{name.capitalize()}Pane")
        pane = kind(bridge, registry)
        pane.emitted = Emitted()
        pane.navigate.connect(pane.emitted.places.append)
        pane.notice.connect(pane.emitted.notices.append)
        bridge.changed.connect(pane.refresh)
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
    settle()
    registry.deleteLater()
