"""Base of dialogs: a heading, a body and a row of buttons."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from ui import theme
from ui.shell.screen_fit import fit_to_screen
from ui.style.design_tokens import Space
from ui.widgets.plain_text import PlainLabel


class BaseDialog(QDialog):
    """Dialog without modality; it is deleted when closed, unless it is busy."""

    def __init__(self, title: str, window: QWidget | None = None) -> None:
        super().__init__(window)
        self.is_closed = False
        self.setWindowTitle(title)
        self.setObjectName("sheet")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._heading = PlainLabel(title, self)
        theme.set_type(self._heading, "title")
        # Where the screen is too small for the body it scrolls, so that heading and buttons stay in reach.
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = QWidget(self._scroll)
        page.setObjectName("sheet")
        self.body = QVBoxLayout(page)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(Space.M)
        self._scroll.setWidget(page)
        self._row = QHBoxLayout()
        self._row.setSpacing(Space.S)
        self._row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.XL, Space.XL, Space.XL, Space.L)
        column.setSpacing(Space.L)
        column.addWidget(self._heading)
        column.addWidget(self._scroll, 1)
        column.addLayout(self._row)

    def add_button(self, button: QPushButton, *, left: bool = False) -> QPushButton:
        """Put ``button`` into the foot, at its end or at its beginning."""
        if left:
            self._row.insertWidget(0, button)
        else:
            self._row.addWidget(button)
        return button

    def set_heading(self, text: str) -> None:
        """Change the heading."""
        self._heading.setText(text)

    @property
    def is_busy(self) -> bool:
        """True while work goes on, so that closing only hides it."""
        return False

    def done(self, result: int) -> None:
        """Close the sheet; its widgets would slow down each change of colours."""
        super().done(result)
        if not self.is_busy:
            self.is_closed = True
            self.deleteLater()

    def bring_into_sight(self, part: QWidget) -> None:
        """Scroll the body until ``part`` is visible."""
        self._scroll.ensureWidgetVisible(part)

    def bring_to_front(self) -> None:
        """Show the sheet in front, wholly on the screen."""
        if not self.isVisible():
            self._center_on_window()
        self.show()
        # Only now is the room known that the desktop's title bar takes.
        fit_to_screen(self)
        self.raise_()
        self.activateWindow()

    def _center_on_window(self) -> None:
        window = self.parentWidget()
        if window is not None and not self.testAttribute(Qt.WidgetAttribute.WA_Moved):
            where = self.geometry()
            where.moveCenter(window.window().geometry().center())
            self.setGeometry(where)
        fit_to_screen(self)


def hairline(parent: QWidget) -> QFrame:
    """Return a line of one pixel."""
    line = QFrame(parent)
    line.setObjectName("hairline")
    line.setFixedHeight(1)
    return line


def note(text: str, parent: QWidget, kind: str = "small muted") -> PlainLabel:
    """Return a wrapping label in a step of the type scale."""
    label = PlainLabel(text, parent)
    label.setWordWrap(True)
    theme.set_type(label, kind)
    return label
