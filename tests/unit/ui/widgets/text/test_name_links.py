"""Names in documents become links without moving a letter."""

from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.entities.model import MentionedEntity
from ui.panes.sessions.transcript.block_documents import rich_document
from ui.widgets.text.markdown_view import MarkdownView
from ui.widgets.text.name_links import LONGEST, entity_of, link_names, links_of

SOURCE = "Anna met **Anna Keller** in [[Bern]] and at the Anna Keller [house](https://example.org). Will anna? will"
NAMES = [
    MentionedEntity("note-1", "ent-a", "Anna", "person", "Anna"),
    MentionedEntity("note-1", "ent-k", "Anna Keller", "person", "Anna Keller"),
    MentionedEntity("note-1", "ent-b", "Bern", "place", "Bern"),
    MentionedEntity("note-1", "ent-w", "Will", "person", "Will"),
]


def _links(document: Any) -> list[tuple[str, str]]:
    return [(link.words, entity_of(link.href)) for link in links_of(document)]


def test_the_longest_name_is_one_link_and_other_links_stay(look: Any) -> None:
    document = rich_document(SOURCE, 400)
    height = document.size().height()
    link_names(document, NAMES)
    link_names(document, NAMES)
    assert document.size().height() == height
    assert _links(document) == [
        ("Anna", "ent-a"),
        ("Anna Keller", "ent-k"),
        ("Bern", ""),
        ("Anna Keller", "ent-k"),
        ("house", ""),
        ("Will", "ent-w"),
    ]


def test_very_long_documents_get_no_links(look: Any) -> None:
    document = rich_document("Anna and others. " * (LONGEST // 10), 400)
    link_names(document, NAMES)
    assert _links(document) == []


def test_a_preview_follows_names_by_keyboard_and_menu(qtbot: QtBot, look: Any) -> None:
    view = MarkdownView("Text")
    qtbot.addWidget(view)
    view.resize(500, 300)
    view.show()
    view.set_source("Anna Keller waits.")
    view.set_names(NAMES[1:2])
    followed: list[str] = []
    view.link_clicked.connect(followed.append)
    view.page.setFocus()
    qtbot.keyClick(view.page, Qt.Key.Key_Tab)
    qtbot.keyClick(view.page, Qt.Key.Key_Return)
    assert followed == ["keepsake://entity/ent-k"]
    rect = view.page.cursorRect(links_of(view.page.document())[0].cursor)
    view.page.customContextMenuRequested.emit(rect.center() - QPoint(12, 0))
    menu = next(one for one in view.page.findChildren(QMenu) if one.isVisible())
    menu.actions()[0].trigger()
    menu.close()
    assert menu.actions()[0].text() == "Open the page of ‘Anna Keller’"
    assert followed == ["keepsake://entity/ent-k"] * 2


def test_other_names_and_texts_take_their_place(qtbot: QtBot, look: Any) -> None:
    view = MarkdownView("Text")
    qtbot.addWidget(view)
    view.set_source("Anna Keller waits for Will.")
    view.set_names(NAMES[1:2])
    view.set_names(NAMES[3:])
    assert _links(view.page.document()) == [("Will", "ent-w")]
    view.set_source("Will waits.")
    assert _links(view.page.document()) == []
