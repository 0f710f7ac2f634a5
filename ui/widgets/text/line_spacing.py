"""Line spacing for plain text editors, which Qt lays out without any."""

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPalette, QTextBlock, QTextDocument, QTextLine
from PySide6.QtWidgets import QPlainTextDocumentLayout, QPlainTextEdit, QWidget

LINE_HEIGHT_PERCENT = 128
"""Distance of lines in percent of the font's own, which is about 1.17 times its size: 1.5 times the size in all."""


class SpacedLayout(QPlainTextDocumentLayout):
    """Layout of a plain text document with space between its lines.

    ``QPlainTextDocumentLayout`` ignores the line height of block formats, so lines are placed here. Half of the space
    of a line stands above it, which also tells a block laid out here from one that Qt laid out after a key.
    """

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._space = 0.0

    @property
    def space(self) -> float:
        """Pixels between two lines."""
        return self._space

    def set_line_height(self, line_height: float, percent: int = LINE_HEIGHT_PERCENT) -> None:
        """Set the space for a font with lines of ``line_height`` pixels."""
        self._space = float(round(line_height * (percent - 100) / 100))

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        """Return the extent of a block, laying it out with space where it is not."""
        if not block.isValid() or not block.isVisible() or not self._space:
            return super().blockBoundingRect(block)
        lines = block.layout()
        if not lines.lineCount():
            super().blockBoundingRect(block)  # Qt's own layout breaks the lines and counts them
        above = self._space / 2
        if lines.lineCount() and lines.lineAt(0).y() < above:
            for number in range(lines.lineCount()):
                line = lines.lineAt(number)
                line.setPosition(QPointF(line.x(), line.y() + above + number * self._space))
        rect = super().blockBoundingRect(block)
        rect.setHeight(rect.height() + above)
        return rect


class SpacedTextEdit(QPlainTextEdit):
    """A plain text editor with space between its lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        document = QTextDocument(self)
        self._layout = SpacedLayout(document)
        document.setDocumentLayout(self._layout)
        document.setDefaultFont(self.font())
        self.setDocument(document)

    def set_spaced_font(self, font: QFont) -> None:
        """Set the font, with space between its lines."""
        # First the space: with the font the document is laid out again.
        self._layout.set_line_height(QFontMetricsF(font).height())
        self.setFont(font)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a selection without stripes where the space between its lines is."""
        if self.textCursor().hasSelection():
            self._paint_selected_space()
        super().paintEvent(event)

    def _paint_selected_space(self) -> None:
        cursor, space = self.textCursor(), self._layout.space
        colours = QPalette.ColorGroup.Active if self.hasFocus() else QPalette.ColorGroup.Inactive
        painter = QPainter(self.viewport())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.palette().brush(colours, QPalette.ColorRole.Highlight))
        block, bottom = self.firstVisibleBlock(), self.viewport().height()
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            begin, end = cursor.selectionStart() - block.position(), cursor.selectionEnd() - block.position()
            if place.top() > bottom or end <= 0:
                break
            for rect in _selected_lines(block, begin, end, space):
                painter.drawRect(rect.translated(place.topLeft()))
            block = block.next()
        painter.end()


def _selected_lines(block: QTextBlock, begin: int, end: int, space: float) -> Iterator[QRectF]:
    """Yield the rectangles of a block's selected lines, each with its space."""
    lines = block.layout()
    for number in range(lines.lineCount()):
        line = lines.lineAt(number)
        first, last = line.textStart(), line.textStart() + line.textLength()
        if begin < last and end > first:
            left, right = _x_of(line, max(begin, first)), _x_of(line, min(end, last))
            yield QRectF(min(left, right), line.y() - space / 2, abs(right - left), line.height() + space)


def _x_of(line: QTextLine, place: int) -> float:
    x: tuple[float, int] = line.cursorToX(place)  # type: ignore[assignment]
    return x[0]
