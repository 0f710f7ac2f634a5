"""The reading view."""

import asyncio
import gc
from typing import Any

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QMessageBox

from ui import theme
from ui.theme import Scheme
from ui.widgets.markdown import MarkdownView


@pytest.fixture
def view(qtbot: Any, qt_loop: Any) -> MarkdownView:
    made = MarkdownView("Preview", lambda work: asyncio.get_event_loop().create_task(work))
    qtbot.addWidget(made)
    made.resize(500, 400)
    made.show()
    return made


async def _until(happened: Any) -> None:
    while not happened():
        await asyncio.sleep(0.005)


def test_it_shows_formats(view: MarkdownView) -> None:
    view.set_source("# Head\n\n**bold** and [[Link]]")
    assert view.page.toPlainText() == "Head\nbold and Link"


def test_it_loads_nothing(view: MarkdownView) -> None:
    picture = QTextDocument.ResourceType.ImageResource
    assert view.page.loadResource(picture.value, QUrl("file:///etc/passwd")) is None


def test_long_texts_are_parsed_aside(view: MarkdownView, run_async: Any) -> None:
    gc.collect()  # loops of earlier tests have timers, which must not end on the thread used here
    view.set_source("**word** " * 4000)
    run_async(_until(lambda: "word" in view.page.toPlainText()))
    assert "**" not in view.page.toPlainText()


def test_huge_texts_come_in_parts(view: MarkdownView) -> None:
    view.set_source("**x** " * 100_000)
    assert len(view.page.toPlainText()) == 200_000
    assert view._notice.isVisible()
    view._more.click()
    assert len(view.page.toPlainText()) == 400_000


def test_links_are_told_apart(view: MarkdownView) -> None:
    seen: list[Any] = []
    view.wiki_clicked.connect(lambda title: seen.append(("wiki", title)))
    view.tag_clicked.connect(lambda tag: seen.append(("tag", tag)))
    view.link_clicked.connect(lambda link: seen.append(("link", link)))
    for href in ("wiki:Rose%20list", "tag:garden%2Froses", "keepsake://memory/note-1", "file:///etc/passwd"):
        view.page.anchorClicked.emit(QUrl(href))
    assert seen == [("wiki", "Rose list"), ("tag", "garden/roses"), ("link", "keepsake://memory/note-1")]


def test_a_web_link_asks_first(view: MarkdownView) -> None:
    view.page.anchorClicked.emit(QUrl("https://example.org/"))
    boxes = view.findChildren(QMessageBox)
    assert [box.text() for box in boxes] == ["https://example.org/"]
    boxes[0].close()


def test_terms_are_marked(view: MarkdownView) -> None:
    view.set_source("the rose is a Rose", terms=("rose",))
    assert len(view.page.extraSelections()) == 2


def test_typing_is_rendered_after_a_pause(view: MarkdownView, run_async: Any) -> None:
    view.set_source("one")
    view.set_source("two", soon=True)
    assert view.page.toPlainText() == "one"
    run_async(_until(lambda: view.page.toPlainText() == "two"))


def test_another_theme_repaints(view: MarkdownView) -> None:
    view.set_source("[[Link]]")
    before = view.page.toHtml()
    theme.current().set_scheme(Scheme.DARK)
    after = view.page.toHtml()
    theme.current().set_scheme(Scheme.SYSTEM)
    assert before != after
