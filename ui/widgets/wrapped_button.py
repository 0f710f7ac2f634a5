"""Buttons and check boxes that break long words into lines."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetrics, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QSizePolicy, QWidget

from ui.widgets.button import TextButton

if TYPE_CHECKING:
    _Button = QAbstractButton
else:
    _Button = object

_LEAST_CHARACTERS = 12


class _Wrapping(_Button):
    """The wrapping of a button's words; comes before Qt's class."""

    def prepare(self, words: str) -> None:
        """Show ``words``, in as many lines as they need."""
        self._words = ""
        policy = self.sizePolicy()
        # It may be narrower than its words in one line, and higher.
        policy.setHorizontalPolicy(QSizePolicy.Policy.Preferred)
        policy.setVerticalPolicy(QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setText(words)

    def text(self) -> str:
        """Return all its words, in one line."""
        return self._words

    def setText(self, words: str) -> None:
        """Show other words."""
        self._words = words
        self.setAccessibleName(words.replace("&&", "&"))
        self._wrap(self.width())
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return room for all of it in one line."""
        return QSize(self._frame() + self.fontMetrics().horizontalAdvance(self._words), self._height(1))

    def minimumSizeHint(self) -> QSize:
        """Return the room for a few words in each line."""
        least = self._frame() + _LEAST_CHARACTERS * self.fontMetrics().averageCharWidth()
        return QSize(min(least, self.sizeHint().width()), self._height(1))

    def hasHeightForWidth(self) -> bool:
        """Return True: narrower means higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        return self._height(len(self._lines(width)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew."""
        super().resizeEvent(event)
        self._wrap(event.size().width())

    def _wrap(self, width: int) -> None:
        shown = "\n".join(self._lines(width))
        if shown != super().text():
            super().setText(shown)

    def _frame(self) -> int:
        """Return the width of all but the words."""
        lines = super().text().split("\n")
        return super().sizeHint().width() - max(map(self.fontMetrics().horizontalAdvance, lines))

    def _height(self, lines: int) -> int:
        more = lines - super().text().count("\n") - 1
        return super().sizeHint().height() + more * self.fontMetrics().lineSpacing()

    def _lines(self, width: int) -> list[str]:
        return broken_lines(self._words, self.fontMetrics(), width - self._frame())


class WrappedCheckBox(_Wrapping, QCheckBox):
    """A check box with long words."""

    def __init__(self, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.prepare(words)


class WrappedButton(_Wrapping, TextButton):
    """A push button with long words."""

    def __init__(self, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoDefault(False)
        self.prepare(words)


def broken_lines(words: str, metrics: QFontMetrics, width: int) -> list[str]:
    """Return the lines of ``words`` in a width; of a script without spaces too."""
    if metrics.horizontalAdvance(words) <= width:
        return [words]
    layout = QTextLayout(words)
    layout.setTextOption(QTextOption())
    lines = []
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 1))
        lines.append(words[line.textStart() : line.textStart() + line.textLength()].strip())
    layout.endLayout()
    return lines or [words]
