"""Empty states: what a view will show, or why it shows nothing yet."""

from html import escape

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from ui import theme
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.page_area import PageArea
from ui.widgets.plain_text import PlainLabel

ICON_SIZE = 40
TEXT_WIDTH = 440
LEAST_WIDTH = 160
LEAST_HEIGHT = 120
LOADING_MS = 500
"""Milliseconds of loading that need no announcement."""
MIDDLE = Qt.AlignmentFlag.AlignHCenter


class EmptyState(QWidget):
    """An icon, a title, a sentence and an action, centred.

    It scrolls where it is too high. Where it stands for what is loaded, nothing is said of it before it was: call
    ``show_loading`` or ``show_blank``, then ``show_nothing`` or ``show_failed``.
    """

    triggered = Signal()
    second_triggered = Signal()
    retried = Signal()
    """Load again what could not be loaded."""

    def __init__(
        self,
        icon_name: str,
        title: str,
        text: str,
        action: str = "",
        *,
        second: str = "",
        hint: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._nothing = (icon_name, title, text, action, second, hint)
        self._is_failed = False
        self._title = self._label("heading")
        self._text = self._label("body muted")
        self._text.setTextFormat(Qt.TextFormat.RichText)
        self._hint = self._label("small muted")
        self.button = text_button(action, "primary", parent=self)
        self.button.clicked.connect(self._on_button_clicked)
        self.second = text_button(second, "quiet", parent=self)
        self.second.clicked.connect(self.second_triggered)
        self._sign = IconLabel(icon_name, "accent", ICON_SIZE, self)
        for button in (self.button, self.second):
            button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._content = QWidget(self)
        self._wait = QTimer(self, singleShot=True, interval=LOADING_MS)
        self._wait.timeout.connect(self._content.show)
        column = QVBoxLayout(self._content)
        column.setContentsMargins(Space.L, Space.L, Space.L, Space.XL)
        column.setSpacing(Space.S)
        column.addStretch(2)
        column.addWidget(self._sign, 0, MIDDLE)
        column.addSpacing(Space.XS)
        for label in (self._title, self._text):
            column.addWidget(label, 0, MIDDLE)
        column.addSpacing(Space.S)
        for widget in (self.button, self.second, self._hint):
            column.addWidget(widget, 0, MIDDLE)
        column.addStretch(3)
        area = PageArea(self)
        area.setWidget(self._content)
        for part in (area.viewport(), self._content):
            part.setAutoFillBackground(False)
        vbox(area, parent=self, margins=0)
        theme.current().changed.connect(self._fit)
        self.show_nothing()

    @property
    def is_failed(self) -> bool:
        """True while it says that something could not be loaded."""
        return self._is_failed

    def show_nothing(self) -> None:
        """Say that there is nothing, and what would fill it."""
        self._show(*self._nothing)

    def show_blank(self) -> None:
        """Say nothing: whether there is something is said elsewhere, or not known."""
        self._show("clock", self.tr("Loading…"), "")
        self._content.hide()

    def show_loading(self) -> None:
        """Say that it is being loaded, unless it comes at once."""
        self.show_blank()
        self._wait.start()

    def show_failed(self, reason: str) -> None:
        """Say that it could not be loaded and why, and offer to try again."""
        self._show("triangle-alert", self.tr("This could not be loaded"), reason, self.tr("Try again"), tint="danger")
        self._is_failed = True

    def _show(
        self, icon: str, title: str, text: str, action: str = "", second: str = "", hint: str = "", tint: str = "accent"
    ) -> None:
        self._is_failed = False
        self._wait.stop()
        self._content.show()
        self._sign.show_icon(icon, tint)
        for widget, words in ((self.button, action), (self.second, second), (self._hint, hint)):
            widget.setText(words)
            widget.setVisible(bool(words))
        self.set_text(title, text)

    def _on_button_clicked(self) -> None:
        (self.retried if self._is_failed else self.triggered).emit()

    def set_text(self, title: str, text: str) -> None:
        """Say something else."""
        self._title.setText(title)
        # Rich text only for the room between lines, which plain labels cannot have.
        self._text.setText(f'<p style="line-height:130%" align="center">{escape(text)}</p>')
        self._text.setAccessibleName(text)
        self._fit()

    def _label(self, kind: str) -> PlainLabel:
        label = PlainLabel("", self, wraps=True)
        label.setAlignment(MIDDLE | Qt.AlignmentFlag.AlignTop)
        theme.set_type(label, kind)
        return label

    def minimumSizeHint(self) -> QSize:
        """Return that it may be as narrow as its buttons: its words break anew."""
        buttons = [button.minimumSizeHint().width() for button in (self.button, self.second) if not button.isHidden()]
        return QSize(max([LEAST_WIDTH, *buttons]) + 2 * Space.L, LEAST_HEIGHT)

    def sizeHint(self) -> QSize:
        """Return room for everything; with less it scrolls."""
        return self._content.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the words anew where they have another width."""
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Break the words for the room there is."""
        super().showEvent(event)
        self._fit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Ask for no more height than usual behind what is shown."""
        super().hideEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Set a readable width of the text, and the height it needs.

        Qt's layouts give centred labels neither.
        """
        width = theme.current().scaled(TEXT_WIDTH)
        if self.isVisible():
            width = max(LEAST_WIDTH, min(width, self.width() - 2 * Space.L))
        for label in (self._title, self._text, self._hint):
            label.ensurePolished()
            # A label counts its minimum height into the height it says it needs.
            label.setMinimumHeight(0)
            label.setFixedWidth(width)
            label.setMinimumHeight(max(0, label.heightForWidth(width)))
