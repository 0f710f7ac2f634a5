"""The reading view."""

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QUrl
from PySide6.QtGui import QFont, QTextDocument
from PySide6.QtWidgets import QMessageBox

from ui import theme
from ui.theme import Scheme
from ui.widgets.text.markdown_view import MarkdownView


@pytest.fixture
def view(qtbot: Any, qt_loop: Any) -> MarkdownView:
    view = MarkdownView("Preview")
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.show()
    return view


async def _until(happened: Any) -> None:
    while not happened():
        await asyncio.sleep(0.005)


def test_it_shows_formats(view: MarkdownView) -> None:
    view.set_source("# Head\n\n**bold** and [[Link]]")
    assert view.page.toPlainText() == "Head\nbold and Link"


def test_it_loads_nothing(view: MarkdownView) -> None:
    picture = QTextDocument.ResourceType.ImageResource
    assert view.page.loadResource(picture.value, QUrl("file:///etc/passwd")) is None


def test_long_texts_are_built_piece_by_piece(view: MarkdownView, run_async: Any) -> None:
    source = "".join(f"paragraph **{n}** of it\n\n" for n in range(4000))
    view.set_source(source)
    assert "paragraph 0 of it" in view.page.toPlainText()
    assert "paragraph 3999 of it" not in view.page.toPlainText()
    run_async(_until(lambda: "paragraph 3999 of it" in view.page.toPlainText()))
    assert view.page.toPlainText().count("paragraph") == 4000


def _long(n: int) -> str:
    return "".join(f"- paragraph **{row}** of text {n}\n\n" for row in range(300))


def test_long_texts_with_marks_replace_one_another(view: MarkdownView, run_async: Any) -> None:
    for n in range(60):
        view.set_source(_long(n), terms=("paragraph", "text"))
        run_async(_until(lambda n=n: f"299 of text {n}" in view.page.toPlainText()))
        assert len(view.page.extraSelections()) == 500
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert len(view.findChildren(QTextDocument)) == 1


def test_unfinished_documents_go_away(view: MarkdownView, run_async: Any) -> None:
    view.set_source(_long(0), terms=("paragraph",))
    run_async(_until(lambda: "299 of text 0" in view.page.toPlainText()))
    for n in range(20):
        view.set_source(_long(n), terms=("paragraph",))
        view._on_builder_timeout()
    view.set_source("short", terms=("short",))
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert view.page.toPlainText() == "short"
    assert len(view.findChildren(QTextDocument)) == 1


def test_a_change_of_a_long_text_keeps_the_place(view: MarkdownView, run_async: Any) -> None:
    source = "".join(f"paragraph {n} of it\n\n" for n in range(2000))
    view.set_source(source)
    run_async(_until(lambda: "paragraph 1999" in view.page.toPlainText()))
    view.page.verticalScrollBar().setValue(3000)
    view.set_source(source + "the end", soon=True)
    run_async(_until(lambda: "the end" in view.page.toPlainText()))
    assert view.page.verticalScrollBar().value() == 3000


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


LINKED = "# [Zebra](https://example.org) x"


def _formats(view: MarkdownView) -> set[tuple[int, bool, int]]:
    """Return weight, link and heading level of every piece of the text shown."""
    found = set()
    block = view.page.document().begin()
    while block.isValid():
        for part in block.textFormats() if block.length() > 1 else ():
            found.add((part.format.fontWeight(), part.format.isAnchor(), block.blockFormat().headingLevel()))
        block = block.next()
    return found


def test_a_text_shown_as_written_has_no_format_of_the_one_before(view: MarkdownView, run_async: Any) -> None:
    view.set_source(LINKED, terms=("zebra",))
    view.set_source("zebra plain words " * 20_000, terms=("zebra",))
    plain = _formats(view)
    assert plain == {(QFont.Weight.Normal, False, 0)}
    view.set_source(LINKED)
    view.set_source("a")
    assert _formats(view) == plain
