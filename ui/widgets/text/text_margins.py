"""Margins of text views: the same for source and preview, with a maximum line length."""

from PySide6.QtCore import QMargins
from PySide6.QtWidgets import QAbstractScrollArea

from ui.style.design_tokens import Space

LINE_CHARACTERS = 92
"""The longest line, in characters of mean width."""


def text_margins(view: QAbstractScrollArea, inner: int = 0) -> QMargins:
    """Return the viewport margins of a text view at its present width.

    Text begins at the same place at every width; in a wide view the margin after the lines grows.

    Args:
        view: A view of text.
        inner: The margin of its document, in pixels.
    """
    longest = LINE_CHARACTERS * view.fontMetrics().averageCharWidth()
    after = max(Space.XL, view.width() - Space.XL - longest)
    edge = view.frameWidth() + inner
    return QMargins(Space.XL - edge, Space.L - edge, after - edge, Space.M - edge)
