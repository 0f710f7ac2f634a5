"""The texts that a window shows, and which of them have too little room."""

import re
from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QTextEdit,
    QWidget,
)

from ui.pseudo_locale import CLOSING, OPENING
from ui.widgets.elided_label import ElidedLabel

_WORD = re.compile(r"[A-Za-z]{3,}")
_TAG = re.compile(r"<[^<>]*>|&\w+;")
_TRANSLATED = re.compile(rf"{OPENING}[^{OPENING}{CLOSING}]*{CLOSING}")
_ROWS = 200


def shown_texts(root: QWidget) -> Iterator[tuple[str, str]]:
    """Return the texts of the visible widgets below ``root``, each with the kind and class that show it."""
    for widget in (root, *root.findChildren(QWidget)):
        if not widget.isVisibleTo(root) or widget.window() is not root.window():
            continue
        where = type(widget).__name__
        yield f"{where} tooltip", widget.toolTip()
        yield f"{where} name", widget.accessibleName()
        yield f"{where} description", widget.accessibleDescription()
        for text in _own_texts(widget):
            yield where, text


def _own_texts(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    elif isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit):
        yield widget.placeholderText()
    elif isinstance(widget, QComboBox):
        yield from (widget.itemText(row) for row in range(widget.count()))
    elif isinstance(widget, QTabBar):
        yield from (widget.tabText(tab) for tab in range(widget.count()))
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _model_texts(widget.model())


def _model_texts(model: QAbstractItemModel, parent: QModelIndex | None = None) -> Iterator[str]:
    above = parent or QModelIndex()
    # Qt hides these of a list.
    is_list = isinstance(model, QAbstractListModel)
    for column in range(1 if is_list else model.columnCount(above)):
        title = model.headerData(column, Qt.Orientation.Horizontal) if parent is None else None
        if isinstance(title, str):
            yield title
        for row in range(min(model.rowCount(above), _ROWS)):
            index = model.index(row, column, above)
            for role in (
                Qt.ItemDataRole.DisplayRole,
                Qt.ItemDataRole.ToolTipRole,
                Qt.ItemDataRole.AccessibleTextRole,
                Qt.ItemDataRole.AccessibleDescriptionRole,
            ):
                text = index.data(role)
                if isinstance(text, str):
                    yield text
            if not is_list:
                yield from _model_texts(model, index)


def untranslated(text: str) -> str:
    """Return what of ``text`` is English and went through no translation; ``""`` for nothing."""
    rest, before = text, ""
    while rest != before:  # a translated text may be a field of another
        rest, before = _TRANSLATED.sub(" ", rest), rest
    rest = _TAG.sub(" ", rest)
    return rest.strip(" ,·:\n") if _WORD.search(rest) else ""


def cut_texts(root: QWidget) -> Iterator[tuple[str, str]]:
    """Return the texts of labels and buttons below ``root`` that have less room than they need."""
    for widget in root.findChildren(QWidget):
        if not widget.isVisibleTo(root) or widget.window() is not root.window():
            continue
        if isinstance(widget, QScrollArea):
            yield from _wide_texts(widget)
        parent = widget.parentWidget()
        if parent is not None and isinstance(parent, QSplitter | QStackedWidget) and widget.width() > parent.width():
            yield type(widget).__name__, f"{widget.width()} of {parent.width()}, {_first_text(widget)!r}"
        if isinstance(widget, ElidedLabel):
            continue  # it says so by an ellipsis, and its tooltip is the whole text
        if not isinstance(widget, QAbstractButton | QLabel) or not widget.text():
            continue
        if widget.hasHeightForWidth():
            is_cut = widget.heightForWidth(widget.width()) > widget.height() + 1
        else:
            is_cut = widget.sizeHint().width() > widget.width() + 1
        if is_cut:
            has, wants = widget.size().toTuple(), widget.sizeHint().toTuple()
            yield type(widget).__name__, f"{widget.text()!r} has {has} of {wants}"


def _wide_texts(area: QScrollArea) -> Iterator[tuple[str, str]]:
    """Return what makes the page of a scroll area wider than its view."""
    room, page = area.viewport().width(), area.widget()
    if page is None:
        return
    parts = [part for part in page.findChildren(QWidget) if part.isVisibleTo(page)]
    edges = {part: part.mapTo(page, part.rect().topRight()).x() for part in parts}
    wide = [f"{type(part).__name__} {_first_text(part)!r}" for part in parts if edges[part] > room]
    if page.width() > room or wide:
        yield type(area).__name__, f"{page.width()} of {room}: {wide[:6]}"


def _first_text(widget: QWidget) -> str:
    return next(_own_texts(widget), "")
