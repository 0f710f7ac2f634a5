"""The form that corrects a fact: what is right, in one sentence."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from ui import theme
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.button import ENTER, text_button
from ui.widgets.fields.text_field import TextField

LINES = 4


class CorrectionForm(QWidget):
    """A field with the old statement, to write what is right; Enter saves, Escape leaves."""

    submitted = Signal(str)
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = TextField(self.tr("What is right"), self)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._refresh)
        self.save = text_button(self.tr("Save"), "primary", parent=self)
        self.save.clicked.connect(self._on_save_clicked)
        cancel = text_button(self.tr("Cancel"), parent=self)
        cancel.clicked.connect(self.cancelled)
        buttons = hbox(self.save, cancel, Stretch(), spacing=Space.S)
        vbox(self.field, buttons, parent=self, margins=(0, Space.XS, 0, 0), spacing=Space.S)
        self._old = ""
        self._fit()
        theme.current().changed.connect(self._fit)

    def begin(self, statement: str) -> None:
        """Show a statement to correct."""
        self._old = statement
        self.field.setPlainText(statement)
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Save with Enter and leave with Escape."""
        if watched is self.field and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in ENTER and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._on_save_clicked()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.cancelled.emit()
                return True
        return super().eventFilter(watched, event)

    def _refresh(self) -> None:
        text = self.field.toPlainText().strip()
        self.save.setEnabled(bool(text) and text != self._old.strip())

    def _fit(self) -> None:
        self.field.setFixedHeight(self.field.fontMetrics().lineSpacing() * LINES + 2 * Space.S)

    def _on_save_clicked(self) -> None:
        if self.save.isEnabled():
            self.submitted.emit(self.field.toPlainText().strip())
