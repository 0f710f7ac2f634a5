"""Parts of an inspector: sections that fold, and small labelled bars."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui import theme
from ui.style.design_tokens import Space
from ui.style.icons import icon
from ui.widgets.box_layouts import vbox
from ui.widgets.button import TextButton, ToolButton
from ui.widgets.plain_text import caption, tooltip

BAR_HEIGHT = 6


class Section(QWidget):
    """A heading that folds what is below it."""

    folded = Signal(bool)

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title
        self._open = True
        self.header = ToolButton(self)
        self.header.setProperty("flat", True)
        self.header.setProperty("type", "small")
        self.header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.header.setIconSize(QSize(14, 14))
        self.header.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.header.clicked.connect(self._on_head_clicked)
        self.body = QWidget(self)
        self.rows = vbox(parent=self.body, margins=(Space.S, 0, 0, Space.S), spacing=2)
        vbox(self.header, self.body, parent=self, margins=(Space.S, Space.XS, Space.S, 0), spacing=2)
        self.set_count(None)
        self.set_open(True)

    @property
    def is_open(self) -> bool:
        """True while the section is unfolded."""
        return self._open

    def set_open(self, on: bool) -> None:
        """Show or fold what is inside."""
        self._open = on
        self.header.setIcon(icon("chevron-down" if on else "chevron-right"))
        self.header.setAccessibleDescription(self.tr("open") if on else self.tr("folded"))
        self.body.setVisible(on)
        self.folded.emit(not on)

    def set_count(self, count: int | None) -> None:
        """Say how many things are inside."""
        text = self._title if count is None else f"{self._title}  {count}"
        self.header.setText(text)
        self.header.setAccessibleName(text)

    def clear(self) -> None:
        """Take out everything."""
        while (item := self.rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    def _on_head_clicked(self) -> None:
        self.set_open(not self._open)


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of a chart.

    Args:
        label: What is measured.
        share: Length from 0 to 1.
        value: The number in words.
        series: Which of the theme's series colours.
        is_hollow: Drawn as an outline: it counts against.
    """

    label: str
    share: float
    value: str
    series: int = 0
    is_hollow: bool = False


class Bars(QWidget):
    """Labelled bars, one below the other."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._bars: tuple[Bar, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.current().changed.connect(self.updateGeometry)

    def set_bars(self, bars: Sequence[Bar]) -> None:
        """Show ``bars``."""
        self._bars = tuple(bars)
        self.setAccessibleName(self._name)
        self.setAccessibleDescription("; ".join(f"{bar.label} {bar.value}" for bar in bars))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for all bars."""
        return QSize(180, max(1, len(self._bars)) * self._step())

    def minimumSizeHint(self) -> QSize:
        """Return room for all bars."""
        return self.sizeHint()

    def _step(self) -> int:
        return int(theme.current().points * 1.8) + BAR_HEIGHT + 8

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint words above each bar."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        look = theme.current()
        painter.setFont(look.font("small"))
        step, mirrored = self._step(), self.isRightToLeft()
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        for place, bar in enumerate(self._bars):
            line = QRect(0, place * step, self.width(), step - BAR_HEIGHT - 6)
            near, far = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
            near, far = (far, near) if mirrored else (near, far)
            painter.setPen(look.colour("muted"))
            # The mark keeps a sign before its number where one reads from the right.
            painter.drawText(line, int(far | flags), f"\u200e{bar.value}")
            painter.setPen(look.colour("text"))
            room = self.width() - painter.fontMetrics().horizontalAdvance(bar.value) - Space.S
            label = painter.fontMetrics().elidedText(bar.label, Qt.TextElideMode.ElideRight, room)
            painter.drawText(line, int(near | flags), label)
            track = QRect(0, line.bottom() + 1, self.width(), BAR_HEIGHT)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("sunken"))
            painter.drawRoundedRect(track, 3, 3)
            filled = QRect(track)
            filled.setWidth(max(4, round(track.width() * min(max(bar.share, 0.0), 1.0))))
            if mirrored:
                filled.moveRight(track.right())
            colour = QColor(look.tokens.series[bar.series % len(look.tokens.series)])
            if bar.is_hollow:
                painter.setPen(colour)
                painter.setBrush(look.colour("surface"))
                painter.drawRoundedRect(QRectF(filled).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
                continue
            painter.setBrush(colour)
            painter.drawRoundedRect(filled, 3, 3)


class LineButton(TextButton):
    """A button like a line of text, as wide as its column.

    Longer words are cut with an ellipsis.

    Args:
        text: Its words.
        parent: Its parent.
    """

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(caption(text), parent)
        self.words = text
        """The whole line."""
        self.setAutoDefault(False)
        self.setProperty("quiet", True)
        self.setStyleSheet("text-align: left;")
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut the words where they do not fit; the tooltip has them whole then."""
        super().resizeEvent(event)
        self._fit_words()

    def set_words(self, text: str) -> None:
        """Show another line."""
        self.words = text
        self.setAccessibleName(text)
        self._fit_words()

    def _fit_words(self) -> None:
        room = max(self.width() - 2 * Space.S - 2, 0)
        shown = self.fontMetrics().elidedText(self.words, Qt.TextElideMode.ElideRight, room)
        self.setText(caption(shown))
        if not self.toolTip() and shown != self.words:
            self.setToolTip(tooltip(self.words))


def line_button(text: str, target: str) -> LineButton:
    """Return a line to click, with ``target`` as a property."""
    button = LineButton(text)
    button.setProperty("target", target)
    return button
