"""Crash report dialog: stacks to read and copy; nothing is sent."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from ui.dialogs.base_dialog import BaseDialog, note
from ui.widgets.button import text_button
from ui.widgets.fields.text_field import TextField


class CrashDialog(BaseDialog):
    """Shows a crash report.

    Args:
        report: What to show.
        window: The window it belongs to.
    """

    def __init__(self, report: str, window: QWidget | None = None) -> None:
        super().__init__(self.tr("Crash report"), window)
        about = self.tr("It names files and functions of the program and nothing you wrote. Nothing was sent anywhere.")
        self.body.addWidget(note(about, self))
        self.text = TextField(self.tr("Crash report"), self, text=report, is_read_only=True, wraps=False)
        self.body.addWidget(self.text, 1)
        copy = self.add_button(text_button(self.tr("Copy"), parent=self))
        copy.clicked.connect(self._on_copy_clicked)

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
