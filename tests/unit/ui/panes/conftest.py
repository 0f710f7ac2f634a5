"""A shelf, its bridge, and the theme."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from ui.actions import Actions

from .shelf import Shelf, ShelfBridge

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


@pytest.fixture
def shelf() -> Shelf:
    """Return an empty shelf."""
    return Shelf()


@pytest.fixture
def shelf_bridge(shelf: Shelf, qt_loop: object) -> Iterator[ShelfBridge]:
    """Return the bridge over ``shelf``."""
    bridge = ShelfBridge(shelf)
    yield bridge
    bridge.deleteLater()


@pytest.fixture
def actions(qapp: "QApplication") -> Iterator[Actions]:
    """Return an empty registry of actions."""
    registry = Actions()
    yield registry
    registry.deleteLater()
