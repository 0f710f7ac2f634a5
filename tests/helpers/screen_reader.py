"""What a screen reader finds: the widgets below another by their name, and all the words they show."""

from typing import TypeVar

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QLabel, QPlainTextEdit, QWidget

W = TypeVar("W", bound=QWidget)


def name_of(widget: QWidget) -> str:
    """Return what a screen reader calls a widget."""
    # Qt calls a choice by what is chosen in it, on some systems.
    spoken = QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)
    return (widget.accessibleName() or spoken).strip()


def named(root: QWidget, kind: type[W], name: str) -> W:
    """Return the one visible widget of a class below ``root`` with a name."""
    names = {widget: name_of(widget) for widget in root.findChildren(kind) if widget.isVisibleTo(root)}
    found = [widget for widget, called in names.items() if called == name]
    assert len(found) == 1, f"{len(found)} called {name!r} among {sorted(names.values())}"
    return found[0]


def shown(root: QWidget, kind: type[W]) -> list[W]:
    """Return the visible widgets of a class below ``root``."""
    return [widget for widget in root.findChildren(kind) if widget.isVisibleTo(root)]


def one_shown(root: QWidget, kind: type[W]) -> W:
    """Return the one visible widget of a class below ``root``."""
    (widget,) = shown(root, kind)
    return widget


def is_offered(root: QWidget, name: str) -> bool:
    """Return whether a visible button below ``root`` has a name."""
    return any(name_of(button) == name for button in root.findChildren(QAbstractButton) if button.isVisibleTo(root))


def press(root: QWidget, name: str) -> None:
    """Press the visible button with a name."""
    named(root, QAbstractButton, name).click()


def words(root: QWidget) -> str:
    """Return the texts of all visible labels and text fields below ``root``, each on lines of its own."""
    labels = [label.text() for label in root.findChildren(QLabel) if label.isVisibleTo(root)]
    fields = [field.toPlainText() for field in root.findChildren(QPlainTextEdit) if field.isVisibleTo(root)]
    return "\n".join(filter(None, (*labels, *fields)))
