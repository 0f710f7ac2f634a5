"""One line of the status page."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ui import theme
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from ui.panes.status.status_entries import StatusEntry


class StatusRow(QWidget):
    """An icon, a title with a sentence, and a button."""

    triggered = Signal(str)
    """The key of the line whose button was pressed."""

    def __init__(self, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.key = key
        self._icon = IconLabel("info", size=18, parent=self)
        self._title = PlainLabel("", self, style="strong")
        self._text = PlainLabel("", self, wraps=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme.set_type(self._text, "body muted")
        self.button = text_button("", parent=self)
        self.button.clicked.connect(self._on_clicked)
        words = vbox(self._title, self._text, spacing=2)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, Space.XS, 0, Space.XS)
        row.setSpacing(Space.M)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)

    @property
    def text(self) -> str:
        """The sentence."""
        return self._text.text()

    def show_entry(self, entry: "StatusEntry", *, is_busy: bool) -> None:
        """Show a line.

        Args:
            entry: The line.
            is_busy: Whether its action is under way.
        """
        self._icon.show_icon(entry.icon, entry.tint)
        self._title.setText(entry.title)
        self._text.setText(self.tr("One moment…") if is_busy else entry.text)
        self.button.setText(entry.action)
        self.button.setAccessibleName(f"{entry.action}: {entry.title}" if entry.action else "")
        self.button.setVisible(bool(entry.action))
        self.button.setEnabled(entry.enabled and not is_busy)

    def _on_clicked(self) -> None:
        self.triggered.emit(self.key)
