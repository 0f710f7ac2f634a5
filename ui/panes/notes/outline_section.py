"""The outline of a note: its headings, to fold and to jump to."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QTreeWidget, QTreeWidgetItem, QWidget

from ui import theme
from ui.models.text_structure import Heading
from ui.style.design_tokens import Space
from ui.widgets.inspector import Section
from ui.widgets.plain_text import tooltip

MAX_ROWS = 14
_LINE = Qt.ItemDataRole.UserRole


class OutlineSection(Section):
    """A section of the inspector with the headings of the open note."""

    requested = Signal(object)
    """Jump to this ``Heading``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Outline"), parent)
        self.tree = _Tree(self.body)
        theme.set_type(self.tree, "small")
        self.tree.setAccessibleName(self.tr("Outline"))
        self.rows.addWidget(self.tree)
        self._headings: tuple[Heading, ...] = ()
        self._folded: set[str] = set()
        self.tree.chosen.connect(self._on_tree_chosen)
        self.tree.itemCollapsed.connect(self._on_tree_item_collapsed)
        self.tree.itemExpanded.connect(self._on_tree_item_expanded)
        self.hide()

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The headings shown."""
        return self._headings

    def set_headings(self, headings: Sequence[Heading]) -> None:
        """Show other headings; what is folded stays folded."""
        fresh = tuple(headings)
        same = [(heading.level, heading.title) for heading in fresh] == [
            (heading.level, heading.title) for heading in self._headings
        ]
        self._headings = fresh
        self.setVisible(bool(fresh))
        self.set_count(len(fresh))
        if same:  # only the lines have moved
            for number, item in enumerate(self.tree.items()):
                item.setData(0, _LINE, number)
            return
        place = self.tree.verticalScrollBar().value()
        self.tree.clear()
        self._fill()
        self.tree.verticalScrollBar().setValue(place)
        self._fit()

    def forget_folds(self) -> None:
        """Unfold everything: another note is shown."""
        self._folded.clear()

    def _fill(self) -> None:
        above: list[tuple[int, QTreeWidgetItem]] = []
        items: list[tuple[QTreeWidgetItem, bool]] = []
        for number, heading in enumerate(self._headings):
            while above and above[-1][0] >= heading.level:
                above.pop()
            item = QTreeWidgetItem([heading.title])
            item.setData(0, _LINE, number)
            item.setToolTip(0, tooltip(heading.title))
            if above:
                above[-1][1].addChild(item)
            else:
                self.tree.addTopLevelItem(item)
            above.append((heading.level, item))
            items.append((item, heading.title not in self._folded))
        for item, is_open in items:
            if item.childCount():
                item.setExpanded(is_open)

    def _fit(self) -> None:
        """Give the tree the height of its rows, up to a limit; beyond, it scrolls."""
        shown = sum(1 for item in self.tree.items() if self.tree.is_shown(item))
        height = self.tree.sizeHintForRow(0) if shown else 0
        self.tree.setFixedHeight(max(1, min(shown, MAX_ROWS)) * max(height, 1) + 2)

    def _on_tree_chosen(self, item: QTreeWidgetItem) -> None:
        number = item.data(0, _LINE)
        if isinstance(number, int) and number < len(self._headings):
            self.requested.emit(self._headings[number])

    def _on_tree_item_collapsed(self, item: QTreeWidgetItem) -> None:
        self._folded.add(item.text(0))
        self._fit()

    def _on_tree_item_expanded(self, item: QTreeWidgetItem) -> None:
        self._folded.discard(item.text(0))
        self._fit()


class _Tree(QTreeWidget):
    """Headings within each other; a click or Enter jumps, arrows fold."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setHeaderHidden(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setIndentation(14)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setExpandsOnDoubleClick(False)
        self.setStyleSheet(
            f"QTreeWidget {{ background: transparent; }} QTreeWidget::item {{ padding: {Space.XS}px 0; }}"
        )
        self.itemClicked.connect(self._on_item_clicked)

    def items(self) -> list[QTreeWidgetItem]:
        """Return all items in the order of the text."""
        items_in_order: list[QTreeWidgetItem] = []
        waiting = [self.topLevelItem(number) for number in reversed(range(self.topLevelItemCount()))]
        while waiting:
            item = waiting.pop()
            if item is None:
                continue
            items_in_order.append(item)
            waiting += [item.child(number) for number in reversed(range(item.childCount()))]
        return items_in_order

    def is_shown(self, item: QTreeWidgetItem) -> bool:
        """Return whether nothing above an item is folded."""
        above = item.parent()
        while above is not None:
            if not above.isExpanded():
                return False
            above = above.parent()
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self.chosen.emit(item)
        else:
            super().keyPressEvent(event)

    def _on_item_clicked(self, item: QTreeWidgetItem) -> None:
        self.chosen.emit(item)
