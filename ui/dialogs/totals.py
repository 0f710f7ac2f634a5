"""What a comparison came to: a sentence, and a line of figures for either side."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ui import theme
from ui.dialogs.sheet import note
from ui.dialogs.sidewords import figure_names, figures, leading, side_names, verdict
from ui.tokens import Space
from ui.widgets.button import text_button
from ui.widgets.elided import ElidedLabel

if TYPE_CHECKING:
    from app.retrieval.side_by_side_model import SideBySide


class Totals(QFrame):
    """What a comparison came to: a sentence, and a line of figures for either side."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._words = note("", self, "body")
        self.use = text_button("", parent=self)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(Space.XL)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        self._names = [ElidedLabel("", self), ElidedLabel("", self)]
        self._cells: list[list[QLabel]] = []
        for column, name in enumerate(figure_names(), 1):
            self._grid.addWidget(self._label(name, "small muted"), 0, column)
        for line, name_label in enumerate(self._names, 1):
            theme.set_type(name_label, "strong")
            self._grid.addWidget(name_label, line, 0)
            cells = [self._label("", "body") for _ in figure_names()]
            for column, cell in enumerate(cells, 1):
                self._grid.addWidget(cell, line, column)
            self._cells.append(cells)
        column_box = QVBoxLayout(self)
        column_box.setContentsMargins(Space.L, Space.M, Space.L, Space.M)
        column_box.setSpacing(Space.S)
        head = QHBoxLayout()
        head.setSpacing(Space.L)
        head.addWidget(self._words, 1)
        head.addWidget(self.use, 0, Qt.AlignmentFlag.AlignTop)
        column_box.addLayout(head)
        column_box.addLayout(self._grid)

    @property
    def text(self) -> str:
        """What the sentence says."""
        return self._words.text()

    def show_totals(self, found: "SideBySide") -> None:
        """Show the totals of another comparison."""
        self._words.setText(verdict(found))
        now, other = side_names(found)
        names = (self.tr("Now: {name}").format(name=now), self.tr("Instead: {name}").format(name=other))
        for at, side in enumerate((found.now, found.other)):
            self._names[at].setText(names[at])
            for cell, what, text, leads in zip(
                self._cells[at], figure_names(), figures(side), leading(found)[at], strict=True
            ):
                cell.setText(text)
                theme.set_type(cell, "strong" if leads else "body")
                cell.setAccessibleName(f"{names[at]}, {what}: {text}")

    def _label(self, text: str, kind: str) -> QLabel:
        label = QLabel(text, self)
        label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        theme.set_type(label, kind)
        return label
