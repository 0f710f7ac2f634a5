"""View of one proposed change, as marked lines or side by side."""

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QWidget

from ui import theme
from ui.panes.inbox.proposal_labels import text_of, title_of
from ui.panes.labels import event_label, kind_label, store_label
from ui.panes.notes.version_diff import differences
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from app.inbox.model import ProposedChange

_SIGNS = {"-": "danger", "+": "success", "…": "muted", " ": "text"}


class ChangeView(QFrame):
    """A card with what one change does."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._change: ProposedChange | None = None
        self._is_split = False
        self._head = PlainLabel("", self, style="small muted", wraps=True)
        self._left, self._right = self._text(self.tr("Now")), self._text(self.tr("Proposed"))
        self._titles = [self._title(self.tr("You know")), self._title(self.tr("Proposed"))]
        row = hbox(spacing=Space.L)
        self._sides = [QWidget(self), QWidget(self)]
        for side, title, text in zip(self._sides, self._titles, (self._left, self._right), strict=True):
            vbox(title, text, Stretch(), parent=side, margins=0, spacing=Space.XS)
            row.addWidget(side, 1)
        vbox(self._head, row, parent=self, margins=(Space.L, Space.M, Space.L, Space.L), spacing=Space.S)
        theme.current().changed.connect(self._paint_anew)

    def show_change(self, change: "ProposedChange", *, side_by_side: bool) -> None:
        """Show a change.

        Args:
            change: The change.
            side_by_side: Whether before and after stand beside each other rather than as lines with signs.
        """
        self._change, self._is_split = change, side_by_side
        parts = [event_label(change.event), kind_label(change.kind)]
        if change.store:
            parts.append(store_label(change.store))
        title = title_of(change)
        self._head.setText("  ·  ".join([*parts, title] if change.before is not None else parts))
        self._sides[1].setVisible(side_by_side)  # the other then has all of the width
        for label in self._titles:
            label.setVisible(side_by_side)
        self._paint_anew()

    def _paint_anew(self) -> None:
        change = self._change
        if change is None:
            return
        before, after = text_of(change.before), text_of(change.after)
        if self._is_split:
            self._left.setText(_plain(before))
            self._right.setText(_plain(after))
        elif change.before is None:
            self._left.setText(_plain(after))
        else:
            tokens = theme.current().tokens
            lines = [
                f'<div style="color:{getattr(tokens, _SIGNS[sign])};white-space:pre-wrap">{escape(sign)} '
                f"{escape(line) or '&nbsp;'}</div>"
                for sign, line in differences(before, after)
            ]
            self._left.setText("".join(lines))
        self._left.setAccessibleName(before if self._is_split else f"{before}\n{after}".strip())
        self._right.setAccessibleName(after)

    def _title(self, words: str) -> PlainLabel:
        return PlainLabel(words, self, style="small muted")

    def _text(self, name: str) -> PlainLabel:
        label = PlainLabel("", self)
        label.setAccessibleName(name)
        label.setWordWrap(True)
        # Escaped above; rich text is needed for the colours of the signs.
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label


def _plain(text: str) -> str:
    return f'<div style="white-space:pre-wrap">{escape(text)}</div>'
