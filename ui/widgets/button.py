"""Buttons: push buttons with text, tool buttons with an icon.

Buttons without text are built here only, where they cannot go without an accessible name.
"""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QKeySequence, QPixmap
from PySide6.QtWidgets import QAbstractButton, QPushButton, QToolButton, QWidget

from ui import theme
from ui.style.icons import icon
from ui.widgets.plain_text import tooltip

ICON_SIZE = 18
WORDS_ICON_SIZE = 16
ICON_ROOM = 4
TARGET_SIZE = 32
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class TextButton(QPushButton):
    """A push button that Enter presses too.

    Qt allows that on some desktops only, and for one button of a dialog.
    """

    def setIcon(self, icon: QIcon | QPixmap) -> None:
        """Show an icon, with room between it and the words."""
        super().setIcon(icon)
        self._fit_icon()

    def changeEvent(self, event: QEvent) -> None:
        """Let the icon grow with the text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and not self.icon().isNull():
            self._fit_icon()

    def _fit_icon(self) -> None:
        # Qt leaves four pixels beside an icon, whatever the style sheet says; a wider one stands in the middle.
        look = theme.current()
        self.setIconSize(QSize(look.scaled(WORDS_ICON_SIZE + ICON_ROOM), look.scaled(WORDS_ICON_SIZE)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press on Enter."""
        if not _entered(self, event):
            super().keyPressEvent(event)


class ToolButton(QToolButton):
    """A tool button that Enter presses; its icon grows with the text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon_size = QSize(ICON_SIZE, ICON_SIZE)
        self._fit_icon()
        theme.current().changed.connect(self._fit_icon)

    def setIconSize(self, size: QSize) -> None:
        """Set how large the icon is beside text of the system's size."""
        self._icon_size = size
        self._fit_icon()

    def _fit_icon(self) -> None:
        look = theme.current()
        super().setIconSize(QSize(look.scaled(self._icon_size.width()), look.scaled(self._icon_size.height())))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press on Enter."""
        if not _entered(self, event):
            super().keyPressEvent(event)


def _entered(button: QAbstractButton, event: QKeyEvent) -> bool:
    """Press ``button`` when the key is Enter; one held down presses once."""
    if event.key() not in ENTER:
        return False
    if not event.isAutoRepeat():
        button.click()
    return True


def icon_button(
    name: str,
    label: str,
    *,
    shortcut: str = "",
    checkable: bool = False,
    tint: str = "muted",
    parent: QWidget | None = None,
) -> QToolButton:
    """Return a flat button that shows only an icon.

    Args:
        name: The icon's name.
        label: What it does, in words: its accessible name and tooltip. Required.
        shortcut: Shown in the tooltip; the action registry owns the key itself.
        checkable: Whether it stays down.
        tint: Token of the icon's colour.
        parent: Its parent.

    Raises:
        ValueError: When ``label`` is blank.
    """
    if not label.strip():
        raise ValueError(f"The button with the icon {name} needs a label")
    button = ToolButton(parent)
    button.setIcon(icon(name, tint))
    button.setMinimumSize(TARGET_SIZE, TARGET_SIZE)
    button.setProperty("flat", True)
    button.setCheckable(checkable)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    name_button(button, label, shortcut)
    return button


def name_button(button: QToolButton, label: str, shortcut: str = "") -> None:
    """Give ``button`` its accessible name and a tooltip that shows its key."""
    keys = QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)
    button.setAccessibleName(label)
    button.setToolTip(tooltip(f"{label} ({keys})" if keys else label))


def text_button(text: str, look: str = "", *, icon_name: str = "", parent: QWidget | None = None) -> QPushButton:
    """Return a button with words.

    Args:
        text: Its words.
        look: ``primary`` for the one thing to do here, ``quiet`` for a link-like one, ``danger``, or ``""``.
        icon_name: An icon before the words.
        parent: Its parent.
    """
    button = TextButton(text, parent)
    button.setAutoDefault(False)
    if look:
        button.setProperty(look, True)
    if icon_name:
        button.setIcon(icon(icon_name, "on_accent" if look == "primary" else "muted"))
    return button
