"""Confirm card: a title, what it means, and buttons to agree or cancel."""

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFrame, QLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from ui.dialogs.base_dialog import note
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
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
        self._opener: QWidget | None = None
        self.setObjectName("card")
        self.title = note("", self, "strong")
        self.text = note("", self, "body")
        self.confirm = text_button(confirm, "primary", parent=self)
        self.cancel = text_button(cancel, parent=self)
        self.rows = vbox(spacing=Space.S)
        buttons = hbox(Stretch(), self.cancel, self.confirm, spacing=Space.S)
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.L, Space.M, Space.L, Space.M)
        column.setSpacing(Space.S)
        column.addWidget(self.title)
        column.addWidget(self.text)
        column.addLayout(self.rows)
        column.addLayout(buttons)
        self.hide()

    def setVisible(self, visible: bool) -> None:
        """Show or hide the card; who left it goes on where it was opened."""
        focus = QApplication.focusWidget()
        if visible and self.isHidden():
            self._order()
            self._opener = focus
        is_left = not visible and focus is not None and self.isAncestorOf(focus)
        super().setVisible(visible)
        if is_left and self._opener is not None and isValid(self._opener):
            self._opener.setFocus(Qt.FocusReason.OtherFocusReason)

    def _order(self) -> None:
        """Let the tabulator go through the fields, and then to the buttons."""
        for widget, following in pairwise((*_widgets(self.rows), self.cancel, self.confirm)):
            QWidget.setTabOrder(widget, following)


def _widgets(layout: QLayout) -> Iterator[QWidget]:
    """Yield what stands in a layout, and in those within it."""
    for place in range(layout.count()):
        item = layout.itemAt(place)
        if item is not None and (widget := item.widget()) is not None:
            yield widget
        elif item is not None and (inner := item.layout()) is not None:
            yield from _widgets(inner)
