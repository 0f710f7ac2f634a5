"""Saved and recent searches, shown while the search box is empty."""

from collections.abc import Mapping, Sequence
from itertools import count

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.core.text import excerpt
from ui import theme
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.plain_text import PlainLabel, caption, tooltip

LENGTH = 70
NARROW = 560
"""Width in pixels below which meanings go under their searches, at normal text size."""
_INDENT = 28


class RecentSearches(QScrollArea):
    """Lists of searches to take up again, and examples of what can be asked."""

    picked = Signal(str)
    help_requested = Signal()
    """An explanation of the query language is requested."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self._shown: tuple[tuple[tuple[str, str], ...], tuple[str, ...]] | None = None
        self._names: Mapping[str, str] = {}
        self._meanings: list[tuple[QGridLayout, int, PlainLabel]] = []
        self._is_narrow = False
        theme.current().changed.connect(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put what searches mean beside them, or below where both would be narrow."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        is_narrow = self.width() < theme.current().scaled(NARROW)
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._place_meanings()

    def _place_meanings(self) -> None:
        for grid, row, about in self._meanings:
            indent = theme.current().scaled(_INDENT) if self._is_narrow else 0
            about.setContentsMargins(indent, 0, 0, Space.S if self._is_narrow else 0)
            if self._is_narrow:
                grid.addWidget(about, row + 1, 0, 1, 2)
            else:
                grid.addWidget(about, row, 1)

    def show_searches(self, saved: Mapping[str, str], recent: Sequence[str]) -> None:
        """Show saved searches, each query with its name, and recent ones."""
        if self._shown == (tuple(saved.items()), tuple(recent)):
            return
        self._shown = (tuple(saved.items()), tuple(recent))
        self._names = saved
        self._meanings.clear()
        body = QFrame(self)
        body.setObjectName("sheet")
        column = vbox(parent=body, margins=(Space.XL, Space.M, Space.XL, Space.XL), spacing=2)
        for title, icon, searches in (
            (self.tr("Saved searches"), "bookmark", saved),
            (self.tr("Recent searches"), "history", recent),
        ):
            if searches:
                self._add(column, title, icon, dict.fromkeys(searches, ""))
        self._add(column, self.tr("For example"), "lightbulb", self._examples())
        more = text_button(self.tr("Everything one can type"), "quiet", icon_name="circle-question-mark", parent=body)
        more.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        more.setStyleSheet("text-align: left;")
        more.clicked.connect(self.help_requested)
        column.addSpacing(Space.M)
        column.addWidget(more)
        column.addStretch(1)
        self._place_meanings()
        self.setWidget(body)

    def _examples(self) -> dict[str, str]:
        """Return what one may ask, and what that finds."""
        return {
            self.tr("when did we talk about the lake"): self.tr("a question in your own words"),
            self.tr('"exact words" tag:garden'): self.tr("these words side by side, in what has the tag"),
            self.tr('kind:note after:"last week"'): self.tr("the newest notes since then"),
            self.tr("role:user -weather plan*"): self.tr("what you said of plan, plans, planning… but not of weather"),
        }

    def _add(self, column: QVBoxLayout, title: str, icon: str, searches: Mapping[str, str]) -> None:
        head = PlainLabel(title, self, style="strong")
        # The words of the buttons below begin further in than the buttons do.
        head.setContentsMargins(Space.S, 0, 0, 0)
        column.addSpacing(Space.M)
        column.addWidget(head)
        grid = QGridLayout()
        grid.setHorizontalSpacing(Space.L)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for row, (text, meaning) in zip(count(0, 2), searches.items(), strict=False):
            shown = self._names.get(text, text)
            button = text_button(caption(excerpt(shown, LENGTH)), "quiet", icon_name=icon, parent=self)
            button.setAccessibleName(shown)
            button.setToolTip(tooltip(text) if shown != text or len(text) > LENGTH else "")
            button.setStyleSheet("text-align: left;")
            button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            button.setProperty("search", text)
            button.clicked.connect(self._on_button_clicked)
            # Without a meaning to stand beside it, a button may be as wide as there is room.
            grid.addWidget(button, row, 0, 1, 1 if meaning else 2)
            if meaning:
                about = PlainLabel(meaning, self, style="small muted", wraps=True)
                self._meanings.append((grid, row, about))
        column.addLayout(grid)

    def _on_button_clicked(self) -> None:
        self.picked.emit(str(self.sender().property("search")))
