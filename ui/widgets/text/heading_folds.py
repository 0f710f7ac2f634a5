"""Folding of sections in a text editor: hidden, never changed."""

from collections.abc import Iterator
from typing import Final

from PySide6.QtCore import QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QPainter, QTextBlock, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from ui import theme
from ui.models.text_structure import structure_of
from ui.style.design_tokens import Radius, Space

_PARAGRAPH: Final = "\u2029"


class HeadingFolds(QObject):
    """Folds and unfolds the sections of an editor.

    Editing a folded heading unfolds it, and so does going to a place in what is hidden.

    Args:
        editor: Shows Markdown; its layout gives hidden blocks no height.
    """

    changed = Signal()

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        self._is_folding = False
        editor.cursorPositionChanged.connect(self._on_cursor_position_changed)
        editor.document().contentsChange.connect(self._on_contents_change)

    @property
    def folded(self) -> list[int]:
        """Lines of the headings that are folded, the first line being 0."""
        return [block.blockNumber() for block in self._blocks() if self._is_folded(block)]

    def toggle(self) -> bool:
        """Fold the section of the cursor, or unfold it; False where no heading is above."""
        line = self._editor.textCursor().blockNumber()
        headings = structure_of(self._text()).headings
        above = [number for number, heading in enumerate(headings) if heading.line <= line]
        if not above:
            return False
        heading = headings[above[-1]]
        later = (other.line for other in headings[above[-1] + 1 :] if other.level <= heading.level)
        first = self._editor.document().findBlockByNumber(heading.line)
        if self._is_folded(first):
            self._unfold(first)
        else:
            self._fold(first, next(later, self._editor.document().blockCount()))
        return True

    def unfold_all(self) -> None:
        """Show everything."""
        for block in self._blocks():
            if self._is_folded(block):
                self._unfold(block)

    def paint(self) -> None:
        """Paint a sign behind each folded heading in sight; called after the text is painted."""
        signs = list(self._signs())
        if not signs:
            return
        painter = QPainter(self._editor.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.current().font("small"))
        for _, place in signs:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.current().colour("hover"))
            painter.drawRoundedRect(place, Radius.SMALL, Radius.SMALL)
            painter.setPen(theme.current().colour("muted"))
            painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), "⋯")
        painter.end()

    def click(self, point: QPoint) -> bool:
        """Unfold the section whose sign is at ``point``; False where there is none."""
        for block, place in self._signs():
            if place.contains(point):
                self._unfold(block)
                return True
        return False

    def _signs(self) -> Iterator[tuple[QTextBlock, QRect]]:
        editor = self._editor
        block, bottom = editor.firstVisibleBlock(), editor.viewport().height()
        while block.isValid():
            if block.isVisible():
                place = editor.blockBoundingGeometry(block).translated(editor.contentOffset())
                if place.top() > bottom:
                    return
                if self._is_folded(block):
                    end = QTextCursor(block)
                    end.movePosition(QTextCursor.MoveOperation.EndOfBlock)
                    behind = editor.cursorRect(end)
                    width = editor.fontMetrics().horizontalAdvance("⋯") + 2 * Space.S
                    left = behind.left() - Space.S - width if editor.isRightToLeft() else behind.right() + Space.S
                    yield block, QRect(left, behind.top(), width, behind.height())
            block = block.next()

    def _text(self) -> str:
        return self._editor.document().toRawText().replace(_PARAGRAPH, "\n")

    def _blocks(self) -> Iterator[QTextBlock]:
        block = self._editor.document().begin()
        while block.isValid():
            yield block
            block = block.next()

    @staticmethod
    def _is_folded(block: QTextBlock) -> bool:
        return block.isVisible() and block.next().isValid() and not block.next().isVisible()

    def _fold(self, heading: QTextBlock, end: int) -> None:
        block = heading.next()
        if not block.isValid() or block.blockNumber() >= end:
            return
        self._is_folding = True
        if self._editor.textCursor().blockNumber() > heading.blockNumber():
            cursor = QTextCursor(heading)
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
            self._editor.setTextCursor(cursor)
        while block.isValid() and block.blockNumber() < end:
            _show(block, is_visible=False)
            block = block.next()
        self._is_folding = False
        self._lay_out(heading)

    def _unfold(self, heading: QTextBlock) -> None:
        block = heading.next()
        while block.isValid() and not block.isVisible():
            _show(block, is_visible=True)
            block = block.next()
        self._lay_out(heading)

    def _lay_out(self, heading: QTextBlock) -> None:
        document = self._editor.document()
        self._is_folding = True
        document.markContentsDirty(heading.position(), document.characterCount() - heading.position())
        self._is_folding = False
        layout = document.documentLayout()
        layout.documentSizeChanged.emit(layout.documentSize())
        self._editor.viewport().update()
        self.changed.emit()

    def _heading_of(self, block: QTextBlock) -> QTextBlock:
        """Return the visible block above a hidden one."""
        while block.isValid() and not block.isVisible():
            block = block.previous()
        return block

    def _on_cursor_position_changed(self) -> None:
        block = self._editor.textCursor().block()
        if not self._is_folding and not block.isVisible():
            heading = self._heading_of(block)
            self._unfold(heading if heading.isValid() else self._editor.document().begin())
            self._editor.ensureCursorVisible()

    def _on_contents_change(self, position: int, removed: int, added: int) -> None:
        if self._is_folding or not (removed or added):
            return
        block = self._heading_of(self._editor.document().findBlock(position))
        if block.isValid() and self._is_folded(block):
            self._unfold(block)


def _show(block: QTextBlock, *, is_visible: bool) -> None:
    block.setVisible(is_visible)
    block.setLineCount(max(1, block.layout().lineCount()) if is_visible else 0)
