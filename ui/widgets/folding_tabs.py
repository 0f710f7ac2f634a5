"""Folding tabs: a bar of tabs that becomes a menu where it does not fit."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLayout, QSizePolicy, QTabBar, QWidget

from ui import theme
from ui.widgets.box_layouts import hbox
from ui.widgets.elided_combo_box import ElidedComboBox

LETTERS = 10
"""Letters that the menu shows at least."""


class FoldingTabs(QWidget):
    """Tabs side by side, or a menu of them where they do not fit.

    Args:
        name: What they are tabs of, for screen readers.
        titles: The words of the tabs.
        parent: Their parent.
    """

    changed = Signal(int)
    """Another tab is in front, by its number from 0."""

    def __init__(self, name: str, titles: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = QTabBar(self)
        self.menu = ElidedComboBox(self)
        self.bar.setDrawBase(False)
        self.bar.setExpanding(False)
        self.bar.setUsesScrollButtons(True)  # otherwise it asks for the width of all tabs, and is never too wide
        self.menu.setMinimumContentsLength(LETTERS)
        self.menu.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for choice in (self.bar, self.menu):
            choice.setAccessibleName(name)
        for title in titles:
            self.bar.addTab(title)
            self.menu.addItem(title)
        self.menu.hide()
        row = hbox(parent=self, margins=0)
        row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # the bar would ask for its widest tab
        row.addWidget(self.bar)
        row.addWidget(self.menu)
        self.bar.currentChanged.connect(self._on_bar_current_changed)
        self.menu.activated.connect(self.bar.setCurrentIndex)
        theme.current().changed.connect(self._fit)

    @property
    def is_folded(self) -> bool:
        """True while the tabs are a menu."""
        return not self.menu.isHidden()

    def minimumSizeHint(self) -> QSize:
        """Return room for the menu, which the tabs become where there is no more."""
        return QSize(self.menu.minimumSizeHint().width(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold or unfold the tabs."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        folds = self.bar.sizeHint().width() > self.width()
        if folds == self.is_folded:
            return
        before, after = (self.bar, self.menu) if folds else (self.menu, self.bar)
        held = before.hasFocus()
        after.show()
        if held:
            after.setFocus(Qt.FocusReason.OtherFocusReason)
        before.hide()

    def _on_bar_current_changed(self, place: int) -> None:
        self.menu.setCurrentIndex(place)
        self.changed.emit(place)
