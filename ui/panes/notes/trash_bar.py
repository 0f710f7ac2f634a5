"""The bar above the trash: how much is in it, restore, and empty for ever."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QWidget

from app.memories.model import MemoryFilter
from ui import operations
from ui.models.dates import format_number
from ui.panes.erasure_prompt import ask_to_erase, erase_for_ever
from ui.panes.reading_pane import ReadingPane
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from ui.panes.notes.note_list import NoteList

_TRASH = MemoryFilter(deleted=True)


class TrashBar(QFrame):
    """Shown while the trash is listed.

    Args:
        pane: The pane that tells what was done.
        listing: The list, which shows the trash or not.
        restore: Restores notes by their ids.
        parent: Its parent.
    """

    def __init__(
        self,
        pane: ReadingPane,
        listing: "NoteList",
        restore: Callable[[list[str]], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._pane = pane
        self._listing = listing
        self._restore = restore
        self._words = PlainLabel(self, style="small muted", wraps=True)
        self.restore = text_button(self.tr("Restore"), icon_name="archive-restore", parent=self)
        self.restore.clicked.connect(self._on_restore_clicked)
        self.empty = text_button(self.tr("Empty trash…"), "danger", parent=self)
        self.empty.clicked.connect(self.ask_to_empty)
        buttons = hbox(self.restore, self.empty, Stretch(), spacing=Space.S)
        vbox(self._words, buttons, parent=self, margins=(0, Space.S, 0, 0), spacing=Space.S)
        listing.loaded.connect(self.refresh)
        listing.list.selection_changed.connect(self.refresh)
        self.hide()

    def refresh(self) -> None:
        """Follow the list: shown for a trash with something in it."""
        count = len(self._listing.model.ids)
        self.setVisible(self._listing.trash.isChecked() and count > 0)
        self._words.setText(
            self.tr("In the trash: {count}. It stays until you empty it.").format(count=format_number(count))
        )
        self.restore.setEnabled(bool(self._listing.list.selected_ids()))
        self.empty.setEnabled(bool(count))

    def ask_to_empty(self) -> None:
        """Ask whether all in the trash may be erased for ever."""
        self._pane.do(self._ask())

    async def _ask(self) -> None:
        ids: list[str] = await self._pane.bridge.call(operations.note.ids(filter=_TRASH))
        if not ids:
            return
        text = self.tr("Erase the {count} notes in the trash for ever?").format(count=format_number(len(ids)))
        if len(ids) == 1:
            text = self.tr("Erase the note in the trash for ever?")
        what = self.tr("Their text, history and search entries are removed from this vault.")
        ask_to_erase(self, text, what, partial(self._on_erase_agreed, ids))

    def _on_erase_agreed(self, ids: list[str]) -> None:
        self._pane.do(self._erase(ids))

    async def _erase(self, ids: list[str]) -> None:
        done = self.tr("Erased {count} from the trash for ever").format(count=format_number(len(ids)))
        self._pane.notice.emit(await erase_for_ever(self._pane.bridge, done, ids))

    def _on_restore_clicked(self) -> None:
        if ids := self._listing.list.selected_ids():
            self._restore(ids)
