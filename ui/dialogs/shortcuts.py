"""All keyboard shortcuts, read from the action registry."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from ui.actions import Actions
from ui.dialogs.base_dialog import BaseDialog
from ui.shell.window_commands import group_title
from ui.widgets.field_icons import FieldIcons


class ShortcutsDialog(BaseDialog):
    """Actions that have a key, by menu, with a search over both."""

    def __init__(self, actions: Actions, window: QWidget | None = None) -> None:
        super().__init__(self.tr("Keyboard shortcuts"), window)
        self._actions = actions
        self._search = QLineEdit(self)
        self._search.setPlaceholderText(self.tr("Search by action or key"))
        self._search.setAccessibleName(self.tr("Search shortcuts"))
        FieldIcons(self._search, "search")
        self._search.textChanged.connect(self._fill)
        self._tree = QTreeWidget(self)
        self._tree.setAccessibleName(self.tr("Shortcuts"))
        self._tree.setObjectName("shortcutTree")
        self._tree.setColumnCount(2)
        self._tree.setHeaderHidden(True)
        self._tree.setRootIsDecorated(False)
        self._tree.setIndentation(12)
        self._tree.setUniformRowHeights(True)
        self._tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self._tree.header().setStretchLastSection(False)
        self.body.addWidget(self._search)
        self.body.addWidget(self._tree, 1)

    def bring_to_front(self) -> None:
        """Show what is registered now."""
        self._fill()
        super().bring_to_front()
        self._search.setFocus()

    def _fill(self) -> None:
        wanted = self._search.text().casefold()
        self._tree.clear()
        headings: dict[str, QTreeWidgetItem] = {}
        for action in self._actions.all():
            if not action.keys or wanted not in f"{action.title} {action.keys}".casefold():
                continue
            if action.group not in headings:
                head = QTreeWidgetItem(self._tree, [group_title(action.group)])
                head.setFlags(Qt.ItemFlag.ItemIsEnabled)
                head.setFirstColumnSpanned(True)
                font = head.font(0)
                font.setBold(True)
                head.setFont(0, font)
                headings[action.group] = head
            QTreeWidgetItem(headings[action.group], [action.title.rstrip("…"), action.keys])
        self._tree.expandAll()
