"""Field of several lines."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QWidget


class TextField(QPlainTextEdit):
    """A framed field of several lines, which Tab leaves.

    Args:
        name: Its name for screen readers.
        parent: Its widget.
        text: The text in it.
        placeholder: Words that stand there while it is empty.
        is_read_only: Whether its text can only be read and copied.
        wraps: Whether long lines go on in the next one.
    """

    def __init__(
        self,
        name: str,
        parent: QWidget,
        *,
        text: str = "",
        placeholder: str = "",
        is_read_only: bool = False,
        wraps: bool = True,
    ) -> None:
        super().__init__(text, parent)
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setProperty("framed", True)
        self.setTabChangesFocus(True)
        if not wraps:
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        if is_read_only:
            self.setReadOnly(True)
            self.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
