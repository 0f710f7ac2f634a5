"""Title fields that tell what was typed."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from ui.widgets.fields.title_field import TitleField


class EditedTitle(TitleField):
    """A title field: Enter or leaving keeps the text, Esc restores it."""

    committed = Signal(str)
    left = Signal()
    """The keyboard is done with it, by Enter or Esc."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._before = ""
        self.editingFinished.connect(self._on_editing_finished)

    def show_title(self, text: str) -> None:
        """Show ``text`` and remember it for Esc."""
        self._before = text
        self.setText(text)
        self.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the change back with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.setText(self._before)
            self._leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._leave()
        else:
            super().keyPressEvent(event)

    def _leave(self) -> None:
        self.clearFocus()
        self.left.emit()

    def _on_editing_finished(self) -> None:
        if self.text() != self._before:
            self._before = self.text()
            self.committed.emit(self.text())
