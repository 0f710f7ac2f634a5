"""Text field for a passphrase, which can be shown while it is typed."""

from PySide6.QtCore import QEvent, QKeyCombination, QMargins, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.encryption.model import MAX_PASSPHRASE, MIN_PASSPHRASE, is_common_passphrase
from ui import theme
from ui.style.icons import icon
from ui.translation import translate
from ui.widgets.button import ToolButton, name_button

SIDE = 16
INSET = 10
SHOW_KEY = QKeyCombination(Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_H)
"""Shows and hides what is typed."""


def new_passphrase_problem(given: str, again: str) -> str:
    """Return what is wrong with a new passphrase and its repetition, ``""`` for nothing."""
    if len(given) < MIN_PASSPHRASE:
        text = translate("Passphrase", "At least {n} characters; several words are better than one.")
        return text.format(n=MIN_PASSPHRASE)
    if len(given) > MAX_PASSPHRASE or not given.isprintable():
        return translate("Passphrase", "This is too long, or has characters that cannot be typed.")
    if given != given.strip():
        return translate("Passphrase", "It must not begin or end with a space.")
    if is_common_passphrase(given):
        return translate("Passphrase", "This is one of the first that anyone tries. Choose several words.")
    if again and again != given[: len(again)]:
        return translate("Passphrase", "The two differ.")
    return ""


class PassphraseField(QLineEdit):
    """A field whose text is hidden until its button or key is pressed.

    Args:
        name: What screen readers call it.
        parent: Its parent.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self.setInputMethodHints(Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoAutoUppercase)
        self.setAccessibleName(name)
        self.setPlaceholderText(name)
        self.show_button = ToolButton(self)
        self.show_button.setProperty("inside", True)
        self.show_button.setCheckable(True)
        self.show_button.setCursor(Qt.CursorShape.ArrowCursor)
        # Tab goes to the next field; the keyboard has a key of its own for the button.
        self.show_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.show_button.toggled.connect(self._on_show_button_toggled)
        theme.current().changed.connect(self._place)
        self._on_show_button_toggled(False)
        self._place()

    def forget(self) -> None:
        """Clear the text and hide what is typed next."""
        self.show_button.setChecked(False)
        self.clear()

    def event(self, event: QEvent) -> bool:
        """Take the key that shows the text before the window's shortcuts do."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.keyCombination() == SHOW_KEY
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show or hide the text on its key."""
        if event.keyCombination() == SHOW_KEY:
            self.show_button.toggle()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the button at the end."""
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the button at the end."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._place()

    def _place(self) -> None:
        side = theme.current().scaled(SIDE)
        width = side + 2 * theme.current().scaled(INSET) // 2
        self.show_button.setIconSize(QSize(side, side))
        self.show_button.setFixedSize(width, max(side, self.height() - 4))
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        self.show_button.move(2 if is_mirrored else self.width() - width - 2, 2)
        self.setTextMargins(QMargins(width, 0, 0, 0) if is_mirrored else QMargins(0, 0, width, 0))

    def _on_show_button_toggled(self, is_shown: bool) -> None:
        self.setEchoMode(QLineEdit.EchoMode.Normal if is_shown else QLineEdit.EchoMode.Password)
        self.show_button.setIcon(icon("eye-off" if is_shown else "eye"))
        label = self.tr("Hide the passphrase") if is_shown else self.tr("Show the passphrase")
        name_button(self.show_button, label, QKeySequence(SHOW_KEY).toString(QKeySequence.SequenceFormat.PortableText))
