"""The header row: a field with its buttons beside it, or below.

The buttons move below the field where it would be too narrow.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from ui import theme
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox

_SAME_LINE, _BELOW = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom


class HeaderRow(QWidget):
    """A field with its buttons beside it, or below it.

    Args:
        field: Takes all the room that the buttons leave.
        groups: The buttons, in groups that stand a little apart.
        least: Pixels the field has beside the buttons at the least, with text of the system's size.
        parent: Its parent.
    """

    def __init__(
        self, field: QWidget, groups: Sequence[Sequence[QWidget]], least: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._least = least
        self._field = field
        self._buttons = hbox(Stretch(), spacing=0)
        for place, group in enumerate(groups):
            if place:
                self._buttons.addSpacing(Space.S)
            for button in group:
                self._buttons.addWidget(button)
        self._row = QBoxLayout(_SAME_LINE, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(Space.S)
        self._row.addWidget(field, 1)
        self._row.addLayout(self._buttons)
        theme.current().changed.connect(self._fit)

    @property
    def is_folded(self) -> bool:
        """True when the buttons are below the field."""
        return self._row.direction() == _BELOW

    def minimumSizeHint(self) -> QSize:
        """Return the width that the wider of field and buttons needs."""
        width = max(self._field.minimumSizeHint().width(), self._buttons.minimumSize().width())
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold or unfold."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = self.width() - self._row.spacing() - self._buttons.sizeHint().width()
        direction = _SAME_LINE if room >= theme.current().scaled(self._least) else _BELOW
        if direction != self._row.direction():
            self._row.setDirection(direction)
