"""Facets: what there is to narrow a list by, with counts, in groups that fold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from ui import theme
from ui.models.dates import format_number
from ui.style.design_tokens import Radius, Space
from ui.style.icons import pixmap
from ui.widgets.plain_text import tooltip

Index = QModelIndex | QPersistentModelIndex
_KEY = Qt.ItemDataRole.UserRole + 1
_COUNT = Qt.ItemDataRole.UserRole + 2
_CHOSEN = Qt.ItemDataRole.UserRole + 3
_ICON = 14


@dataclass(frozen=True, slots=True)
class FacetRow:
    """One value.

    Args:
        name: As the filter knows it; tags nest at ``/``.
        count: How many items have it, ``None`` to show no number.
        label: As a person reads it, the name when empty.
    """

    name: str
    count: int | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class FacetGroup:
    """Values of one kind.

    Args:
        key: The group's name for the program.
        title: Its heading.
        rows: Its values, in the order to show.
        nested: Whether ``a/b`` stands below ``a``.
    """

    key: str
    title: str
    rows: Sequence[FacetRow]
    nested: bool = False


class FacetTree(QTreeWidget):
    """Groups of values one can switch on and off with a click, Enter or Space."""

    toggled = Signal(str, str, bool)
    """Group, value, and whether it is on now."""
    menu_requested = Signal(str, str, QPoint)
    """The menu of a group's value is wanted at a global position."""
    rename_requested = Signal(str, str)
    delete_requested = Signal(str, str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setExpandsOnDoubleClick(False)
        # Rows are switched on and off; a selection besides would only be painted beside their ground.
        self.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
        self.setStyleSheet("QTreeWidget { background: transparent; }")
        self.setItemDelegate(_FacetDelegate(self))
        self._chosen: dict[str, set[str]] = {}
        self._folded: set[str] = set()
        self._shown: tuple[FacetGroup, ...] = ()
        self._refresh_look()
        self.itemClicked.connect(self._on_item_clicked)
        theme.current().changed.connect(self._refresh_look)

    def set_groups(self, groups: Iterable[FacetGroup]) -> None:
        """Show ``groups``; chosen values stay chosen and stay visible, folds stay folded."""
        fresh = tuple(group for group in groups if group.rows or self._chosen.get(group.key))
        if fresh == self._shown:
            return
        self._shown = fresh
        current = self._key_of(self.currentItem())
        place = self.verticalScrollBar().value()
        self.clear()
        for group in fresh:
            head = self._item(self.invisibleRootItem(), group.key, group.title, None)
            head.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            self._fill(head, group)
            head.setExpanded(group.key not in self._folded)
        self._restore_current(current)
        self.verticalScrollBar().setValue(place)

    def set_chosen(self, group: str, names: Iterable[str]) -> None:
        """Mark the values of ``group`` that are on."""
        self._chosen[group] = set(names)
        for item in self._values():
            if item.data(0, _KEY)[0] == group:
                item.setData(0, _CHOSEN, item.data(0, _KEY)[1] in self._chosen[group])

    def chosen(self, group: str) -> tuple[str, ...]:
        """Return the values of ``group`` that are on, in order of name."""
        return tuple(sorted(self._chosen.get(group, ())))

    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """Draw nothing; the delegate draws the fold arrow.

        So the background of a row covers its whole width.
        """

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Switch with Enter and Space, rename with F2, delete with Delete."""
        item = self.currentItem()
        signals = {Qt.Key.Key_F2: self.rename_requested, Qt.Key.Key_Delete: self.delete_requested}
        signal, key = signals.get(Qt.Key(event.key())), self._key_of(item)
        if signal is not None and isinstance(key, tuple):
            signal.emit(*key)
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and item is not None:
            self._on_item_clicked(item)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of a value, by mouse or by key."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        item = self.currentItem() if by_key else self.itemAt(event.pos())
        key = self._key_of(item)
        if item is not None and isinstance(key, tuple):
            corner = self.viewport().mapToGlobal(self.visualItemRect(item).center())
            self.menu_requested.emit(*key, corner if by_key else event.globalPos())

    def _fill(self, head: QTreeWidgetItem, group: FacetGroup) -> None:
        rows = list(group.rows)
        known = {row.name for row in rows}
        rows += [FacetRow(name) for name in sorted(self._chosen.get(group.key, set()) - known)]
        items: dict[str, QTreeWidgetItem] = {}
        for row in sorted(rows, key=lambda candidate: candidate.name.count("/")) if group.nested else rows:
            parent, label = head, row.label or row.name
            if group.nested and "/" in row.name:
                above, _, last = row.name.rpartition("/")
                if above in items:
                    parent, label = items[above], last
            item = self._item(parent, (group.key, row.name), label, row.count)
            item.setData(0, _CHOSEN, row.name in self._chosen.get(group.key, ()))
            items[row.name] = item

    @staticmethod
    def _item(parent: QTreeWidgetItem, key: object, label: str, count: int | None) -> QTreeWidgetItem:
        item = QTreeWidgetItem(parent, [label])
        item.setData(0, _KEY, key)
        item.setData(0, _COUNT, count)
        words = label if count is None else f"{label}, {format_number(count)}"
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, words)
        item.setToolTip(0, tooltip(words))
        return item

    @staticmethod
    def _key_of(item: QTreeWidgetItem | None) -> object:
        return None if item is None else item.data(0, _KEY)

    def _values(self) -> Iterable[QTreeWidgetItem]:
        waiting = [self.topLevelItem(row) for row in range(self.topLevelItemCount())]
        while waiting:
            item = waiting.pop()
            if item is None:
                continue
            waiting.extend(item.child(row) for row in range(item.childCount()))
            if isinstance(item.data(0, _KEY), tuple):
                yield item

    def _restore_current(self, key: object) -> None:
        current_item = next((item for item in self._values() if key is not None and self._key_of(item) == key), None)
        if current_item is not None:
            self.setCurrentItem(current_item)

    def _on_item_clicked(self, item: QTreeWidgetItem) -> None:
        key = item.data(0, _KEY)
        if isinstance(key, str):
            item.setExpanded(not item.isExpanded())
            (self._folded.discard if item.isExpanded() else self._folded.add)(key)
            return
        group, name = key
        on = not item.data(0, _CHOSEN)
        item.setData(0, _CHOSEN, on)
        chosen = self._chosen.setdefault(group, set())
        (chosen.add if on else chosen.discard)(name)
        self.toggled.emit(group, name, on)

    def _refresh_look(self) -> None:
        self.setIndentation(theme.current().scaled(_ICON))
        self.scheduleDelayedItemsLayout()


class _FacetDelegate(QStyledItemDelegate):
    """Paints headings and values with their counts."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        del index
        return QSize(80, max(28, option.fontMetrics.height() + 10))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tree = self.parent()
        mirrored = isinstance(tree, QWidget) and tree.isRightToLeft()
        rect = option.rect.adjusted(Space.XS, 1, -Space.S, -1)
        row = QRect(rect)
        if isinstance(tree, QTreeWidget):
            row.setLeft(Space.XS)
            row.setRight(tree.viewport().width() - Space.S - 1)
        focused = isinstance(tree, QTreeWidget) and tree.hasFocus() and tree.currentIndex() == index
        self._ground(painter, row, option, bool(index.data(_CHOSEN)), focused)
        body = rect.adjusted(Space.S, 0, -Space.S, 0)
        if isinstance(index.data(_KEY), str):
            self._heading(painter, body, index, mirrored)
        else:
            self._value(painter, body, index, mirrored)
            if index.model().hasChildren(index):
                self._fold_sign(painter, option.rect, index, mirrored)
        painter.restore()

    @staticmethod
    def _ground(painter: QPainter, rect: QRect, option: QStyleOptionViewItem, chosen: bool, focused: bool) -> None:
        look = theme.current()
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if chosen or hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("selected" if chosen else "hover"))
            painter.drawRoundedRect(rect, Radius.SMALL, Radius.SMALL)
        if focused:
            painter.setPen(look.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect, Radius.SMALL, Radius.SMALL)

    @staticmethod
    def _fold_sign(painter: QPainter, cell: QRect, index: Index, mirrored: bool) -> None:
        """Draw the fold arrow of a value that has others below it."""
        tree = index.model().parent()
        opened = isinstance(tree, QTreeWidget) and tree.isExpanded(index)
        name = "chevron-down" if opened else ("chevron-left" if mirrored else "chevron-right")
        side = theme.current().scaled(_ICON)
        sign = pixmap(name, side, theme.current().tokens.muted, painter.device().devicePixelRatioF())
        left = cell.right() + 1 - Space.XS if mirrored else cell.left() - side + Space.XS
        painter.drawPixmap(left, cell.center().y() - side // 2 + 1, sign)

    @staticmethod
    def _heading(painter: QPainter, body: QRect, index: Index, mirrored: bool) -> None:
        look = theme.current()
        tree = index.model().parent()
        opened = isinstance(tree, QTreeWidget) and tree.isExpanded(index)
        name = "chevron-down" if opened else ("chevron-left" if mirrored else "chevron-right")
        side = look.scaled(_ICON)
        sign = pixmap(name, side, look.tokens.muted, painter.device().devicePixelRatioF())
        left = body.right() - side if mirrored else body.left() - 2
        painter.drawPixmap(left, body.center().y() - side // 2 + 1, sign)
        painter.setFont(look.font("small"))
        painter.setPen(look.colour("muted"))
        room = body.adjusted(0, 0, -side - 4, 0) if mirrored else body.adjusted(side + 4, 0, 0, 0)
        painter.drawText(room, _side(mirrored), str(index.data()))

    @staticmethod
    def _value(painter: QPainter, body: QRect, index: Index, mirrored: bool) -> None:
        look = theme.current()
        count = index.data(_COUNT)
        painter.setFont(look.font("small"))
        words = "" if count is None else format_number(count)
        width = painter.fontMetrics().horizontalAdvance(words) + Space.S if words else 0
        painter.setPen(look.colour("muted"))
        painter.drawText(body, _side(not mirrored), words)
        painter.setFont(look.font("body"))
        painter.setPen(look.colour("accent" if index.data(_CHOSEN) else "text"))
        room = body.adjusted(width, 0, 0, 0) if mirrored else body.adjusted(0, 0, -width, 0)
        label = painter.fontMetrics().elidedText(str(index.data()), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, _side(mirrored), label)


def _side(right: bool) -> int:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter)
