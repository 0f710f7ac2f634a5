"""Box layouts: rows and columns of widgets, filled in one call."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

Margins = int | tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Spacer:
    """Room of a fixed number of pixels between two items."""

    pixels: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """Room that grows; of several each gets its share by its factor."""

    factor: int = 1


Content = QWidget | QLayout
Item = Content | Spacer | Stretch | tuple[Content, int] | tuple[Content, int, Qt.AlignmentFlag]
"""A widget or layout, with its share of the room and its place in it where they are not Qt's."""


def hbox(
    *items: Item, parent: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QHBoxLayout:
    """Return a row of items from left to right.

    Args:
        items: What stands in it.
        parent: The widget that it fills; ``None`` for a row within another layout.
        margins: Pixels around it on all sides, or left, above, right and below; ``None`` for those of the style.
        spacing: Pixels between two items; ``None`` for those of the style.
    """
    layout = QHBoxLayout() if parent is None else QHBoxLayout(parent)
    _fill(layout, items, margins, spacing)
    return layout


def vbox(
    *items: Item, parent: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QVBoxLayout:
    """Return a column of items from top to bottom; the arguments are those of ``hbox``."""
    layout = QVBoxLayout() if parent is None else QVBoxLayout(parent)
    _fill(layout, items, margins, spacing)
    return layout


def _fill(layout: QBoxLayout, items: tuple[Item, ...], margins: Margins | None, spacing: int | None) -> None:
    if margins is not None:
        layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        layout.setSpacing(spacing)
    for item in items:
        match item:
            case Spacer(pixels):
                layout.addSpacing(pixels)
            case Stretch(factor):
                layout.addStretch(factor)
            case (content, factor, alignment):
                _add(layout, content, factor, alignment)
            case (content, factor):
                _add(layout, content, factor)
            case _:
                _add(layout, item)


def _add(layout: QBoxLayout, content: Content, factor: int = 0, alignment: Qt.AlignmentFlag | None = None) -> None:
    if isinstance(content, QLayout):
        layout.addLayout(content, factor)
    elif alignment is None:
        layout.addWidget(content, factor)
    else:
        layout.addWidget(content, factor, alignment)
