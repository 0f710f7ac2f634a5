"""Form row: words beside their controls, or above them in a narrow window."""

from typing import Final

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from ui import theme
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, vbox
from ui.widgets.button import TARGET_SIZE
from ui.widgets.plain_text import PlainLabel

WIDTH: Final = 220
"""Pixels of a control, at the system's size of text."""
_NARROW: Final = 480


class FormRow(QWidget):
    """Name, explanation and a place for what is wrong; controls are added to ``side``.

    Args:
        title: The name.
        parent: The Qt parent.
        reserve: Pixels left free at the end, where other rows have a button.
        is_wide: Whether the controls stand below the words in every window, with its whole width.
    """

    def __init__(
        self,
        title: str,
        parent: QWidget | None = None,
        reserve: int = TARGET_SIZE + Space.XS,
        *,
        is_wide: bool = False,
    ) -> None:
        super().__init__(parent)
        self._is_wide = is_wide
        self.title = PlainLabel(title, self, style="strong", wraps=True)
        self.about = self._label("small muted")
        self.problem = self._label("small danger")
        self.problem.setAccessibleName(title)
        self.problem.hide()
        self._fitted: list[QWidget] = []
        words = vbox(self.title, self.about, self.problem, Stretch(), spacing=2)
        self.side = vbox(spacing=Space.S)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, Space.S, reserve, Space.S)
        self._row.setSpacing(Space.XL)
        self._row.addLayout(words, 1)
        self._row.addLayout(self.side)
        theme.current().changed.connect(self._fit_widths)

    def fit_width(self, *controls: QWidget) -> None:
        """Give controls the one width of forms, which grows with the text."""
        self._fitted += controls
        self._fit_widths()

    def show_problem(self, text: str, tone: str = "danger") -> None:
        """Say what is wrong; ``""`` for nothing."""
        theme.set_type(self.problem, f"small {tone}")
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the controls below the words where both would be narrow."""
        super().resizeEvent(event)
        is_narrow = self._is_wide or event.size().width() < theme.current().scaled(_NARROW)
        way = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        if self._row.direction() != way:
            self._row.setDirection(way)
            self._row.setSpacing(Space.XS if is_narrow else Space.XL)

    def _fit_widths(self) -> None:
        for control in self._fitted:
            control.setFixedWidth(theme.current().scaled(WIDTH))

    def _label(self, kind: str) -> PlainLabel:
        label = PlainLabel(self, wraps=True)
        theme.set_type(label, kind)
        return label
