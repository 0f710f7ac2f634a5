"""Margins of text views: the same for source and preview, with a maximum line length."""

from PySide6.QtCore import QMargins
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QAbstractScrollArea

from ui.style.design_tokens import Space

LINE_CHARACTERS = 70
"""The longest line, in characters of running text."""
# Letters as often as texts have them: the font's own mean counts wide capitals and signs like an e.
_SAMPLE = "The north wall gets four hours of sun in June, so roses and a few herbs do well there all summer."


def longest_line(view: QAbstractScrollArea) -> int:
    """Return the pixels that the longest line of a text view takes."""
    metrics = QFontMetricsF(view.font())
    return round(LINE_CHARACTERS * metrics.horizontalAdvance(_SAMPLE) / len(_SAMPLE))


def text_margins(view: QAbstractScrollArea, inner: int = 0) -> QMargins:
    """Return the viewport margins of a text view at its present width.

    Text begins at the same place at every width; in a wide view the margin after the lines grows.

    Args:
        view: A view of text.
        inner: The margin of its document, in pixels.
    """
    after = max(Space.XL, view.width() - Space.XL - longest_line(view))
    edge = view.frameWidth() + inner
    return QMargins(Space.XL - edge, Space.L - edge, after - edge, Space.M - edge)
