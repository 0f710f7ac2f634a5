"""Metrics of message blocks in pixels, at the text size in force."""

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import (
    QFontMetrics,
)

from ui import theme
from ui.style.design_tokens import Space


@lru_cache(maxsize=1)
def line_metrics(points: float) -> tuple[int, float]:
    """Return line spacing and mean character width of body text, in pixels."""
    del points  # the key: other sizes have other measures
    measure = QFontMetrics(theme.current().font("body"))
    return measure.lineSpacing(), max(1.0, measure.averageCharWidth() * 1.05)


@dataclass(frozen=True, slots=True)
class BlockMetrics:
    """Sizes that grow with the text: speaker's sign, header, folded line, icon."""

    face: int
    header: int
    row: int
    icon: int

    @property
    def gutter(self) -> int:
        """The room of the speaker's sign, beside the words."""
        return self.face + Space.L


@lru_cache(maxsize=1)
def _lengths_at(scale: float) -> BlockMetrics:
    # The speaker's sign stops growing where it would take the words' room.
    return BlockMetrics(min(40, round(28 * scale)), round(24 * scale), round(30 * scale), round(13 * scale))


def lengths() -> BlockMetrics:
    """Return the lengths at the size of text in force."""
    return _lengths_at(theme.current().scale)
