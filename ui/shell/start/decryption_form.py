"""Form of the start page that asks whether the memories are to be decrypted."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ui.style.design_tokens import Space
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
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Space.S)
        row.addStretch(1)
        row.addWidget(self.keep)
        row.addWidget(self.decrypt)
        row.addStretch(1)

    def _on_keep_clicked(self) -> None:
        self.answered.emit(False)

    def _on_decrypt_clicked(self) -> None:
        self.answered.emit(True)
