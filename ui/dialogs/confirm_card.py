"""Confirm card: a title, what it means, and buttons to agree or cancel."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from ui.dialogs.base_dialog import note
from ui.style.design_tokens import Space
from ui.widgets.button import text_button


class ConfirmCard(QFrame):
    """Question within a page; hidden until it is asked.

    Args:
        confirm: Words of the button that agrees.
        cancel: Words of the button that leaves it.
        parent: The Qt parent.
    """

    def __init__(self, confirm: str, cancel: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.title = note("", self, "strong")
        self.text = note("", self, "body")
        self.confirm = text_button(confirm, "primary", parent=self)
        self.cancel = text_button(cancel, parent=self)
        self.rows = QVBoxLayout()
        self.rows.setSpacing(Space.S)
        buttons = QHBoxLayout()
        buttons.setSpacing(Space.S)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.confirm)
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.L, Space.M, Space.L, Space.M)
        column.setSpacing(Space.S)
        column.addWidget(self.title)
        column.addWidget(self.text)
        column.addLayout(self.rows)
        column.addLayout(buttons)
        self.hide()
