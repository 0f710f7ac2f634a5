"""Reading columns: the middle of a page, no wider than is good to read."""

from PySide6.QtWidgets import QLayout, QWidget

from ui import theme
from ui.widgets.box_layouts import Stretch, hbox


class ReadingColumn(QWidget):
    """A layout in the middle of a page, whose width grows with the text.

    Args:
        layout: The layout.
        page: The page that the column gets to itself.
        measure: The greatest width, in pixels at the system's size of text.
    """

    def __init__(self, layout: QLayout, page: QWidget, measure: int) -> None:
        super().__init__(page)
        self._measure = measure
        self.setLayout(layout)
        hbox(Stretch(), (self, 100), Stretch(), parent=page, margins=0)
        theme.current().changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        self.setMaximumWidth(theme.current().scaled(self._measure))
