"""One line of a belief timeline: a statement and its dates."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.text import excerpt
from ui import theme
from ui.models.dates import date_words, local
from ui.panes.labels import source_label
from ui.style.design_tokens import Space
from ui.widgets.inspector import line_button
from ui.widgets.plain_text import PlainLabel, tooltip

if TYPE_CHECKING:
    from datetime import datetime

    from app.memories.model import Belief

_TEXT = 80
_ASIDE = 20
_DOT = 4.0


class BeliefRow(QWidget):
    """Shows one fact of a chain; a click opens it.

    Args:
        belief: The fact.
        is_open: Whether it is the one in the editor.
        is_last: Whether the line ends here.
        parent: Its parent.
    """

    opened = Signal(str)

    def __init__(self, belief: "Belief", *, is_open: bool, is_last: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._belief = belief
        self._is_last = is_last
        words = excerpt(belief.content, _TEXT)
        self.button = line_button(words, belief.id)
        self.button.setToolTip(tooltip(belief.content))
        self.button.setEnabled(not is_open)
        self.button.clicked.connect(self._on_button_clicked)
        span = self._span()
        self.button.setAccessibleName(f"{words}, {span}")
        dates = PlainLabel(span, self, wraps=True)
        dates.setContentsMargins(Space.S, 0, 0, 0)
        theme.set_type(dates, "small muted")
        column = QVBoxLayout(self)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        column.setContentsMargins(0 if mirrored else _ASIDE, 0, _ASIDE if mirrored else 0, Space.XS)
        column.setSpacing(0)
        column.addWidget(self.button)
        column.addWidget(dates)
        theme.current().changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the dot, filled for what holds now, and the line to the next."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        look = theme.current()
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        across = self.width() - _ASIDE / 2 if mirrored else _ASIDE / 2
        middle = self.button.geometry().center().y() + 0.5
        painter.setPen(QPen(look.colour("edge"), 1))
        if not self._is_last:
            painter.drawLine(QPointF(across, middle + _DOT), QPointF(across, self.height() + middle))
        painter.setPen(QPen(look.colour("accent" if self._belief.is_current else "muted"), 1.5))
        painter.setBrush(look.colour("accent") if self._belief.is_current else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(across, middle), _DOT, _DOT)

    def _span(self) -> str:
        since, until = _day(self._belief.since), self._belief.until
        source = source_label(self._belief.source)
        if until is None:
            return self.tr("Since {since}, {source}").format(since=since, source=source)
        if since == _day(until):
            return self.tr("On {day}, {source}").format(day=since, source=source)
        return self.tr("{since} to {until}, {source}").format(since=since, until=_day(until), source=source)

    def _on_button_clicked(self) -> None:
        self.opened.emit(self._belief.id)


def _day(moment: "datetime") -> str:
    return date_words(local(moment).date(), "d MMM yyyy")
