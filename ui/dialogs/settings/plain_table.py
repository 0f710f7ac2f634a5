"""Small tables, as high as their rows."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QWidget

from ui import theme

_MOST_ROWS = 8
_PADDING = 4
_NARROWEST = 96
"""Pixels of a column at the least, with text of the system's size."""


def make_table(parent: QWidget, name: str, columns: Sequence[str]) -> QTreeWidget:
    """Return a table without rows.

    Args:
        parent: The Qt parent.
        name: What a screen reader calls it.
        columns: The headings; the first column takes the room that is left.
    """
    table = QTreeWidget(parent)
    table.setObjectName("plainTable")
    table.setAccessibleName(name)
    table.setColumnCount(len(columns))
    table.setHeaderLabels(list(columns))
    table.setRootIsDecorated(False)
    table.setUniformRowHeights(True)
    table.setAllColumnsShowFocus(True)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    header = table.header()
    header.setStretchLastSection(False)
    header.setMinimumSectionSize(theme.current().scaled(_NARROWEST))  # or the first would vanish in a narrow window
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
    return table


def align_numbers(table: QTreeWidget, column: int) -> None:
    """Put the figures of a column, and its heading, at the far side."""
    far = Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter
    items = (table.topLevelItem(row) for row in range(table.topLevelItemCount()))
    for item in (table.headerItem(), *items):
        if item is not None:
            item.setTextAlignment(column, far)


def fit_table(table: QTreeWidget, most: int = _MOST_ROWS) -> None:
    """Make a table as high as its rows, and at most as ``most`` of them."""
    rows = min(max(1, table.topLevelItemCount()), most)
    row_height = table.sizeHintForRow(0) if table.topLevelItemCount() else table.fontMetrics().height()
    table.setFixedHeight(table.header().sizeHint().height() + rows * max(row_height, 1) + 2 * _PADDING)
