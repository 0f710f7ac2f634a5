"""Field that takes the keys that are pressed in it."""

from typing import Final

from PySide6.QtCore import QEvent, QKeyCombination, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QKeySequenceEdit, QWidget

_FIRST_SPECIAL: Final = 0x01000000
"""Qt's codes of keys that type nothing begin here."""
_NEEDED: Final = frozenset(
    {
        Qt.Key.Key_Escape,
        Qt.Key.Key_Tab,
        Qt.Key.Key_Backtab,
        Qt.Key.Key_Return,
        Qt.Key.Key_Enter,
        Qt.Key.Key_Backspace,
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
        Qt.Key.Key_Home,
        Qt.Key.Key_End,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_PageDown,
    }
)
_ALONE: Final = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)


class KeyCapture(QKeySequenceEdit):
    """Field for one combination of keys; Tab and Escape leave it."""

    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMaximumSequenceLength(1)
        self.setClearButtonEnabled(False)

    def event(self, event: QEvent) -> bool:
        """Leave on Tab and Escape."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab) and event.modifiers() in _ALONE:
                return self.focusNextPrevChild(event.key() == Qt.Key.Key_Tab)
            if event.key() == Qt.Key.Key_Escape:
                self.left.emit()
                return True
        return super().event(event)


def needs_modifier(keys: QKeySequence) -> bool:
    """Return whether keys type or move something, so that they need a modifier."""
    if keys.isEmpty():
        return False
    combination: QKeyCombination = keys[0]  # type: ignore[index]  # PySide6's stubs leave this out
    if combination.keyboardModifiers() not in _ALONE:
        return False
    return combination.key() in _NEEDED or int(combination.key()) < _FIRST_SPECIAL
