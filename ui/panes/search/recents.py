"""What the Search pane shows before anything is asked: saved and recent searches."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from ui import theme
from ui.tokens import Space
from ui.widgets.button import text_button

WIDTH = 560


class Recents(QScrollArea):
    """Lists of searches to take up again, and examples of what can be asked."""

    picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self._shown: tuple[tuple[str, ...], tuple[str, ...]] | None = None

    def show_searches(self, saved: Sequence[str], recent: Sequence[str]) -> None:
        """Show saved and recent searches."""
        if self._shown == (tuple(saved), tuple(recent)):
            return
        self._shown = (tuple(saved), tuple(recent))
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(Space.XXL, Space.XL, Space.XXL, Space.XL)
        column.setSpacing(2)
        examples = [
            self.tr('"exact words" tag:garden'),
            self.tr('kind:note after:"last week"'),
            self.tr("role:user -weather plan*"),
        ]
        for title, icon, searches in (
            (self.tr("Saved searches"), "bookmark", saved),
            (self.tr("Recent searches"), "history", recent),
            (self.tr("For example"), "lightbulb", examples),
        ):
            if searches:
                self._add(column, title, icon, searches)
        column.addStretch(1)
        self.setWidget(body)

    def _add(self, column: QVBoxLayout, title: str, icon: str, searches: Sequence[str]) -> None:
        head = QLabel(title, self)
        theme.set_type(head, "strong")
        column.addSpacing(Space.M)
        column.addWidget(head)
        for text in searches:
            button = text_button(text, "quiet", icon_name=icon, parent=self)
            button.setStyleSheet("text-align: left;")
            button.setMaximumWidth(WIDTH)
            button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            button.setProperty("search", text)
            button.clicked.connect(self._on_button_clicked)
            column.addWidget(button)

    def _on_button_clicked(self) -> None:
        self.picked.emit(str(self.sender().property("search")))
