"""F6: from one part of the window to the next, by keyboard."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def holder(regions: Sequence[QWidget], focus: QWidget | None) -> int:
    """Return the index of the innermost region that has the focus, -1 when none has."""
    place = -1
    for index, region in enumerate(regions):
        if focus is None or not (region is focus or region.isAncestorOf(focus)):
            continue
        if place < 0 or regions[place].isAncestorOf(region):
            place = index
    return place


def entrance(region: QWidget) -> QWidget | None:
    """Return the widget of ``region`` that can take the focus."""
    candidates = [region, *region.findChildren(QWidget)]
    for widget in candidates:
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible() and widget.isEnabled():
            return widget
    return None


def cycle(regions: Sequence[QWidget], focus: QWidget | None, step: int) -> QWidget | None:
    """Move the focus ``step`` regions on and return the widget that has it."""
    start = holder(regions, focus)
    for offset in range(1, len(regions) + 1):
        target = entrance(regions[(start + step * offset) % len(regions)])
        if target is not None and target is not focus:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return target
    return None
