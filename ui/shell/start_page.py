"""Start page: shown while the vault opens, or when it could not."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.errors import KeepsakeError
from ui import theme
from ui.style.design_tokens import Space
from ui.style.icons import pixmap
from ui.widgets.button import text_button
from ui.widgets.plain_text import PlainLabel

TEXT_WIDTH = 480
LOGO = 72
QUIET_MS = 300


class StartPage(QWidget):
    """The logo with a moving bar; or the error's sentence with Retry and Quit."""

    retry_requested = Signal()
    quit_requested = Signal()
    failed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setObjectName("sheet")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        logo = PlainLabel(self)
        logo.setPixmap(pixmap("keepsake", LOGO, "#000000", self.devicePixelRatioF()))
        self._title = PlainLabel(self)
        theme.set_type(self._title, "title")
        self._text = PlainLabel(self)
        self._text.setWordWrap(True)
        self._text.setFixedWidth(TEXT_WIDTH)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme.set_type(self._text, "body muted")
        self._bar = QProgressBar(self)
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(180)
        self._bar.setAccessibleName(self.tr("Opening the vault"))
        self._buttons = QWidget(self)
        self.retry = text_button(self.tr("Try again"), "primary", parent=self._buttons)
        self.copy = text_button(self.tr("Copy details"), parent=self._buttons)
        self.quit = text_button(self.tr("Quit"), parent=self._buttons)
        self.retry.clicked.connect(self.retry_requested)
        self.copy.clicked.connect(self._on_copy_clicked)
        self.quit.clicked.connect(self.quit_requested)
        row = QHBoxLayout(self._buttons)
        row.setContentsMargins(0, Space.S, 0, 0)
        row.setSpacing(Space.S)
        for button in (self.retry, self.copy, self.quit):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setSpacing(Space.M)
        column.addStretch(2)
        for widget in (logo, self._title, self._text, self._bar, self._buttons):
            for label in (self._title, self._text):
                label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        # A vault that opens at once should not flash a bar.
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._quiet.timeout.connect(self._bar.show)
        self._error: KeepsakeError | None = None
        self._bar.hide()
        self._buttons.hide()

    @property
    def text(self) -> str:
        """Text of the page."""
        return self._text.text()

    def show_opening(self, vault: str) -> None:
        """Say that the vault is being opened."""
        self._error = None
        self._title.setText(self.tr("Keepsake"))
        self._text.setText(self.tr("Opening {vault}").format(vault=vault))
        self._buttons.hide()
        self._quiet.start()
        self.failed.emit(False)

    def show_error(self, error: KeepsakeError) -> None:
        """Say why the vault could not be opened."""
        self._error = error
        self._quiet.stop()
        self._bar.hide()
        self._title.setText(self.tr("The vault could not be opened"))
        self._text.setText(error.message)
        self._buttons.show()
        self.failed.emit(True)
        self.retry.setFocus()

    def finish(self) -> None:
        """Stop moving; the window goes on without this page."""
        self._quiet.stop()
        self._bar.hide()

    def _on_copy_clicked(self) -> None:
        if self._error is not None:
            QGuiApplication.clipboard().setText(f"{self._error.code}: {self._error.message}\n{self._error.data}")
