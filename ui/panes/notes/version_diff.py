"""The differences of two versions of a text, and the choice between them."""

import difflib
from html import escape

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from ui import theme
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import icon_button, text_button
from ui.widgets.plain_text import PlainLabel

LINES = 400
COMPARED = 60_000
_CONTEXT = 2


def differences(old: str, new: str) -> list[tuple[str, str]]:
    """Return the lines of two texts with a sign each.

    The sign is ``-`` for lines only in ``old``, ``+`` only in ``new``, a blank for both, and ``…`` for a gap.

    Of very long texts only the beginning is compared: the time it takes grows with the square of the length.
    """
    lines: list[tuple[str, str]] = []
    before, after = old[:COMPARED].splitlines(), new[:COMPARED].splitlines()
    for line in difflib.unified_diff(before, after, lineterm="", n=_CONTEXT):
        if line.startswith(("---", "+++")):
            continue
        if line.startswith("@@"):
            if lines:
                lines.append(("…", ""))
        else:
            lines.append((line[0], line[1:]))
    return lines[:LINES]


class VersionDiff(QFrame):
    """A sentence, the differences, and buttons; used for conflicts and for versions of the past."""

    picked = Signal(str)
    """A button was pressed: its key."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._sentence = PlainLabel(self, wraps=True)
        self._text = QTextBrowser(self)
        self._text.setAccessibleName(self.tr("Differences"))
        self._text.setOpenLinks(False)
        self._text.setFixedHeight(190)
        self._close = icon_button("x", self.tr("Close the comparison"), parent=self)
        self._close.clicked.connect(self._on_close_clicked)
        self._row = hbox(spacing=Space.S)
        head = hbox((self._sentence, 1), self._close)
        vbox(head, self._text, self._row, parent=self, margins=(Space.L, Space.S, Space.S, Space.M))
        self._shown: tuple[str, str] = ("", "")
        theme.current().changed.connect(self._paint_anew)
        self.hide()

    def ask(self, sentence: str, old: str, new: str, buttons: list[tuple[str, str, str]], *, closable: bool) -> None:
        """Show two versions.

        Args:
            sentence: What this is about.
            old: The version that lines with a minus come from.
            new: The version that lines with a plus come from.
            buttons: Key, words and look of each.
            closable: Whether one may close it without an answer.
        """
        self._sentence.setText(sentence)
        self._close.setVisible(closable)
        self._shown = (old, new)
        self._paint_anew()
        while (item := self._row.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for key, words, look in buttons:
            button = text_button(words, look, parent=self)
            button.setObjectName(key)
            button.clicked.connect(self._on_button_clicked)
            self._row.addWidget(button)
        self._row.addStretch(1)
        self.show()

    def _paint_anew(self) -> None:
        tokens = theme.current().tokens
        colours = {"-": tokens.danger, "+": tokens.success, "…": tokens.muted, " ": tokens.text}
        lines = [
            f'<div style="color:{colours[sign]};white-space:pre-wrap">{escape(sign)} {escape(line) or "&nbsp;"}</div>'
            for sign, line in differences(*self._shown)
        ]
        nothing = self.tr("The words are the same; title or tags differ.")
        self._text.setHtml("".join(lines) or f"<p>{escape(nothing)}</p>")

    def _on_button_clicked(self) -> None:
        self.picked.emit(self.sender().objectName())

    def _on_close_clicked(self) -> None:
        self.hide()
        self.closed.emit()
