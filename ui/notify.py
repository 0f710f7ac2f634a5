"""Notifications of the desktop: only for what the person asked for or must decide."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QSystemTrayIcon

from ui.widgets.plain_text import without_markup

if TYPE_CHECKING:
    from ui.window import Window

SHOWN_MS = 8000


def notify(tray: QSystemTrayIcon | None, title: str, text: str) -> bool:
    """Show a notification through the tray; False where there is no way to show one.

    Args:
        tray: The tray's icon, ``None`` when there is none.
        title: A few words.
        text: One sentence; never the content of a memory.
    """
    if tray is None or not tray.isVisible() or not QSystemTrayIcon.supportsMessages():
        return False
    tray.showMessage(without_markup(title), without_markup(text), tray.icon(), SHOWN_MS)
    return True


def is_in_front(window: "Window") -> bool:
    """Return whether the person sees the window, so that a toast is enough."""
    return window.isVisible() and window.isActiveWindow()
