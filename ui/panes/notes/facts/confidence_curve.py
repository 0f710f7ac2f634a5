"""The decay curve of a fact: its confidence over time, with the day it fades."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui import theme
from ui.models.dates import date_words, local
from ui.style.design_tokens import Space

if TYPE_CHECKING:
    from app.memories.model import FactConfidence

HEIGHT, WIDTH = 132, 180
_DOT = 4.0
_FAR_DAYS = 300
_LEVELS = (0.0, 0.5, 1.0)


class ConfidenceCurve(QWidget):
    """Paints how the confidence of a fact falls; the words beside it say the same."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: FactConfidence | None = None
        self._now = datetime.now(UTC)
        self._span = (self._now, self._now)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Confidence over time"))
        theme.current().changed.connect(self._on_theme_changed)

    def show_confidence(self, confidence: "FactConfidence", now: datetime, words: str) -> None:
        """Show a curve as it stands at ``now``; ``words`` say it to screen readers."""
        self._shown, self._now = confidence, now
        self._span = (confidence.curve[0].at, confidence.curve[-1].at)
        self.setAccessibleDescription(words)
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for the curve and its axes."""
        look = theme.current()
        return QSize(look.scaled(WIDTH), look.scaled(HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """Return the least room."""
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint axes, threshold, curve, now and the day it fades."""
        del event
        confidence = self._shown
        if confidence is None or len(confidence.curve) < 2:  # noqa: PLR2004  (a line has two ends)
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.current().font("small"))
        box = self._plot(painter)
        self._paint_levels(painter, box)
        if confidence.rate > 0:
            self._paint_threshold(painter, box, confidence.threshold)
        self._paint_curve(painter, box, confidence)
        self._paint_dates(painter, box, confidence)

    # --- geometry ---

    def _plot(self, painter: QPainter) -> QRectF:
        metrics = painter.fontMetrics()
        aside = metrics.horizontalAdvance("100 %") + Space.S
        below = metrics.height() + Space.XS
        left, right = (Space.S, aside) if self._mirrored else (aside, Space.S)
        return QRectF(self.rect()).adjusted(left, metrics.height() / 2 + 2, -right, -below)

    @property
    def _mirrored(self) -> bool:
        return self.layoutDirection() == Qt.LayoutDirection.RightToLeft

    def _x_of(self, moment: datetime, box: QRectF) -> float:
        first, last = self._span
        share = min(max((moment - first) / (last - first), 0.0), 1.0)
        return box.right() - share * box.width() if self._mirrored else box.left() + share * box.width()

    @staticmethod
    def _y_of(share: float, box: QRectF) -> float:
        return box.bottom() - min(max(share, 0.0), 1.0) * box.height()

    # --- painting ---

    def _paint_levels(self, painter: QPainter, box: QRectF) -> None:
        look, metrics = theme.current(), painter.fontMetrics()
        for level in _LEVELS:
            height = round(self._y_of(level, box)) + 0.5
            painter.setPen(QPen(look.colour("line"), 1))
            painter.drawLine(QPointF(box.left(), height), QPointF(box.right(), height))
            painter.setPen(look.colour("muted"))
            words = f"{level * 100:.0f} %"
            width = metrics.horizontalAdvance(words)
            left = box.right() + Space.XS if self._mirrored else box.left() - width - Space.XS
            painter.drawText(QPointF(left, height + metrics.ascent() / 2 - 1), words)

    def _paint_threshold(self, painter: QPainter, box: QRectF, threshold: float) -> None:
        height = self._y_of(threshold, box)
        painter.setPen(QPen(theme.current().colour("warning"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(box.left(), height), QPointF(box.right(), height))

    def _paint_curve(self, painter: QPainter, box: QRectF, confidence: "FactConfidence") -> None:
        look = theme.current()
        points = [QPointF(self._x_of(point.at, box), self._y_of(point.confidence, box)) for point in confidence.curve]
        path = QPainterPath(points[0])
        for point in points[1:]:
            path.lineTo(point)
        ground = QPainterPath(path)
        ground.lineTo(points[-1].x(), box.bottom())
        ground.lineTo(points[0].x(), box.bottom())
        painter.fillPath(ground, look.colour("accent_soft"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(look.colour("accent"), 2))
        painter.drawPath(path)
        here = QPointF(self._x_of(self._now, box), self._y_of(confidence.current, box))
        painter.setPen(QPen(look.colour("surface"), 2))
        painter.setBrush(look.colour("accent"))
        painter.drawEllipse(here, _DOT + 1, _DOT + 1)
        if confidence.fades_at is not None:
            place = self._x_of(confidence.fades_at, box)
            painter.setPen(QPen(look.colour("warning"), 1.5))
            painter.drawLine(QPointF(place, box.top()), QPointF(place, box.bottom()))

    def _paint_dates(self, painter: QPainter, box: QRectF, confidence: "FactConfidence") -> None:
        """Write the dates below: now, and the day it fades or the end."""
        look, metrics = theme.current(), painter.fontMetrics()
        last = confidence.fades_at or confidence.curve[-1].at
        far = (last - confidence.curve[0].at).days > _FAR_DAYS
        height = box.bottom() + metrics.ascent() + Space.XS
        # Beside the curve are the levels; the lowest of them is as low as the dates.
        first, end = (0.0, box.right()) if self._mirrored else (box.left(), float(self.width()))
        spans: list[tuple[float, float]] = []
        dates = (
            (last, "warning" if confidence.fades_at else "muted"),
            (self._now, "text"),
            (confidence.curve[0].at, "muted"),
        )
        for moment, colour in dates:
            today = moment == self._now
            words = self.tr("now") if today else date_words(local(moment).date(), "MMM yyyy" if far else "d MMM")
            width = metrics.horizontalAdvance(words)
            left = min(max(self._x_of(moment, box) - width / 2, first), end - width)
            if any(left < after + Space.S and start - Space.S < left + width for start, after in spans):
                continue
            spans.append((left, left + width))
            painter.setPen(look.colour(colour))
            painter.drawText(QPointF(left, height), words)

    def _on_theme_changed(self) -> None:
        self.updateGeometry()
        self.update()
