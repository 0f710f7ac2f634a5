"""A few words to oneself, added to a conversation the person began."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui.style.design_tokens import Space
from ui.widgets.button import text_button
from ui.widgets.fields.text_field import TextField

LINES = 6


class Composer(QFrame):
    """A field that grows with its text; Enter sends, Shift+Enter begins a line."""

    sent = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = TextField(self.tr("Message to yourself"), self, placeholder=self.tr("Write to yourself…"))
        self.field.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.field.installEventFilter(self)
        self._send = text_button(self.tr("Add"), "primary", parent=self)
        self._send.setEnabled(False)
        self._send.clicked.connect(self.send)
        row = QHBoxLayout(self)
        row.setContentsMargins(Space.L, Space.S, Space.L, Space.M)
        row.setSpacing(Space.S)
        row.addWidget(self.field, 1)
        row.addWidget(self._send, 0, Qt.AlignmentFlag.AlignBottom)
        self.field.textChanged.connect(self._on_field_text_changed)
        self._fit()

    def send(self) -> None:
        """Hand over what is written; it stays until ``clear``, so a failure loses nothing."""
        text = self.field.toPlainText().strip()
        if text and self._send.isEnabled():
            self._send.setEnabled(False)
            self.sent.emit(text)

    def clear(self) -> None:
        """Empty the field: the text is stored."""
        self.field.clear()

    def retry(self) -> None:
        """Allow sending again after a failure."""
        self._send.setEnabled(bool(self.field.toPlainText().strip()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Send with Enter."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.send()
                return True
        return super().eventFilter(watched, event)

    def _on_field_text_changed(self) -> None:
        self.retry()
        self._fit()

    def _fit(self) -> None:
        lines = min(LINES, max(1, round(self.field.document().size().height())))
        self.field.setFixedHeight(lines * self.field.fontMetrics().lineSpacing() + 2 * Space.M + 2)
