"""Bar with advice on the search model."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui import theme
from ui.style.design_tokens import Space
from ui.widgets.button import icon_button, text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel


class AdviceBar(QFrame):
    """One sentence with the way to the search models; calm, and gone when dismissed."""

    models_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setObjectName("accessBar")
        self._text = PlainLabel(self, wraps=True)
        self.models = text_button(self.tr("Choose a search model"), "quiet", parent=self)
        self.models.clicked.connect(self._on_models_clicked)
        close = icon_button("x", self.tr("Dismiss this message"), parent=self)
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(Space.L, Space.XS, Space.S, Space.XS)
        row.setSpacing(Space.S)
        row.addWidget(IconLabel("lightbulb", "accent", parent=self))
        row.addWidget(self._text, 1)
        row.addWidget(self.models)
        row.addWidget(close)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()

    def show_advice(self, sentence: str) -> None:
        """Show a sentence; hide for none."""
        self._text.setText(sentence)
        self.setVisible(bool(sentence))

    def _on_models_clicked(self) -> None:
        self.hide()
        self.models_requested.emit()
