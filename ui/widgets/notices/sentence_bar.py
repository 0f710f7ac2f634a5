"""Bar with one sentence and the way to what it is about."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui import theme
from ui.style.design_tokens import Space
from ui.widgets.button import icon_button, text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel


class SentenceBar(QFrame):
    """One sentence with a button; calm, and gone when dismissed.

    Args:
        icon_name: The icon before the sentence.
        action: What the button does.
        parent: The Qt parent.
    """

    followed = Signal()

    def __init__(self, icon_name: str, action: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setObjectName("accessBar")
        self._text = PlainLabel(self, wraps=True)
        self.button = text_button(action, "quiet", parent=self)
        self.button.clicked.connect(self._on_button_clicked)
        close = icon_button("x", self.tr("Dismiss this message"), parent=self)
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(Space.L, Space.XS, Space.S, Space.XS)
        row.setSpacing(Space.S)
        row.addWidget(IconLabel(icon_name, "accent", parent=self))
        row.addWidget(self._text, 1)
        row.addWidget(self.button)
        row.addWidget(close)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()

    def show_sentence(self, sentence: str) -> None:
        """Show a sentence; hide for none."""
        self._text.setText(sentence)
        self.setVisible(bool(sentence))

    def _on_button_clicked(self) -> None:
        self.hide()
        self.followed.emit()
