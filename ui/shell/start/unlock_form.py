"""Form of the start page that unlocks an encrypted vault."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ui.dialogs.base_dialog import note
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.fields.passphrase_field import PassphraseField


class UnlockForm(QWidget):
    """A field for the passphrase with its button, and what was wrong."""

    unlock_requested = Signal(str)
    cancel_requested = Signal()
    """Call off the encryption that the passphrase would begin."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = PassphraseField(self.tr("Passphrase"), self)
        self.field.returnPressed.connect(self._on_confirmed)
        self.field.textChanged.connect(self._on_field_changed)
        self.unlock = text_button(self.tr("Unlock"), "primary", icon_name="lock", parent=self)
        self.unlock.clicked.connect(self._on_confirmed)
        self.cancel = text_button(self.tr("Call the encryption off"), parent=self)
        self.cancel.clicked.connect(self.cancel_requested)
        self.cancel.hide()
        self.problem = note("", self, "body danger")
        self.problem.setAccessibleName(self.tr("Problem"))
        row = hbox((self.field, 1), self.unlock, spacing=Space.S)
        vbox(row, self.problem, self.cancel, parent=self, margins=0, spacing=Space.S)
        self._on_field_changed("")

    def set_encrypting(self, on: bool) -> None:
        """Let the passphrase begin the encryption that was chosen, instead of opening what is encrypted."""
        self.unlock.setText(self.tr("Encrypt now") if on else self.tr("Unlock"))
        self.cancel.setVisible(on)

    def ask(self, problem: str) -> None:
        """Ask for the passphrase, after ``problem`` where there was one."""
        self.field.forget()
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.field.setFocus()

    def _on_confirmed(self) -> None:
        passphrase = self.field.text()
        if passphrase:
            self.field.forget()
            self.unlock_requested.emit(passphrase)

    def _on_field_changed(self, text: str) -> None:
        self.unlock.setEnabled(bool(text))
