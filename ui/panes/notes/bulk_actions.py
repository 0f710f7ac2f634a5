"""Bulk actions on selected notes: store, project, pin, archive and merge."""

from collections.abc import Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QInputDialog

from app.core.stores import STORES
from app.entities.model import EntityFilter
from ui import operations
from ui.models.dates import counted, format_number
from ui.panes.labels import display_title, store_label
from ui.panes.project_field import project_words
from ui.panes.reading_pane import ReadingPane, history_of
from ui.widgets.context_menu import Entry, open_menu

if TYPE_CHECKING:
    from ui.bridge import TypedReply
    from ui.panes.notes.editor_controller import EditorController
    from ui.panes.notes.note_list import NoteList

_MOST_OFFERED: Final = 100  # projects


class BulkActions(QObject):
    """Changes several notes at once; each change is undone as one.

    Args:
        pane: The pane that tells what was done.
        listing: The list with the selection.
        controller: The controller of the open note.
    """

    def __init__(self, pane: ReadingPane, listing: "NoteList", controller: "EditorController") -> None:
        super().__init__(pane)
        self._pane = pane
        self._listing = listing
        self._controller = controller

    def pin(self, ids: list[str], *, pinned: bool) -> None:
        """Pin or unpin notes."""
        words = (self.tr("Unpinned 1 note"), self.tr("Unpinned {n} notes"))
        if pinned:
            words = (self.tr("Pinned 1 note"), self.tr("Pinned {n} notes"))
        self._do(self._change(ids, words, pinned=pinned))

    def store_entries(self, ids: list[str]) -> list[Entry]:
        """Return the menu entries that change who may see notes."""
        return [(self.store_words(store), partial(self.set_store, ids, store)) for store in STORES]

    def choose_store(self, ids: list[str], where: QPoint) -> None:
        """Open a menu of the stores at a global position."""
        open_menu(self._pane, where, [self.store_entries(ids)])

    def store_words(self, store: str) -> str:
        """Return a store with who sees what is in it."""
        who = {
            "private": self.tr("only you and programs you trust fully"),
            "shared": self.tr("also programs that work for you"),
            "social": self.tr("also programs that speak for you"),
        }
        return self.tr("{store}: {who}").format(store=store_label(store), who=who.get(store, ""))

    def set_store(self, ids: list[str], store: str) -> None:
        """Change who may see notes."""
        single = self.tr("1 note is now in the store ‘{store}’")
        many = self.tr("{n} notes are now in the store ‘{store}’")
        name = store_label(store)
        self._do(self._change(ids, (single.replace("{store}", name), many.replace("{store}", name)), store=store))

    def set_project(self, identity: str, project: str) -> None:
        """Put a memory into a project, or out of its own."""
        self._do(self._set_project(identity, project))

    def ask_for_project(self, ids: list[str]) -> None:
        """Ask into which project notes are put; an empty name takes them out of theirs."""
        self._do(self._ask_for_project(ids))

    def archive(self, ids: list[str]) -> None:
        """Put notes into the archive, out of lists and searches."""
        self._do(self._archive(ids, self._listing.list.neighbour(ids)))

    def merge(self, ids: list[str]) -> None:
        """Merge notes into the first of them, in the order of the list."""
        order = {identity: place for place, identity in enumerate(self._listing.model.ids)}
        self._do(self._merge(sorted(ids, key=lambda identity: order.get(identity, len(order)))))

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        self._pane.do(work)

    async def _change(self, ids: list[str], words: tuple[str, str], **fields: Any) -> None:
        await self._controller.settle()
        reply = await self._pane.bridge.reply(operations.note.change_many(ids=ids, **fields))
        self._tell(words, len(reply.value), reply)

    async def _set_project(self, identity: str, project: str) -> None:
        await self._controller.settle()
        try:
            reply = await self._pane.bridge.reply(operations.note.change_many(ids=[identity], project=project))
        finally:
            self._controller.apply_change((identity,))
        if reply.value:
            self._pane.show_result(project_words(project), project, reply)

    async def _ask_for_project(self, ids: list[str]) -> None:
        wanted = EntityFilter(types=("project",))
        rows = await self._pane.bridge.call(operations.entity.list(filter=wanted, limit=_MOST_OFFERED))
        box = QInputDialog(self._pane)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(self.tr("Project"))
        box.setLabelText(self.tr("Put the notes into this project; leave it empty for none:"))
        box.setComboBoxItems(["", *(row.name for row in rows)])
        box.setComboBoxEditable(True)
        box.textValueSelected.connect(partial(self._on_project_given, ids))
        box.open()

    def _on_project_given(self, ids: list[str], project: str) -> None:
        words = (self.tr("1 note is in no project now"), self.tr("{n} notes are in no project now"))
        if name := project.strip():
            words = (
                self.tr("1 note is in the project ‘{project}’ now").replace("{project}", name),
                self.tr("{n} notes are in the project ‘{project}’ now").replace("{project}", name),
            )
        self._do(self._change(ids, words, project=name))

    async def _archive(self, ids: list[str], neighbour: str) -> None:
        await self._controller.settle()
        # Archived notes cannot be opened, so the keyboard leaves their rows first.
        if self._controller.id in ids:
            self._controller.close()
        if not neighbour:
            self._listing.list.clear_choice()
        elif self._listing.list.selected_count > 1 or self._listing.list.current_id() in ids:
            self._listing.list.choose(neighbour)
        reply = await self._pane.bridge.reply(operations.archive.put(ids=ids))
        self._tell((self.tr("Archived 1 note"), self.tr("Archived {n} notes")), len(ids), reply)

    async def _merge(self, ids: list[str]) -> None:
        await self._controller.settle()
        reply = await self._pane.bridge.reply(operations.note.merge(ids=ids))
        merged = reply.value
        self._listing.list.choose(merged.id)
        title = display_title(merged.title, merged.content, self.tr("Untitled"))
        words = self.tr("Merged {count} notes into ‘{title}’").replace("{count}", format_number(len(ids)))
        self._pane.show_result(words, title, reply)

    def _tell(self, words: tuple[str, str], count: int, reply: "TypedReply[object]") -> None:
        self._pane.show_notice(counted(count, *words), history_of(reply))
