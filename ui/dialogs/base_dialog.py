"""Base of dialogs: sheets with a way back, heading, body and buttons."""

from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from ui import theme
from ui.shell.focus_cycle import entrance
from ui.shell.screen_fit import fit_to_screen
from ui.shell.sheet_stack import SheetStack
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.button import icon_button
from ui.widgets.plain_text import PlainLabel

_MOST = 1000
"""Share of the width that the content takes before the margins beside it."""


class BaseDialog(QFrame):
    """Sheet of the main window; a window of its own without one.

    It is deleted when closed, unless it is busy.

    Args:
        title: Its heading.
        window: The window in whose sheets it opens.
    """

    measure: ClassVar[int] = 960
    """Width in pixels that its content takes at most, at the system's size of text; 0 for all there is."""

    def __init__(self, title: str, window: QWidget | None = None) -> None:
        super().__init__(window)
        theme.current().add_root(self)
        self.is_closed = False
        stack = getattr(window, "sheets", None)
        self._stack = stack if isinstance(stack, SheetStack) else None
        self.setVisible(False)
        self.setWindowTitle(title)
        self.setObjectName("sheet")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.back = icon_button("arrow-left", self.tr("Back"), shortcut="Esc", parent=self)
        self.back.clicked.connect(self.reject)
        self._heading = PlainLabel(title, self, style="title")
        # Where the screen is too small for the body it scrolls, so that heading and buttons stay in reach.
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = QWidget(self._scroll)
        page.setObjectName("sheet")
        self.body = vbox(parent=page, margins=0, spacing=Space.M)
        self._scroll.setWidget(page)
        self._foot = QWidget(self)
        self._row = hbox(Stretch(), parent=self._foot, margins=0, spacing=Space.S)
        self._foot.hide()
        self._lay_out()
        theme.current().changed.connect(self._fit_measure)

    def _lay_out(self) -> None:
        head = hbox(self.back, (self._heading, 1), spacing=Space.S)
        self._content = QWidget(self)
        column = QVBoxLayout(self._content)
        column.setContentsMargins(Space.XL, Space.L, Space.XL, Space.L)
        column.setSpacing(Space.M)
        column.addLayout(head)
        column.addWidget(self._scroll, 1)
        column.addWidget(self._foot)
        hbox(Stretch(), (self._content, _MOST), Stretch(), parent=self, margins=0, spacing=0)
        self._fit_measure()

    def _fit_measure(self) -> None:
        """Keep lines short enough to read in a wide window."""
        if self.measure:
            self._content.setMaximumWidth(theme.current().scaled(self.measure) + 2 * Space.XL)

    def add_button(self, button: QPushButton, *, left: bool = False) -> QPushButton:
        """Put ``button`` into the foot, at its end or at its beginning."""
        if left:
            self._row.insertWidget(0, button)
        else:
            self._row.addWidget(button)
        self._foot.show()
        return button

    @property
    def is_busy(self) -> bool:
        """True while work goes on, so that closing only hides it."""
        return False

    def regions(self) -> list[QWidget]:
        """Return the parts that F6 cycles through, in reading order."""
        return [self]

    def reject(self) -> None:
        """Close the sheet; its widgets would slow down each change of colours."""
        if self._stack is not None:
            self._stack.remove(self)
        self.hide()
        if not self.is_busy and not self.is_closed:
            self.is_closed = True
            self.deleteLater()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close the sheet."""
        super().closeEvent(event)
        self.reject()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.reject()
        else:
            super().keyPressEvent(event)

    def bring_into_sight(self, part: QWidget) -> None:
        """Scroll the body until ``part`` is visible."""
        self._scroll.ensureWidgetVisible(part)

    def bring_to_front(self) -> None:
        """Show the sheet in front, in the window where there is one."""
        if self._stack is not None:
            self._stack.show_sheet(self)
            first = entrance(self._scroll) or self.back
            first.setFocus()
            return
        fit_to_screen(self)
        self.show()
        # Only now is the room known that the desktop's title bar takes.
        fit_to_screen(self)
        self.raise_()
        self.activateWindow()


def hairline(parent: QWidget) -> QFrame:
    """Return a line of one pixel."""
    line = QFrame(parent)
    line.setObjectName("hairline")
    line.setFixedHeight(1)
    return line


def note(text: str, parent: QWidget, kind: str = "small muted") -> PlainLabel:
    """Return a wrapping label in a step of the type scale."""
    label = PlainLabel(text, parent, wraps=True)
    theme.set_type(label, kind)
    return label
