"""Sheets: pages that stand in place of the panes until they are closed."""

from typing import Protocol, cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget
from shiboken6 import isValid

from ui import theme


class Sheet(Protocol):
    """A page that the stack can hold."""

    def reject(self) -> None:
        """Close the page."""

    def regions(self) -> list[QWidget]:
        """Return the parts that F6 cycles through."""


class SheetStack(QObject):
    """Shows one sheet in front of the panes; the keyboard returns to where it was.

    Args:
        pages: Holds the panes and the sheets.
        home: What is in front without a sheet.
        parent: The Qt parent.
    """

    changed = Signal()

    def __init__(self, pages: QStackedWidget, home: QWidget, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pages = pages
        self._home = home
        self._sheets: list[QWidget] = []
        self._focus: QWidget | None = None

    @property
    def front(self) -> Sheet | None:
        """The sheet in front, ``None`` where there is none."""
        return cast("Sheet", self._sheets[-1]) if self._sheets else None

    def set_home(self, home: QWidget) -> None:
        """Change what is in front without a sheet."""
        self._home = home
        if not self._sheets:
            self._pages.setCurrentWidget(home)

    def show_sheet(self, sheet: QWidget) -> None:
        """Bring a sheet to the front; those before it stay open below."""
        if not self._sheets:
            self._focus = QApplication.focusWidget()
        if sheet in self._sheets:
            self._sheets.remove(sheet)
        self._sheets.append(sheet)
        if self._pages.indexOf(sheet) < 0:
            self._pages.addWidget(sheet)
        theme.current().dress(sheet)
        self._pages.setCurrentWidget(sheet)
        self.changed.emit()

    def remove(self, sheet: QWidget) -> None:
        """Take a sheet away; what was before it comes to the front."""
        if sheet not in self._sheets:
            return
        self._sheets.remove(sheet)
        self._pages.setCurrentWidget(self._sheets[-1] if self._sheets else self._home)
        self._pages.removeWidget(sheet)
        if not self._sheets:
            self._return_focus()
        self.changed.emit()

    def dismiss(self) -> None:
        """Close all sheets: a place is shown instead."""
        self._focus = None
        for sheet in reversed(tuple(self._sheets)):
            cast("Sheet", sheet).reject()

    def _return_focus(self) -> None:
        focus, self._focus = self._focus, None
        if focus is not None and isValid(focus) and focus.isVisible():
            focus.setFocus(Qt.FocusReason.OtherFocusReason)
