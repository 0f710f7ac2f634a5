"""Folding of sections in the Markdown editor."""

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from ui.widgets.text.markdown_editor import MarkdownEditor

TEXT = "\n".join([
    "Before", "# One", "a", "## Inner", "b", "# Two", "c", "```", "# no heading", "```", "d",
])  # fmt: skip


@pytest.fixture
def editor(qtbot: Any, qt_loop: Any, look: object) -> MarkdownEditor:
    async def complete(_kind: object, _prefix: str) -> list[str]:
        return []

    editor = MarkdownEditor("Text", lambda work: asyncio.get_event_loop().create_task(work), complete)
    qtbot.addWidget(editor)
    editor.resize(500, 400)
    editor.show()
    editor.set_source(TEXT)
    return editor


def at(editor: MarkdownEditor, line: int) -> None:
    editor.setTextCursor(QTextCursor(editor.document().findBlockByNumber(line)))


def shown(editor: MarkdownEditor) -> list[int]:
    document = editor.document()
    return [one for one in range(document.blockCount()) if document.findBlockByNumber(one).isVisible()]


@pytest.mark.parametrize(
    ("line", "left"),
    [
        (1, [0, 1, 5, 6, 7, 8, 9, 10]),
        (2, [0, 1, 5, 6, 7, 8, 9, 10]),
        (3, [0, 1, 2, 3, 5, 6, 7, 8, 9, 10]),
        (8, [0, 1, 2, 3, 4, 5]),
        (10, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_a_section_goes_up_to_the_next_heading_of_its_level(editor: MarkdownEditor, line: int, left: list[int]) -> None:
    at(editor, line)
    assert editor.folds.toggle()
    assert shown(editor) == left
    assert editor.source() == TEXT
    assert editor.textCursor().block().isVisible()
    assert editor.folds.toggle()
    assert shown(editor) == list(range(11))


def test_nothing_is_folded_above_the_first_heading(editor: MarkdownEditor) -> None:
    at(editor, 0)
    assert not editor.folds.toggle()
    editor.set_source("")
    assert not editor.folds.toggle()


def test_hidden_lines_take_no_room(editor: MarkdownEditor) -> None:
    at(editor, 1)
    editor.folds.toggle()
    layout = editor.document().documentLayout()
    one, two = (editor.document().findBlockByNumber(line) for line in (1, 5))
    heights = [layout.blockBoundingRect(editor.document().findBlockByNumber(line)).height() for line in (2, 3, 4)]
    assert heights == [0, 0, 0]
    top = editor.blockBoundingGeometry(two).top() - editor.blockBoundingGeometry(one).bottom()
    assert abs(top) < 2


def test_going_to_a_hidden_place_shows_it(editor: MarkdownEditor) -> None:
    at(editor, 5)
    editor.folds.toggle()
    editor.go_to_line(10)
    assert shown(editor) == list(range(11))
    at(editor, 1)
    editor.folds.toggle()
    editor.mark_words(("b",))
    assert editor.folds.folded == []


def test_changing_a_folded_heading_shows_what_was_below(editor: MarkdownEditor, qtbot: Any) -> None:
    at(editor, 1)
    editor.folds.toggle()
    editor.moveCursor(QTextCursor.MoveOperation.EndOfBlock)
    qtbot.keyClick(editor, Qt.Key.Key_Delete)
    assert shown(editor) == list(range(10))
    editor.undo()
    assert editor.source() == TEXT
    assert shown(editor) == list(range(11))


def test_another_text_has_nothing_folded(editor: MarkdownEditor) -> None:
    at(editor, 1)
    editor.folds.toggle()
    editor.set_source(TEXT + "\nmore")
    assert editor.folds.folded == []


def test_a_click_on_the_sign_unfolds(editor: MarkdownEditor, qtbot: Any) -> None:
    at(editor, 1)
    editor.folds.toggle()
    before = editor.viewport().grab().toImage()
    ((_, place),) = editor.folds._signs()
    assert editor.viewport().rect().contains(place)
    qtbot.mouseClick(editor.viewport(), Qt.MouseButton.LeftButton, pos=place.center())
    assert editor.folds.folded == []
    assert editor.viewport().grab().toImage() != before


def test_all_sections_unfold_at_once(editor: MarkdownEditor) -> None:
    for line in (5, 1):
        at(editor, line)
        editor.folds.toggle()
    assert editor.folds.folded == [1, 5]
    editor.folds.unfold_all()
    assert shown(editor) == list(range(11))
