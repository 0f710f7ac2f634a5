"""Filter chip over a list: names what filters it and ends that."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui import theme
from ui.style.design_tokens import Space
from ui.widgets.button import icon_button
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.icon_label import IconLabel


class FilterChip(QFrame):
    """A line such as “Filtered by Observations”; hidden while nothing filters."""

    cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._words = ElidedLabel("", self)
        theme.set_type(self._words, "small")
        self.cross = icon_button("x", self.tr("Clear the filter"), parent=self)
        row = QHBoxLayout(self)
        row.setContentsMargins(Space.S, 0, 0, 0)
        row.setSpacing(Space.XS)
        row.addWidget(IconLabel("funnel", size=14, parent=self))
        row.addWidget(self._words, 1)
        row.addWidget(self.cross)
        self.cross.clicked.connect(self.cleared)
        self.hide()

    @property
    def text(self) -> str:
        """Text of the chip; empty while nothing filters."""
        return self._words.text() if not self.isHidden() else ""

    def show_filters(self, names: list[str]) -> None:
        """Say by what the list is filtered; nothing hides the chip."""
        self._words.setText(self.tr("Filtered by {names}").format(names=", ".join(names)))
        self.setVisible(bool(names))
