"""Totals of a comparison: a sentence, and a line of figures for each side."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from ui import theme
from ui.dialogs.base_dialog import note
from ui.dialogs.models.comparison_messages import (
    figure_names,
    figure_notes,
    figures,
    known,
    leading,
    made_note,
    side_titles,
    verdict,
)
from ui.style.design_tokens import Space
from ui.widgets.button import text_button
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.plain_text import PlainLabel, tooltip

if TYPE_CHECKING:
    from app.evaluation.comparison_model import RankingComparison

NAME = 160
"""Minimum width in pixels of a side's name, at normal text size."""


class Totals(QFrame):
    """Totals of a comparison: a sentence, and a line of figures for each side."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._is_brief = False
        self._words = note("", self, "body")
        self.use = text_button("", parent=self)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(Space.XL)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        self._names = [ElidedLabel("", self), ElidedLabel("", self)]
        self._cells: list[list[PlainLabel]] = []
        self._headings: list[PlainLabel] = []
        for column, (name, meaning) in enumerate(zip(figure_names(), figure_notes(), strict=True), 1):
            label = self._label(name, "small muted")
            label.setToolTip(tooltip(meaning))
            label.setAccessibleDescription(meaning)
            self._headings.append(label)
            self._grid.addWidget(label, 0, column)
        for name_label in self._names:
            theme.set_type(name_label, "strong")
            self._cells.append([self._label("", "body") for _ in figure_names()])
        self._is_narrow = False
        self._place_figures()
        self._column = column_box = QVBoxLayout(self)
        column_box.setContentsMargins(Space.L, Space.M, Space.L, Space.M)
        column_box.setSpacing(Space.S)
        head = QHBoxLayout()
        head.setSpacing(Space.L)
        head.addWidget(self._words, 1)
        head.addWidget(self.use, 0, Qt.AlignmentFlag.AlignTop)
        column_box.addLayout(head)
        column_box.addLayout(self._grid)
        self._made = note("", self)
        column_box.addWidget(self._made)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the height that the sentences need at this width."""
        super().resizeEvent(event)
        self._fit()

    def fit_into(self, width: int, *, is_low: bool) -> None:
        """Put each name above its figures where it has no room beside them.

        A low window leaves the remark to the tooltip.

        Args:
            width: Pixels there are across.
            is_low: Whether there is little room from top to bottom.
        """
        self._is_brief = is_low
        self._made.setVisible(bool(self._made.text()) and not is_low)
        look = theme.current()
        metrics = QFontMetrics(look.font("small"))
        figures = sum(metrics.horizontalAdvance(label.text()) + Space.XL for label in self._headings)
        is_narrow = width < figures + look.scaled(NAME) + 2 * Space.L
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._place_figures()
        self._fit()

    def _place_figures(self) -> None:
        """Put each side into a line of the table, or into two."""
        self._grid.setHorizontalSpacing(Space.M if self._is_narrow else Space.XL)
        for side, (name, cells) in enumerate(zip(self._names, self._cells, strict=True)):
            line = 1 + 2 * side
            self._grid.addWidget(name, line, 0, 1, 1 + len(cells) if self._is_narrow else 1)
            for column, cell in enumerate(cells, 1):
                self._grid.addWidget(cell, line + 1 if self._is_narrow else line, column)

    def _fit(self) -> None:
        self.setMinimumHeight(self._column.totalHeightForWidth(self.width()))

    @property
    def text(self) -> str:
        """Text of the sentence."""
        return self._words.text()

    def show_totals(self, found: "RankingComparison") -> None:
        """Show the totals of another comparison."""
        self._words.setText(verdict(found))
        names = side_titles(found)
        note = made_note(found)
        self._made.setText(note)
        self._made.setVisible(bool(note) and not self._is_brief)
        self.setToolTip(tooltip(note))
        # Without a known answer there is nothing to say but how long it took.
        any_known = known(found.now) or known(found.other)
        for row in (self._headings, *self._cells):
            for label in row[:-1]:
                label.setVisible(any_known)
        for at, side in enumerate((found.now, found.other)):
            self._names[at].setText(names[at])
            for cell, what, text, leads in zip(
                self._cells[at], figure_names(), figures(side), leading(found)[at], strict=True
            ):
                cell.setText(text)
                theme.set_type(cell, "strong" if leads else "body")
                cell.setAccessibleName(f"{names[at]}, {what}: {text}")
        self._fit()

    def _label(self, text: str, kind: str) -> PlainLabel:
        label = PlainLabel(text, self)
        label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        theme.set_type(label, kind)
        return label
