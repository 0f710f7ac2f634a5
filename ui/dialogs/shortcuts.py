"""All keyboard shortcuts, read from the action registry and changed there."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ui.dialogs.base_dialog import BaseDialog
from ui.dialogs.settings.shortcut_editor import ShortcutEditor

if TYPE_CHECKING:
    from ui.actions import Actions
    from ui.bridge import Bridge


class ShortcutsDialog(BaseDialog):
    """The shortcut editor on a sheet of its own."""

    measure = 760
    applied = Signal(object)

    def __init__(self, bridge: "Bridge", actions: "Actions", window: QWidget | None = None) -> None:
        super().__init__(self.tr("Keyboard shortcuts"), window)
        self.editor = ShortcutEditor(bridge, actions, self)
        self.editor.stored.connect(self.applied)
        self.body.addWidget(self.editor, 1)

    def regions(self) -> list[QWidget]:
        """Return search, list and new keys."""
        return [self.editor.search, self.editor.tree, self.editor.card]

    def bring_to_front(self) -> None:
        """Show what is registered now."""
        self.editor.shown()
        super().bring_to_front()
        self.editor.search.setFocus()
