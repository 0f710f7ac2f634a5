"""Actions on one or several notes: pin, tag, delete, restore, and their menu."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Signal

from app.core.text import excerpt
from app.errors import KeepsakeError
from ui import operations
from ui.models.dates import counted, format_number
from ui.panes.labels import display_title
from ui.panes.notes.bulk_actions import BulkActions
from ui.panes.pane import Place
from ui.panes.reading_pane import TITLE, ReadingPane, history_of
from ui.widgets.context_menu import Entry, open_menu
from ui.widgets.selection_summary import SHOWN, BulkAction, SelectionSummary

if TYPE_CHECKING:
    from ui.panes.notes.editor_controller import EditorController
    from ui.panes.notes.note_list import NoteList


_OFFERED = ("tag", "pin", "unpin", "store", "merge", "archive", "delete")


class NoteActions(QObject):
    """Changes the selected notes, or the open one, and offers to undo it.

    Args:
        pane: The pane that shows notices, asks for tags and runs work in the background.
        listing: The list with the selection.
        controller: The controller of the open note.
    """

    rename_requested = Signal(str)
    """Edit the title of a note."""

    def __init__(self, pane: ReadingPane, listing: "NoteList", controller: "EditorController") -> None:
        super().__init__(pane)
        self._pane = pane
        self._listing = listing
        self._controller = controller
        self.summary = SelectionSummary(
            (
                BulkAction("tag", self.tr("Add tags…"), "tag"),
                BulkAction("pin", self.tr("Pin"), "pin"),
                BulkAction("unpin", self.tr("Unpin"), "pin-off"),
                BulkAction("store", self.tr("Who may see them…"), "eye"),
                BulkAction("merge", self.tr("Merge into one"), "merge"),
                BulkAction("archive", self.tr("Archive"), "archive"),
                BulkAction("delete", self.tr("Delete"), "trash-2"),
                BulkAction("restore", self.tr("Restore"), "archive-restore"),
            ),
            pane,
        )
        self.more_entries: Callable[[list[str]], Sequence[Entry]] = _no_entries
        self.bulk = BulkActions(pane, listing, controller)
        self.summary.picked.connect(self._on_summary_picked)
        listing.list.delete_requested.connect(self.delete)
        listing.list.menu_requested.connect(self.open_menu)

    # --- the selection ---

    def show_selection(self, count: int) -> None:
        """Show how many notes are selected, and the buttons for them."""
        heading = self.tr("{count} notes selected").format(count=format_number(count))
        self.summary.show_selection(heading, count, self._listing.list.selected_titles(SHOWN))
        self.summary.offer(("restore",) if self._listing.trash.isChecked() else _OFFERED)

    def can_change(self) -> bool:
        """Return whether the selected notes, or the open one, are outside the trash."""
        if self._listing.list.selected_count > 1:
            return not self._listing.trash.isChecked()
        memory = self._controller.memory
        return memory is not None and memory.deleted_at is None

    def selected_ids(self) -> list[str]:
        """Return the ids of the selected notes, none unless several are selected."""
        rows = self._listing.list
        return rows.selected_ids() if rows.selected_count > 1 else []

    def _on_summary_picked(self, key: str) -> None:
        ids = self._listing.list.selected_ids()
        if key == "tag":
            self.ask_for_tags(ids)
        elif key == "delete":
            self.delete(ids)
        elif key == "restore":
            self.restore(ids)
        elif key == "merge":
            self.bulk.merge(ids)
        elif key == "archive":
            self.bulk.archive(ids)
        elif key == "store":
            button = self.summary.button("store")
            self.bulk.choose_store(ids, button.mapToGlobal(button.rect().bottomLeft()))
        else:
            self.set_pinned(ids, pinned=key == "pin")

    def open_menu(self, ids: list[str], where: QPoint) -> None:
        """Open the menu of rows at a global position."""
        if self._listing.trash.isChecked():
            open_menu(self._pane, where, [[(self.tr("Restore"), partial(self.restore, ids))]])
            return
        link: list[Entry] = []
        delete = self.tr("Delete {count} notes").format(count=format_number(len(ids)))
        if len(ids) == 1:
            link = [(self.tr("Copy link"), partial(self._pane.copy_link, Place(self._pane.name, ids[0])))]
            pinned = self._is_pinned(ids[0])
            changing: list[Entry] = [
                (self.tr("Rename"), partial(self.rename_requested.emit, ids[0])),
                (self.tr("Unpin") if pinned else self.tr("Pin"), partial(self.set_pinned, ids, pinned=not pinned)),
            ]
            delete = self.tr("Delete")
        else:
            changing = [
                (self.tr("Pin"), partial(self.set_pinned, ids, pinned=True)),
                (self.tr("Unpin"), partial(self.set_pinned, ids, pinned=False)),
            ]
            changing.append((self.tr("Merge into one"), partial(self.bulk.merge, ids)))
        changing += [
            (self.tr("Add tags…"), partial(self.ask_for_tags, ids)),
            (self.tr("Who may see it…"), partial(self.bulk.choose_store, ids, where)),
            (self.tr("Project…"), partial(self.bulk.ask_for_project, ids)),
            (self.tr("Archive"), partial(self.bulk.archive, ids)),
            (delete, partial(self.delete, ids)),
        ]
        open_menu(self._pane, where, [link, changing, self.more_entries(ids)])

    def offer_more(self, entries: Callable[[list[str]], Sequence[Entry]]) -> None:
        """Add entries of another part to the menu of rows."""
        self.more_entries = entries

    # --- pinning ---

    def toggle_pin(self) -> None:
        """Pin or unpin the selected notes, or the open one."""
        if ids := self.selected_ids():
            known = [row for row in map(self._listing.model.value, ids) if row is not None]
            self.set_pinned(ids, pinned=not all(row.pinned for row in known))
        elif self._controller.memory is not None:
            self._controller.change_now(pinned=not self._controller.memory.pinned)

    def set_pinned(self, ids: list[str], *, pinned: bool) -> None:
        """Pin or unpin notes."""
        if len(ids) == 1:
            self._pane.do(self._set_pinned(ids[0], pinned=pinned))
        else:
            self.bulk.pin(ids, pinned=pinned)

    def _is_pinned(self, identity: str) -> bool:
        row = self._listing.model.value(identity)
        return row is not None and row.pinned

    async def _set_pinned(self, identity: str, *, pinned: bool) -> None:
        await self._controller.settle()
        reply = await self._pane.bridge.reply(operations.note.pin(id=identity, pinned=pinned))
        title = display_title(reply.value.title, reply.value.content, self.tr("Untitled"))
        words = self.tr("Pinned ‘{title}’") if pinned else self.tr("Unpinned ‘{title}’")
        self._pane.show_result(words, title, reply)

    # --- deleting and restoring ---

    def delete_selected(self) -> None:
        """Delete the selected notes, or the open one."""
        if ids := self.selected_ids():
            self.delete(ids)
        else:
            self.delete_open()

    def delete_open(self) -> None:
        """Delete the open note."""
        if self._controller.memory is not None:
            self.delete([self._controller.memory.id])

    def delete(self, ids: list[str]) -> None:
        """Delete notes and go on to the next one in the list."""
        if not self._listing.trash.isChecked():
            self._pane.do(self._delete(ids, self._listing.list.neighbour(ids)))

    async def _delete(self, ids: list[str], neighbour: str) -> None:
        await self._controller.settle()
        if len(ids) == 1:
            reply = await self._pane.bridge.reply(operations.note.delete(id=ids[0]))
            title = display_title(reply.value.title, reply.value.content, self.tr("Untitled"))
            words, history = self.tr("Deleted ‘{title}’").format(title=excerpt(title, TITLE)), history_of(reply)
        else:
            history = history_of(await self._pane.bridge.reply(operations.note.delete_many(ids=ids)))
            words = self.tr("Deleted {count} notes").format(count=format_number(len(ids)))
        if self._controller.id in ids:
            self._controller.close()
        if neighbour:
            self._listing.list.choose(neighbour)
        self._pane.show_notice(words, history)

    def restore_open(self) -> None:
        """Restore the open note from the trash."""
        if self._controller.memory is not None:
            self.restore([self._controller.memory.id])

    def restore(self, ids: list[str]) -> None:
        """Restore notes from the trash."""
        self._pane.work.start(self._restore(ids))

    async def _restore(self, ids: list[str]) -> None:
        history: list[int] = []
        try:
            for identity in ids:
                history += history_of(await self._pane.bridge.reply(operations.note.restore(id=identity)))
        except KeepsakeError as error:
            self._pane.show_error(error)
        if history:
            words = self.tr("Restored {count}").format(count=format_number(len(history)))
            self._pane.show_notice(words, tuple(history))

    # --- tags ---

    def ask_for_tags(self, ids: list[str]) -> None:
        """Ask for tags and add them to notes."""
        question = self.tr("Tags for {count} notes, separated by commas:").format(count=format_number(len(ids)))
        if len(ids) == 1:
            question = self.tr("Tags, separated by commas:")
        self._pane.ask_for_tags(question, partial(self.add_tags, ids))

    def add_tags(self, ids: list[str], tags: list[str]) -> None:
        """Add tags to notes."""
        self._pane.do(self._add_tags(ids, tags))

    async def _add_tags(self, ids: list[str], tags: list[str]) -> None:
        await self._controller.settle()
        first = await self._pane.bridge.call(operations.note.get(id=ids[0]))
        reply = await self._pane.bridge.reply(operations.note.tag_many(ids=ids, add=tags))
        if len(ids) == 1:
            title = display_title(first.title, first.content, self.tr("Untitled"))
            self._pane.show_result(self.tr("Tagged ‘{title}’"), title, reply)
        else:
            words = counted(len(reply.value), self.tr("Tagged 1 note"), self.tr("Tagged {n} notes"))
            self._pane.show_notice(words, history_of(reply))


def _no_entries(ids: list[str]) -> Sequence[Entry]:
    del ids
    return ()
