"""The orders that a list can have, as a menu behind a button."""

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from ui.widgets.button import icon_button


class SortMenu(QObject):
    """A menu with the orders of a list.

    The list places ``button`` in its header, and may add to ``menu``.

    Args:
        label: What the button is called.
        orders: Names of the orders with their titles; the first one holds until another is chosen.
        parent: The list.
        icon_name: The button's icon.
    """

    changed = Signal()
    """The person chose an order."""

    def __init__(
        self, label: str, orders: Iterable[tuple[str, str]], parent: QWidget, icon_name: str = "arrow-up-down"
    ) -> None:
        super().__init__(parent)
        self.menu = QMenu(parent)
        self._group = QActionGroup(self.menu)
        for name, title in orders:
            action = QAction(title, self._group)
            action.setCheckable(True)
            action.setData(name)
            self.menu.addAction(action)
        self._group.actions()[0].setChecked(True)
        self._group.triggered.connect(self.changed)
        self.button = icon_button(icon_name, label, parent=parent)
        self.button.setPopupMode(self.button.ToolButtonPopupMode.InstantPopup)
        self.button.setMenu(self.menu)

    @property
    def current(self) -> Any:
        """The order that holds: one of the names given."""
        return self._group.checkedAction().data()

    def restore(self, name: object) -> None:
        """Choose the order called ``name``, if there is one."""
        for action in self._group.actions():
            if action.data() == name:
                action.setChecked(True)
