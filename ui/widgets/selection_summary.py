"""The summary of several selected rows: count, first titles, and actions."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from ui import theme
from ui.models.dates import format_number
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.button import icon_button, text_button
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.splitter import hairline

SHOWN = 12


class BulkAction(NamedTuple):
    """One button of the summary: its key, its words and its icon."""

    key: str
    words: str
    icon: str


class SelectionSummary(QFrame):
    """Stands where one thing is read while several are selected.

    Args:
        actions: What can be done to all of them.
        parent: Its parent.
    """

    picked = Signal(str)
    """A button was pressed: the key of its action."""
    cleared = Signal()
    """The person wants nothing selected."""

    def __init__(self, actions: Sequence[BulkAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sheet")
        self._heading = ElidedLabel(parent=self)
        theme.set_type(self._heading, "heading")
        clear = icon_button("x", self.tr("Clear the selection"), parent=self)
        clear.clicked.connect(self.cleared)
        self._buttons = {action.key: self._button(action) for action in actions}
        head = hbox((self._heading, 1), clear)
        flow = FlowLayout(spacing=Space.S)
        for button in self._buttons.values():
            flow.addWidget(button)
        top = vbox(head, flow, margins=(Space.XL, Space.M, Space.S, Space.M), spacing=Space.S)
        self._rows = [ElidedLabel(parent=self) for _ in range(SHOWN)]
        self._more = ElidedLabel(parent=self)
        theme.set_type(self._more, "small muted")
        below = vbox(
            *self._rows, self._more, Stretch(), margins=(Space.XL, Space.L, Space.XL, Space.L), spacing=Space.S
        )
        vbox(top, hairline(self), (below, 1), parent=self, margins=0, spacing=0)

    def show_selection(self, heading: str, count: int, titles: Sequence[str]) -> None:
        """Show what is selected.

        Args:
            heading: Such as ``5 notes selected``.
            count: How many there are.
            titles: The first of them, as far as they are known.
        """
        self._heading.setText(heading)
        for place, label in enumerate(self._rows):
            label.setText(titles[place] if place < len(titles) else "")
            label.setVisible(place < len(titles))
        rest = count - min(len(titles), SHOWN)
        self._more.setText(self.tr("and {count} more").format(count=format_number(rest)))
        self._more.setVisible(0 < rest < count)

    def offer(self, keys: Sequence[str]) -> None:
        """Show only the buttons of ``keys``."""
        for key, button in self._buttons.items():
            button.setVisible(key in keys)

    @property
    def heading(self) -> str:
        """The text of the heading."""
        return self._heading.text()

    def button(self, key: str) -> QPushButton:
        """Return the button of an action."""
        return self._buttons[key]

    def _button(self, action: BulkAction) -> QPushButton:
        button = text_button(action.words, icon_name=action.icon, parent=self)
        button.setObjectName(action.key)
        button.clicked.connect(self._on_button_clicked)
        return button

    def _on_button_clicked(self) -> None:
        self.picked.emit(self.sender().objectName())
