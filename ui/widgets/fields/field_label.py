"""The label of a field in a form, as high as the field."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from ui.widgets.plain_text import PlainLabel


class FieldLabel(PlainLabel):
    """A label that stands at the middle of its field.

    Args:
        text: The words.
        field: What they name.
        parent: The Qt parent.
    """

    def __init__(self, text: str, field: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._field = field

    def sizeHint(self) -> QSize:
        """Return the size of the words, at least as high as the field."""
        return self._as_high(super().sizeHint())

    def minimumSizeHint(self) -> QSize:
        """Return the least size of the words, at least as high as the field."""
        return self._as_high(super().minimumSizeHint())

    def _as_high(self, size: QSize) -> QSize:
        return size.expandedTo(QSize(0, self._field.sizeHint().height()))
