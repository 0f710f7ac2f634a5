"""The bar of a note to which two texts were written at once."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui import operations, theme
from ui.models.dates import full_date
from ui.style.design_tokens import Space
from ui.widgets.button import text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel
from ui.work import Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.memories.model import KeptText, Memory
    from ui.bridge import Bridge
    from ui.panes.notes.version_diff import VersionDiff

TAKE, DISMISS = "take", "dismiss"


class KeptTextBar(QFrame):
    """One line with what can be done; nothing while there is one text alone.

    Args:
        bridge: The way to the engine.
        comparison: Shows both texts.
        parent: Its parent.
    """

    settling = Signal()
    """The person chose a text: what is typed is to be written first."""

    def __init__(self, bridge: "Bridge", comparison: "VersionDiff", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setObjectName("accessBar")
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._comparison = comparison
        self._memory: Memory | None = None
        self._kept: Sequence[KeptText] = ()
        self._words = PlainLabel("", self, wraps=True)
        self.compare_button = text_button(self.tr("Compare"), parent=self)
        self.compare_button.clicked.connect(self._on_compare_clicked)
        self.take_button = text_button("", parent=self)
        self.take_button.clicked.connect(self._on_take_clicked)
        self.dismiss_button = text_button("", parent=self)
        self.dismiss_button.clicked.connect(self._on_dismiss_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(Space.L, Space.XS, Space.S, Space.XS)
        row.setSpacing(Space.S)
        row.addWidget(IconLabel("monitor", "muted", size=16, parent=self))
        row.addWidget(self._words, 1)
        for button in (self.compare_button, self.take_button, self.dismiss_button):
            row.addWidget(button)
        comparison.picked.connect(self._on_comparison_picked)
        self.hide()

    def show_memory(self, memory: "Memory | None") -> None:
        """Ask whether another text is kept for a memory, and show it if so."""
        if memory is None or self._memory is None or memory.id != self._memory.id:
            self._show(())
        self._memory = memory
        if memory is None or memory.kind != "note" or memory.deleted_at is not None:
            self._work.cancel(self._look)
            self._show(())
        else:
            self._work.latest(self._look, memory.id)

    async def _look(self, identity: str) -> None:
        self._show(await self._bridge.call(operations.note.kept_texts(id=identity)))

    def _show(self, kept: "Sequence[KeptText]") -> None:
        self._kept = kept
        is_deletion = bool(kept) and kept[0].is_deletion
        self._words.setText(
            self.tr("Deleted on one machine while it was edited on another, so it is still here")
            if is_deletion
            else self.tr("Edited on another machine at the same time")
        )
        self.take_button.setText(self.tr("Delete again") if is_deletion else self.tr("Take the other text"))
        self.dismiss_button.setText(self.tr("Keep") if is_deletion else self.tr("Dismiss"))
        self.compare_button.setHidden(is_deletion)
        self.setVisible(bool(kept))

    def _settle(self, key: str) -> None:
        if self._memory is None or not self._kept:
            return
        self.settling.emit()
        self._comparison.hide()
        identity, other = self._memory.id, self._kept[0]
        self._work.start(self._carry_out(key, identity, other), ended=lambda: self.show_memory(self._memory))

    async def _carry_out(self, key: str, identity: str, other: "KeptText") -> None:
        if key == DISMISS:
            await self._bridge.call(operations.note.dismiss_texts(id=identity))
        elif other.is_deletion:
            await self._bridge.call(operations.note.delete(id=identity))
        else:
            await self._bridge.call(operations.note.take_text(id=identity, text=other.id))

    def _on_compare_clicked(self) -> None:
        if self._memory is None or not self._kept:
            return
        other = self._kept[0]
        sentence = self.tr("Lines with + are of the other text, written on {when}; lines with − are of this one.")
        self._comparison.ask(
            sentence.format(when=full_date(other.at)),
            self._memory.content,
            other.content,
            [(TAKE, self.tr("Take the other text"), ""), (DISMISS, self.tr("Keep this text"), "primary")],
            closable=True,
        )

    def _on_take_clicked(self) -> None:
        self._settle(TAKE)

    def _on_dismiss_clicked(self) -> None:
        self._settle(DISMISS)

    def _on_comparison_picked(self, key: str) -> None:
        if key in (TAKE, DISMISS):
            self._settle(key)
