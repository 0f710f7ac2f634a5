"""Context menus: entries in parts, opened where the pointer or the current row is."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from ui.widgets.plain_text import caption

Entry = tuple[str, Callable[[], object]]


def open_menu(parent: QWidget, where: QPoint, parts: Sequence[Sequence[Entry]]) -> QMenu:
    """Open a menu that goes away by itself, and return it.

    Args:
        parent: Whose menu it is.
        where: The global position of its corner.
        parts: Entries that belong together, each a title and what it does; a line stands between parts.
    """
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for part in parts:
        if menu.actions() and part:
            menu.addSeparator()
        for title, run in part:
            menu.addAction(caption(title), run)
    menu.popup(where)
    return menu
