"""Quick capture: a small window that saves a note."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from app.errors import KeepsakeError
from ui import operations, theme
from ui.dialogs.base_dialog import note
from ui.engine_texts import error_text
from ui.notice import Notice
from ui.panes.known_hints import KnownHints
from ui.panes.known_row import KnownRow
from ui.panes.pane import Place
from ui.shell.screen_fit import fit_to_screen
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox
from ui.widgets.button import text_button

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.window_state import WindowState

SIZE = (520, 250)
DRAFT = "capture/draft"
TITLE_LIMIT = 80
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_NEW_LINE = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class QuickCapture(QWidget):
    """Capture window: Enter saves, Escape hides and keeps the text for next time."""

    saved = Signal(object)
    place_requested = Signal(object)
    """Show a ``Place`` in the window."""

    def __init__(self, state: "WindowState", parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        theme.current().add_root(self)
        self.setObjectName("captureWindow")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWindowTitle(self.tr("Quick capture"))
        self.resize(*SIZE)
        self._state = state
        self._bridge: Bridge | None = None
        self._hints: KnownHints | None = None
        self.known = KnownRow(self)
        self.known.opened.connect(self._on_known_opened)
        self._words = QPlainTextEdit(self)
        self._words.setAccessibleName(self.tr("What to remember"))
        self._words.setPlaceholderText(self.tr("What do you want to remember?"))
        self._words.setPlainText(state.text(DRAFT))
        self._words.setTabChangesFocus(True)
        self._words.installEventFilter(self)
        self._words.textChanged.connect(self._on_text_changed)
        self._words.viewport().setAutoFillBackground(False)
        theme.set_type(self._words, "body")
        self._hint = note(self.tr("Enter saves  ·  Ctrl+Enter new line  ·  Esc hides and keeps the text"), self)
        self._error = note("", self, "small danger")
        self._error.hide()
        self._save = text_button(self.tr("Save"), "primary", parent=self)
        self._save.clicked.connect(self.save)
        foot = hbox((self._hint, 1), self._save)
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.L, Space.L, Space.L, Space.M)
        column.setSpacing(Space.S)
        column.addWidget(note(self.tr("Quick capture"), self, "strong"))
        column.addWidget(self._words, 1)
        column.addWidget(self.known)
        column.addWidget(self._error)
        column.addLayout(foot)
        self._on_text_changed()

    @property
    def text(self) -> str:
        """Text that is not saved yet."""
        return self._words.toPlainText()

    def set_bridge(self, bridge: "Bridge") -> None:
        """Save through ``bridge``."""
        self._bridge = bridge
        self._hints = KnownHints(bridge, self.known, self)

    def bring_to_front(self, text: str = "") -> None:
        """Show the window with the keyboard in it; ``text`` is added to what is there."""
        if text:
            self._words.appendPlainText(text)
        screen = QGuiApplication.screenAt(self.cursor().pos()) or QGuiApplication.primaryScreen()
        area = screen.availableGeometry()
        self.move(area.center().x() - self.width() // 2, area.top() + area.height() // 4)
        self.show()
        fit_to_screen(self)
        self.raise_()
        self.activateWindow()
        self._words.setFocus()

    def dismiss(self) -> None:
        """Hide, and keep the words."""
        self._state.keep(DRAFT, self.text)
        self._state.write()
        self.hide()

    async def keep_draft(self) -> None:
        """Save an unfinished capture as a note.

        A draft of an encrypted vault is kept nowhere else.
        """
        text = self.text.strip()
        if text and self._bridge is not None:
            await self._store(self._bridge, text)

    def save(self) -> None:
        """Save the words as a note."""
        text = self.text.strip()
        if not text or self._bridge is None:
            return
        self._save.setEnabled(False)
        self._bridge.start(self._store(self._bridge, text))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Enter and Escape from the editor."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.dismiss()
                return True
            if event.key() in _ENTER:
                if event.modifiers() & _NEW_LINE:
                    self._words.insertPlainText("\n")
                else:
                    self.save()
                return True
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Let the window be moved by its edge."""
        handle = self.windowHandle()
        if handle is not None:
            handle.startSystemMove()
        super().mousePressEvent(event)

    async def _store(self, bridge: "Bridge", text: str) -> None:
        try:
            reply = await bridge.reply(operations.note.save(content=text, title=title_of(text)))
        except KeepsakeError as error:
            self._error.setText(error_text(error))
            self._error.show()
            self._on_text_changed()
            return
        self._error.hide()
        # Words typed while it was being saved are not part of it and stay.
        if self.text.strip() == text:
            self._words.clear()
        self.dismiss()
        history = reply.changes.history_ids if reply.changes is not None else ()
        self.saved.emit(Notice(self.tr("Saved"), history, undo_text=self.tr("Captured a note")))

    def _on_text_changed(self) -> None:
        self._save.setEnabled(bool(self.text.strip()))
        if self._hints is not None:
            self._hints.typed(self.text)

    def _on_known_opened(self, place: Place) -> None:
        self.dismiss()
        self.place_requested.emit(place)


def title_of(text: str) -> str:
    """Return the first line as a title, ``""`` when it cannot be one."""
    first, _, rest = text.strip().partition("\n")
    title = first.lstrip("# ").strip()
    return title if rest.strip() and len(title) <= TITLE_LIMIT else ""
