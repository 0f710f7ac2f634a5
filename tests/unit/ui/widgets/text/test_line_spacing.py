"""Lines of a plain text editor are spaced, while it is typed in, too."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from PySide6.QtGui import QTextBlock, QTextCursor
from pytestqt.qtbot import QtBot

from ui.widgets.text.line_spacing import LINE_HEIGHT_PERCENT, SpacedTextEdit


@pytest.fixture
def editor(qtbot: QtBot) -> Iterator[SpacedTextEdit]:
    edit = SpacedTextEdit()
    qtbot.addWidget(edit)
    edit.set_spaced_font(edit.font())
    edit.resize(300, 300)
    edit.setPlainText("\n".join(["some words that need more than one line of an editor " * 2] * 3))
    edit.show()
    yield edit
    edit.hide()


def distances(block: QTextBlock) -> set[float]:
    lines = block.layout()
    tops = [lines.lineAt(number).y() for number in range(lines.lineCount())]
    return {round(second - first, 3) for first, second in pairwise(tops)}


def expected(editor: SpacedTextEdit) -> float:
    height = editor.fontMetrics().height()
    return height + round(height * (LINE_HEIGHT_PERCENT - 100) / 100)


def test_lines_and_blocks_are_spaced(editor: SpacedTextEdit) -> None:
    first = editor.firstVisibleBlock()
    assert first.layout().lineCount() > 2
    assert distances(first) == {expected(editor)}
    whole = editor.blockBoundingGeometry(first).height()
    assert whole == pytest.approx(first.layout().lineCount() * expected(editor))


def test_they_stay_spaced_while_one_types(editor: SpacedTextEdit) -> None:
    cursor = QTextCursor(editor.document())
    for text in ("x", "many more words of this first line ", "\n", "y"):
        cursor.insertText(text)
        editor.grab()
        block = editor.document().firstBlock()
        top = 0.0
        while block.isValid():
            assert distances(block) <= {expected(editor)}
            assert editor.blockBoundingGeometry(block).top() == pytest.approx(top)
            top += editor.blockBoundingGeometry(block).height()
            block = block.next()


def test_another_font_is_spaced_by_its_own_height(editor: SpacedTextEdit) -> None:
    font = editor.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    editor.set_spaced_font(font)
    editor.grab()
    assert distances(editor.firstVisibleBlock()) == {expected(editor)}


def test_a_selection_has_no_stripes(editor: SpacedTextEdit) -> None:
    # A style sheet, such as other tests install, would win over a palette.
    editor.setStyleSheet("selection-background-color: #ff0000")
    editor.selectAll()
    picture = editor.viewport().grab().toImage()
    column = round(editor.document().documentMargin()) + 1
    lines = editor.firstVisibleBlock().layout()
    ends = [lines.lineAt(number).y() + lines.lineAt(number).height() for number in range(lines.lineCount())]
    colours = [picture.pixelColor(column, round(end) + 1) for end in ends]
    assert all(colour.red() > 240 and colour.green() < 40 for colour in colours), [colour.name() for colour in colours]
