"""Roots of the style sheet: widgets that carry it for all that is in them.

A sheet of the whole application is matched against every widget at each change, whether it can be seen or not, in one
go of a quarter of a second. Of roots the visible ones are dressed at once and the hidden ones one by one.
"""

from collections.abc import Callable, Iterator
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

Rules = Callable[[], str]


class SheetRoots(QObject):
    """Widgets that carry the style sheet, or rules of their own instead.

    Args:
        parent: The Qt parent.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rules: WeakKeyDictionary[QWidget, Rules | None] = WeakKeyDictionary()
        self._worn: WeakKeyDictionary[QWidget, str] = WeakKeyDictionary()
        self._sheet = ""
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._on_timer_timeout)

    def add(self, root: QWidget, rules: Rules | None = None) -> None:
        """Let ``root`` carry the sheet from now on.

        Args:
            root: The widget, without children yet where possible: they are dressed as they are made.
            rules: Returns the rules that it carries instead, in the colours of now.
        """
        self._rules[root] = rules
        self.dress(root)

    def set_sheet(self, sheet: str, *, at_once: bool) -> None:
        """Change the sheet of all roots.

        Args:
            sheet: The sheet; ``""`` takes it away.
            at_once: Whether hidden roots are dressed before this returns, and not in the turns of the event loop
                that follow.
        """
        self._sheet = sheet
        for root in self._valid():
            if at_once or root.isVisible():
                self.dress(root)
        if at_once or not self._rules:
            self._timer.stop()
        else:
            self._timer.start()

    def dress(self, root: QWidget) -> None:
        """Give ``root`` the sheet of now; does nothing where it has it."""
        rules = self._rules.get(root)
        sheet = rules() if rules is not None else self._sheet
        if self._worn.get(root, "") == sheet:
            return
        self._worn[root] = sheet
        # To replace a sheet by another takes longer than to take it away and put the other on.
        if root.styleSheet():
            root.setStyleSheet("")
        root.setStyleSheet(sheet)

    def _valid(self) -> Iterator[QWidget]:
        return (root for root in tuple(self._rules) if isValid(root))

    def _on_timer_timeout(self) -> None:
        for root in self._valid():
            before = self._worn.get(root)
            self.dress(root)
            if self._worn.get(root) != before:
                return
        self._timer.stop()
