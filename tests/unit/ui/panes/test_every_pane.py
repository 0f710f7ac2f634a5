"""What every pane owes: names for everything that takes the keyboard, both themes, both directions, any size."""

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractScrollArea, QScrollBar, QWidget

from tests.helpers.loops import RunAsync
from tests.helpers.vault_filler import VaultFiller
from tests.unit.ui.panes.conftest import OpenPane, Settle
from ui.bridge import Bridge
from ui.theme import Scheme, Theme

PANES = ("sessions", "notes", "search")


def _fill(books: VaultFiller) -> None:
    books.add_session("長い会話" * 20, [("user", "frost " * 50), ("assistant", "مرحبا **x** " * 30), ("tool", "{}")])
    books.host.ask("fact.remember", content="- fact", category="k", key="v")
    books.add_note("X" * 300, "word" * 3000, tags=("a", "b/c"))


def _nameless(root: QWidget) -> list[str]:
    lost = []
    for widget in root.findChildren(QWidget):
        if (
            widget.focusPolicy() == Qt.FocusPolicy.NoFocus
            or not widget.isVisibleTo(root)
            or isinstance(widget, QScrollBar)
        ):
            continue
        parent = widget.parentWidget()
        if isinstance(widget, QScrollBar) or (isinstance(parent, QAbstractScrollArea) and widget is parent.viewport()):
            continue
        interface = QAccessible.queryAccessibleInterface(widget)
        if interface is not None and not interface.text(QAccessible.Text.Name):
            lost.append(f"{type(widget).__name__} in {type(parent).__name__}")
    return lost


@pytest.mark.parametrize("name", PANES)
def test_everything_that_takes_the_keyboard_has_a_name(
    name: str, books: VaultFiller, open_pane: OpenPane, settle: Settle
) -> None:
    _fill(books)
    pane = open_pane(name)
    settle()
    if name == "search":
        pane.box.setText("frost")
        pane.box.search_now()
        settle()
    assert _nameless(pane) == []


@pytest.mark.parametrize("name", PANES)
@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_it_paints_in_every_look(
    name: str, direction: Any, books: VaultFiller, open_pane: OpenPane, look: Theme, settle: Settle
) -> None:
    _fill(books)
    pane = open_pane(name)
    pane.setLayoutDirection(direction)
    settle()
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look.set_scheme(scheme)
        for width, height in ((1440, 900), (1000, 640)):
            pane.resize(width, height)
            assert not pane.grab().isNull()
    look.set_scale(1.5)
    assert not pane.grab().isNull()


@pytest.mark.parametrize("name", PANES)
def test_a_pane_that_goes_while_answers_are_under_way_does_no_harm(
    name: str, books: VaultFiller, bridge: Bridge, open_pane: OpenPane, run_async: RunAsync[Any], settle: Settle
) -> None:
    import shiboken6

    _fill(books)
    pane = open_pane(name, kept=False)
    if name == "search":
        pane.box.setText("frost")
        pane.box.search_now()
    bridge.changed.disconnect(pane.refresh)
    run_async(asyncio.sleep(0))
    shiboken6.delete(pane)
    settle()


@pytest.mark.parametrize("name", PANES)
def test_states_of_other_versions_are_ignored(name: str, open_pane: OpenPane, settle: Settle) -> None:
    for state in (b"nonsense", b"[]", b'{"split": "zz", "opened": 3, "mode": "?", "recipe": 5}'):
        pane = open_pane(name, state)
        settle()
        assert pane.save_state()


@pytest.mark.parametrize("name", PANES)
def test_regions_and_commands_are_offered(name: str, open_pane: OpenPane, settle: Settle) -> None:
    pane = open_pane(name)
    settle()
    pane.focus_first()
    pane.toggle_inspector()
    assert isinstance(pane.regions(), list)
    ids = [action.id for action in pane.commands()]
    assert len(ids) == len(set(ids))
    assert all(identity.startswith(f"{name}.") for identity in ids)
