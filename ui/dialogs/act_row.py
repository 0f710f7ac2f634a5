"""Row of the history: a sentence, who did it and when, and its undo."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ui import theme
from ui.models.dates import clock_time
from ui.shell.undo.act_sentences import act_text, actor_text, refusal_text
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from app.history.acts.model import Act


class ActRow(QWidget):
    """One entry of the history."""

    undo_requested = Signal(object)
    """Undo this act, or do again what is undone."""
    both_requested = Signal(object, object)
    """Undo this act and the one in its way."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.act: Act | None = None
        self.first: Act | None = None
        self.words = PlainLabel("", self, wraps=True)
        self.about = PlainLabel("", self, style="small muted", wraps=True)
        self.undo = text_button("", "quiet", parent=self)
        self.undo.clicked.connect(self._on_undo_clicked)
        column = vbox(self.words, self.about, spacing=2)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, Space.S, 0, Space.S)
        row.setSpacing(Space.M)
        row.addLayout(column, 1)
        row.addWidget(self.undo, 0, Qt.AlignmentFlag.AlignTop)

    def show_act(self, act: "Act", first: "Act | None" = None) -> None:
        """Show an act.

        Args:
            act: The act.
            first: The act that is in the way of its undo, where one is known: both are then undone together.
        """
        self.act, self.first = act, first
        is_undone = act.state == "undone"
        words = act_text(act)
        self.words.setText(words)
        theme.set_type(self.words, "body muted" if is_undone else "body")
        parts = [clock_time(act.at), actor_text(act)]
        if is_undone:
            parts.append(self.tr("Undone"))
        elif act.state == "partly":
            parts.append(self.tr("Undone in part"))
        refusal = "" if act.is_to_redo else refusal_text(act, first)
        if refusal:
            parts.append(refusal)
        self.about.setText(" · ".join(parts))
        title = self.tr("Do again") if act.is_to_redo else self.tr("Undo")
        if refusal and first is not None:
            title = self.tr("Undo both…")
        self.undo.setText(title)
        self.undo.setAccessibleName(f"{title}: {words}")
        self.undo.setEnabled(not refusal or first is not None)
        self.undo.setVisible(act.is_to_redo or not is_undone)

    def _on_undo_clicked(self) -> None:
        if self.act is None:
            return
        if self.first is not None and not self.act.is_to_redo:
            self.both_requested.emit(self.act, self.first)
        else:
            self.undo_requested.emit(self.act)
