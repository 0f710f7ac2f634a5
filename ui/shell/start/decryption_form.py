"""Form of the start page that asks whether the memories are to be decrypted."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox
from ui.widgets.button import text_button


class DecryptionForm(QWidget):
    """Two buttons: keep the memories encrypted, or decrypt them."""

    answered = Signal(bool)
    """Carries True where the memories are to be decrypted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.keep = text_button(self.tr("Keep them encrypted"), "primary", icon_name="lock", parent=self)
        self.keep.clicked.connect(self._on_keep_clicked)
        self.decrypt = text_button(self.tr("Decrypt them"), parent=self)
        self.decrypt.clicked.connect(self._on_decrypt_clicked)
        hbox(Stretch(), self.keep, self.decrypt, Stretch(), parent=self, margins=0, spacing=Space.S)

    def _on_keep_clicked(self) -> None:
        self.answered.emit(False)

    def _on_decrypt_clicked(self) -> None:
        self.answered.emit(True)
