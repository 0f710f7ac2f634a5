"""Names in previews of notes and hits, and in the menu of a hit, over a real vault."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.unit.ui.conftest import Rest
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.notes.pane import NotesPane
from ui.panes.pane import Place
from ui.panes.search.pane import SearchPane
from ui.widgets.text.name_links import entity_of, links_of


@pytest.fixture
def entity(host: Host) -> str:
    """Return the id of Anna Keller, of whom a note and a conversation speak."""
    host.ask("note.save", title="Visit", content="Tomorrow **Anna Keller** comes to see the roses.")
    said = ["Who waters the roses?", "Anna Keller waters the roses in June."]
    messages = [{"role": "user", "content": text} for text in said]
    host.ask("session.append", session="ses-1", title="Roses", messages=messages)
    host.ask("vault.settle", names=True)
    (found,) = [row.id for row in host.ask("entity.list") if row.name == "Anna Keller"]
    return str(found)


@pytest.fixture
def open_real(qtbot: QtBot, bridge: Bridge, look: object, rest: Rest) -> Iterator[Any]:
    """Return what builds a pane over the vault."""
    places: list[Place] = []

    def build(kind: type[NotesPane] | type[SearchPane]) -> Any:
        actions = Actions()
        pane = kind(bridge, actions)
        actions.setParent(pane)
        actions.register(*pane.commands())
        actions.set_pane(pane.name)
        bridge.changed.connect(pane.refresh)
        pane.navigate.connect(places.append)
        qtbot.addWidget(pane)
        pane.resize(1300, 800)
        pane.show()
        pane.shown()
        return pane, places

    yield build
    rest(lambda: not bridge.is_busy)


def _named(document: Any, entity: str) -> list[str]:
    return [link.words for link in links_of(document) if entity_of(link.href) == entity]


def test_names_in_the_preview_of_a_note_are_links(entity: str, open_real: Any, bridge: Bridge, rest: Rest) -> None:
    pane, places = open_real(NotesPane)
    rest(lambda: pane.controller.memory is not None and not bridge.is_busy)
    pane.document.set_mode("read")
    rest(lambda: _named(pane.document.preview.page.document(), entity) == ["Anna Keller"])
    link = links_of(pane.document.preview.page.document())[0]
    pane.document.preview.link_clicked.emit(link.href)
    assert places[-1] == Place("graph", entity)


def test_names_in_a_hit_are_links_and_in_its_menu(entity: str, open_real: Any, bridge: Bridge, rest: Rest) -> None:
    pane, places = open_real(SearchPane)
    pane.box.setText("waters roses June")
    rest(lambda: bool(pane.results.source.rows) and not bridge.is_busy)
    row = next(n for n, one in enumerate(pane.results.source.rows) if getattr(one, "seq", None) is not None)
    pane.results.setCurrentIndex(pane.results.source.index(row))
    rest(lambda: bool(_named(pane.why.preview.page.document(), entity)))
    pane.results.menu_requested.emit(pane.results.source.rows[row], QPoint(5, 5))
    menu = next(one for one in pane.findChildren(QMenu) if one.isVisible())
    rest(lambda: menu.actions()[-1].text() == "Open the page of ‘Anna Keller’")
    menu.actions()[-1].trigger()
    menu.close()
    assert places[-1].id == entity
