"""The Notes pane: facets, list, the open memory, and what belongs to it."""

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.errors import KeepsakeError
from ui.actions import Action
from ui.models.dates import format_number
from ui.panes.labels import display_title
from ui.panes.notes.document import MODES, Document, Mode
from ui.panes.notes.editor_controller import EditorController
from ui.panes.notes.inspector import NoteInspector
from ui.panes.notes.note_facets import NoteFacets
from ui.panes.notes.note_list import NoteList
from ui.panes.pane import Place
from ui.panes.pane_state import bytes_of, pack, unpack
from ui.panes.reading_pane import ReadingPane, history_of, set_tab_chain
from ui.widgets.context_menu import Entry, open_menu
from ui.widgets.empty_state import EmptyState
from ui.widgets.selection_summary import SHOWN, BulkAction, SelectionSummary
from ui.widgets.splitter import PaneSplitter

if TYPE_CHECKING:
    from app.changes import ChangeSet
    from app.history.model import HistoryEntry
    from app.memories.model import Memory
    from ui.actions import Actions
    from ui.bridge import Bridge

CHOICE_MS = 90
WIDE = 1180
"""From this width on, facets and inspector show by themselves beside one text."""
WIDE_SPLIT = 1400
"""The same beside source and preview."""
LIST_LEAST, RIGHT_LEAST, FACETS_LEAST, DETAILS_LEAST = 220, 320, 140, 180
AREAS = frozenset({"memories", "tags", "links"})


class NotesPane(ReadingPane):
    """Write, read and tidy every memory."""

    name = "notes"
    title = str(QT_TRANSLATE_NOOP("Panes", "Notes"))
    icon = "notebook-pen"

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self._dirty = True
        self._restored = ""
        self._in_trash = False
        self._before_trash = ""
        self._words: tuple[str, ...] = ()
        self._inspecting: bool | None = None
        self._faceted: bool | None = None
        self._facets_first = True
        self.listing = NoteList(bridge, self)
        self.facets = NoteFacets(self)
        self.document = Document(bridge, self)
        self.inspector = NoteInspector(bridge, self)
        self.controller = EditorController(bridge, self.document, self.inspector, self)
        self._choice = QTimer(self, singleShot=True, interval=CHOICE_MS)
        self._arrange()
        self._connect()
        set_tab_chain(self.facets.tree, *self.listing.tab_chain, *self.document.tab_chain)

    # --- what the frame calls ---

    def shown(self) -> None:
        """Load what was put off."""
        if self._dirty:
            self._dirty = False
            self.listing.load()

    def open_place(self, place: Place) -> None:
        """Open a memory, or the list narrowed to a tag."""
        if place.id:
            self._restored = ""
            if self.listing.model.row_of(place.id) < 0:
                self.listing.trash.setChecked(False)
            self._words = place.words
            self.listing.choose(place.id)
            self.controller.open(place.id)
            if self.controller.memory is not None and self.controller.memory.id == place.id:
                self._read_words()

    def current_place(self) -> Place:
        """Return the open memory."""
        memory = self.controller.memory
        if memory is None:
            return Place(self.name)
        return Place(self.name, memory.id, title=display_title(memory.title, memory.content, ""))

    def commands(self) -> list[Action]:
        """Return what can be done here."""
        always = partial(Action, group="notes", pane=self.name)
        opened = partial(always, enabled=self._has_memory)
        changing = partial(always, enabled=self._can_change)
        after, before = (partial(self._go_to_mark, step) for step in (1, -1))
        return [
            always("notes.new", self.tr("New note"), self.new_note, "plus", "Ctrl+N", keywords="create write"),
            Action("notes.daily", self.tr("Today's note"), self.daily_note, "calendar-clock", "Ctrl+D", group="notes"),
            always("notes.filter", self.tr("Filter notes"), self.listing.filter.setFocus, "search", "Ctrl+F"),
            always("notes.trash", self.tr("Show deleted notes"), self.listing.trash.toggle, "trash-2"),
            always("notes.facets", self.tr("Show or hide facets"), self.listing.sides.click, "funnel"),
            opened("notes.next", self.tr("Next marked word"), after, "chevron-down", "F3"),
            opened("notes.previous", self.tr("Previous marked word"), before, "chevron-up", "Shift+F3"),
            changing("notes.pin", self.tr("Pin or unpin"), self._toggle_pin, "pin", "Ctrl+Shift+D"),
            changing("notes.delete", self.tr("Delete note"), self._delete_chosen, "trash-2"),
            changing("notes.tag", self.tr("Add a tag"), self._add_tag, "tag", "Ctrl+T"),
            opened("notes.write", self.tr("Write"), partial(self.document.set_mode, "write"), "pencil"),
            opened(
                "notes.split", self.tr("Write and preview"), partial(self.document.set_mode, "split"), "panel-right"
            ),
            opened("notes.read", self.tr("Read"), partial(self.document.set_mode, "read"), "eye"),
        ]

    def _go_to_mark(self, step: int) -> None:
        self.document.go_to_mark(step)

    def focus_first(self) -> None:
        """Put the keyboard on the list."""
        self.listing.list.setFocus(Qt.FocusReason.TabFocusReason)

    def regions(self) -> list[QWidget]:
        """Return facets, list, text and inspector, those that are shown."""
        parts: list[QWidget] = [self.facets.tree, self.listing.list, self.document.editor, self.document.preview.page]
        parts.append(self.inspector)
        return [part for part in parts if part.isVisible()]

    def refresh(self, changes: "ChangeSet") -> None:
        """Follow what agents, imports and the person changed."""
        if not changes.areas & AREAS:
            return
        self.listing.model.invalidate(changes.ids)
        if self.isVisible():
            self.listing.load_soon()
        else:
            self._dirty = True
        self.controller.apply_change(changes.ids)

    def toggle_inspector(self) -> None:
        """Show or hide links and history."""
        self._inspecting = self.inspector.isHidden()
        self._facets_first = False
        self._fit()

    async def settle(self) -> None:
        """Write what is typed but not saved yet."""
        await self.controller.settle()

    def save_state(self) -> bytes:
        """Return widths, order, mode, the open memory and what is hidden."""
        self.controller.flush()
        memory = self.controller.memory
        return pack({
            "split": self._split.state(),
            "opened": memory.id if memory else "",
            "mode": self.document.mode,
            "inspector": self._inspecting,
            "facets": self._faceted,
            **self.listing.state,
        })  # fmt: skip

    def restore_state(self, state: bytes) -> None:
        """Apply what ``save_state`` returned."""
        values = unpack(state)
        self._inspecting = values.get("inspector")
        self._faceted = values.get("facets")
        self._split.restore(bytes_of(values, "split"))
        self.listing.restore(values)
        mode: Mode = next((mode for mode in MODES if mode == values.get("mode")), "write")
        self.document.set_mode(mode)
        self._restored = str(values.get("opened") or "")
        self._fit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Save when another pane comes to the front."""
        self.controller.flush()
        super().hideEvent(event)

    def minimumSizeHint(self) -> QSize:
        """Return room for list and text: the columns beside them step aside."""
        width = LIST_LEAST + max(RIGHT_LEAST, self.document.least_width) + self._split.handleWidth()
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: object) -> None:
        """Let facets and inspector step aside where there is no room."""
        self._fit()

    # --- building ---

    def _arrange(self) -> None:
        self._nothing_chosen = EmptyState(
            "notebook-pen",
            self.tr("Choose a note"),
            self.tr("Its text, its links and its history appear here."),
            self.tr("New note"),
            parent=self,
        )
        self._summary = SelectionSummary(
            (
                BulkAction("tag", self.tr("Add tags…"), "tag"),
                BulkAction("pin", self.tr("Pin"), "pin"),
                BulkAction("unpin", self.tr("Unpin"), "pin"),
                BulkAction("delete", self.tr("Delete"), "trash-2"),
                BulkAction("restore", self.tr("Restore"), "archive-restore"),
            ),
            self,
        )
        self._right = QStackedWidget(self)
        self._right.setObjectName("sheet")
        self._trash_empty = EmptyState(
            "trash-2",
            self.tr("The trash is empty"),
            self.tr("Notes you delete wait here until you restore them."),
            parent=self,
        )
        for page in (self._nothing_chosen, self.document, self._summary, self._trash_empty):
            self._right.addWidget(page)
        self._split = PaneSplitter(parent=self)
        self._split.add(self.facets, 190, least=FACETS_LEAST)
        self._split.add(self.listing, 320, least=LIST_LEAST)
        self._split.add(self._right, 700, least=RIGHT_LEAST, stretch=1)
        self._split.add(self.inspector, 250, least=DETAILS_LEAST)
        self._empty = EmptyState(
            "notebook-pen",
            self.tr("No notes yet"),
            self.tr(
                "Write the first one, or import a folder of Markdown files. "
                "What agents learn about you appears here too, for you to read, correct and delete."
            ),
            self.tr("Write a note"),
            hint=self.tr("Ctrl+N begins a note, Ctrl+D opens today's."),
            parent=self,
        )
        self._whole = QStackedWidget(self)
        self._whole.addWidget(self._split)
        self._whole.addWidget(self._empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        # Its own least width is without facets and inspector: see minimumSizeHint.
        outer.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        outer.addWidget(self._whole)
        self.inspector.hide()

    def _connect(self) -> None:
        rows = self.listing.list
        rows.chosen.connect(self._on_rows_chosen)
        rows.opened.connect(self._on_rows_opened)
        rows.delete_requested.connect(self._delete)
        rows.rename_requested.connect(self._on_rows_rename_requested)
        rows.menu_requested.connect(self._on_rows_menu_requested)
        rows.selection_changed.connect(self._on_rows_selection_changed)
        self._summary.picked.connect(self._on_summary_picked)
        self._summary.cleared.connect(self._on_summary_cleared)
        self._choice.timeout.connect(self._on_choice_timeout)
        self.listing.loaded.connect(self._on_listing_loaded)
        self.listing.counted.connect(self.facets.show_counts)
        self.listing.failed.connect(self.show_error)
        self.listing.new.clicked.connect(self.new_note)
        self.listing.sides.clicked.connect(self._on_sides_clicked)
        self.facets.changed.connect(self.listing.set_facets)
        self._empty.triggered.connect(self.new_note)
        self._nothing_chosen.triggered.connect(self.new_note)
        self.controller.opened.connect(self._on_desk_opened)
        self.controller.closed.connect(self._on_desk_closed)
        self.controller.created.connect(self._on_desk_created)
        self.controller.stored.connect(self._on_desk_stored)
        self.controller.failed.connect(self.show_error)
        self.document.pin_requested.connect(self._toggle_pin)
        self.document.delete_requested.connect(self._delete_current)
        self.document.restore_requested.connect(self._restore_current)
        self.document.inspector_requested.connect(self.toggle_inspector)
        self.document.mode_changed.connect(self._on_document_mode_changed)
        self.document.preview.wiki_clicked.connect(self.follow_wiki)
        self.document.preview.tag_clicked.connect(self.facets.choose_tag)
        self.document.preview.link_clicked.connect(self.follow_link)
        self.inspector.opened.connect(self._go)
        self.inspector.missing_opened.connect(self.follow_wiki)
        self.inspector.session_opened.connect(self._on_details_session_opened)
        self.inspector.version_requested.connect(self._on_details_version_requested)

    def _fit(self) -> None:
        """Show facets and inspector where there is room beside list and text; the one asked for last goes first."""
        right = max(RIGHT_LEAST, self.document.least_width)
        self._right.setMinimumWidth(right)
        room = self.width() - LIST_LEAST - right - 3 * self._split.handleWidth()
        wide = self.width() >= (WIDE_SPLIT if self.document.mode == "split" else WIDE)
        reading = self._right.currentWidget() is self.document
        facets = (self.facets, wide if self._faceted is None else self._faceted, FACETS_LEAST)
        details = (self.inspector, reading and (wide if self._inspecting is None else self._inspecting), DETAILS_LEAST)
        for column, wanted, least in (facets, details) if self._facets_first else (details, facets):
            shown = wanted and room >= least
            room -= least if shown else 0
            column.setVisible(shown)
        self.listing.sides.setChecked(not self.facets.isHidden())

    def _on_document_mode_changed(self) -> None:
        self._fit()

    # --- opening ---

    def new_note(self) -> None:
        """Begin a note; it exists from its first letter on."""
        self._whole.setCurrentWidget(self._split)
        self.listing.trash.setChecked(False)
        self.listing.list.clear_choice()
        self.controller.begin()
        self.document.title.setFocus(Qt.FocusReason.OtherFocusReason)

    def daily_note(self) -> None:
        """Open today's note, writing its head when it is the first time today."""
        self.bridge.start(self._open_daily(datetime.now().astimezone().date().isoformat()))

    async def _open_daily(self, title: str) -> None:
        found = await self.bridge.call("note.resolve", title=title)
        if not isValid(self):
            return
        if found:
            self._go(found)
        else:
            self.navigate.emit(Place(self.name))
            self.new_note()
            self.controller.prefill(title=title, tags=("daily",))
            self.document.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def title_missing(self, title: str) -> None:
        """Begin the note that a link names and nobody has written yet."""
        self.new_note()
        self.controller.prefill(title=title)
        self.document.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        self.document.show_state(self.tr("New note. It is kept once you write something."))

    def _go(self, identity: str) -> None:
        self.open_place(Place(self.name, identity))
        self.navigate.emit(Place(self.name, identity))

    def _has_memory(self) -> bool:
        return self.controller.memory is not None

    def _on_listing_loaded(self) -> None:
        nothing = not self.listing.model.ids and not self.listing.filtered and not self.controller.busy
        self._whole.setCurrentWidget(self._empty if nothing else self._split)
        self._follow_trash()
        if nothing or self._in_trash or self.controller.busy:
            return
        if self._restored and self.listing.model.row_of(self._restored) >= 0:
            self.listing.choose(self._restored)
            self.controller.open(self._restored)
        else:
            self.listing.list.choose_row(0)
        self._restored = ""

    def _follow_trash(self) -> None:
        """Show nothing beside the trash but what is in it, and what was open before when one leaves it."""
        entered, self._in_trash = self._in_trash, self.listing.trash.isChecked()
        rows, model, memory = self.listing.list, self.listing.model, self.controller.memory
        if self._in_trash and model.row_of(self.controller.id) < 0:
            self._before_trash = self._before_trash if entered else self.controller.id
            self._open_row(rows.current_id() or next(iter(model.ids), ""))
        elif entered and not self._in_trash:
            deleted = memory is not None and memory.deleted_at is not None and memory.id == self.controller.id
            if deleted or not self.controller.busy:
                before = self._before_trash
                self._open_row(before if model.row_of(before) >= 0 else next(iter(model.ids), ""))
        self._show_right()

    def _open_row(self, identity: str) -> None:
        """Choose and open a row, or nothing for ``""``."""
        if identity:
            self.listing.choose(identity)
            self.controller.open(identity)
        else:
            self.controller.close()

    def _on_rows_chosen(self, identity: str) -> None:
        del identity
        self._choice.start()

    def _on_choice_timeout(self) -> None:
        rows = self.listing.list
        if rows.selected_count > 1:
            return
        if rows.selected_count == 1 and (last := rows.selected_ids()[0]) != rows.current_id():
            rows.choose(last, quiet=True)
        identity = rows.current_id()
        if identity and identity != self.controller.id:
            self.controller.open(identity)
            words = str(self.listing.list.currentIndex().data() or "")
            self.navigate.emit(Place(self.name, identity, title=words))

    def _on_rows_opened(self, identity: str) -> None:
        self.controller.open(identity)
        self.document.focus_text()

    def _on_rows_rename_requested(self, identity: str) -> None:
        self.controller.open(identity)
        self.document.title.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.document.title.selectAll()

    def _on_desk_opened(self) -> None:
        self._show_right()

    def _on_desk_closed(self) -> None:
        self._show_right()

    def _show_right(self) -> None:
        """Show the open memory, or a summary while several are selected."""
        page: QWidget = self._trash_empty if self._in_trash else self._nothing_chosen
        if self.controller.is_open:
            page = self.document
        if self.listing.list.selected_count > 1:
            page = self._summary
        self._right.setCurrentWidget(page)
        self._fit()
        self._read_words()
        self.registry.refresh()

    def _on_rows_selection_changed(self, count: int) -> None:
        if count > 1:
            self.controller.flush()
            heading = self.tr("{count} notes selected").format(count=format_number(count))
            self._summary.show_selection(heading, count, self.listing.list.selected_titles(SHOWN))
            self._summary.offer(("restore",) if self.listing.trash.isChecked() else ("tag", "pin", "unpin", "delete"))
        elif self._right.currentWidget() is self._summary:
            self._choice.start()
        if count > 1 or self._right.currentWidget() is self._summary:
            self._show_right()

    def _on_summary_picked(self, key: str) -> None:
        ids = self.listing.list.selected_ids()
        if key == "tag":
            self._ask_for_tags(ids)
        elif key == "delete":
            self._delete(ids)
        elif key == "restore":
            self._start_restore(ids)
        else:
            self._start_pinning(ids, pinned=key == "pin")

    def _on_summary_cleared(self) -> None:
        rows = self.listing.list
        self.listing.choose(self.controller.id or rows.current_id())
        rows.setFocus(Qt.FocusReason.OtherFocusReason)

    def _read_words(self) -> None:
        """Put the keyboard in the text that a search led to, with its words marked."""
        words, self._words = self._words, ()
        if words:
            self.document.mark_words(words)
            self.document.focus_text()

    def _on_desk_created(self, memory: "Memory") -> None:
        self.listing.choose(memory.id)
        self.navigate.emit(Place(self.name, memory.id, title=memory.title))

    def _on_desk_stored(self, memory: "Memory") -> None:
        self.listing.model.invalidate([memory.id])

    def _on_sides_clicked(self) -> None:
        self._faceted = self.facets.isHidden()
        self._facets_first = True
        self._fit()

    def _on_details_session_opened(self, session: str) -> None:
        self.navigate.emit(Place("sessions", session))

    def _on_details_version_requested(self, entry: "HistoryEntry") -> None:
        self.controller.compare(entry)

    # --- changing several ---

    def _can_change(self) -> bool:
        """Whether what is selected, or open, is not in the trash."""
        if self.listing.list.selected_count > 1:
            return not self.listing.trash.isChecked()
        return self.controller.memory is not None and self.controller.memory.deleted_at is None

    def _selected_several(self) -> list[str]:
        """Return the ids of what is selected, none unless there are several."""
        rows = self.listing.list
        return rows.selected_ids() if rows.selected_count > 1 else []

    def _toggle_pin(self) -> None:
        if ids := self._selected_several():
            known = [row for row in map(self.listing.model.value, ids) if row is not None]
            self._start_pinning(ids, pinned=not all(row.pinned for row in known))
        elif self.controller.memory is not None:
            self.controller.change_now(pinned=not self.controller.memory.pinned)

    def _is_pinned(self, identity: str) -> bool:
        row = self.listing.model.value(identity)
        return row is not None and row.pinned

    def _start_pinning(self, ids: list[str], *, pinned: bool) -> None:
        self.do(self._pin_all(ids, pinned=pinned))

    async def _pin_all(self, ids: list[str], *, pinned: bool) -> None:
        await self.controller.settle()
        history: list[int] = []
        for identity in ids:
            reply = await self.bridge.reply("note.pin", id=identity, pinned=pinned)
            history += history_of(reply)
        if len(ids) == 1:
            title = display_title(reply.value.title, reply.value.content, self.tr("Untitled"))
            one = self.tr("Pinned ‘{title}’") if pinned else self.tr("Unpinned ‘{title}’")
            self.show_result(one, title, reply)
        elif isValid(self):
            words = self.tr("Pinned {count} notes") if pinned else self.tr("Unpinned {count} notes")
            self.show_notice(words.format(count=format_number(len(ids))), tuple(history))

    def _add_tag(self) -> None:
        if ids := self._selected_several():
            self._ask_for_tags(ids)
        else:
            self.document.tags.setFocus()

    def _delete_chosen(self) -> None:
        if ids := self._selected_several():
            self._delete(ids)
        else:
            self._delete_current()

    def _delete_current(self) -> None:
        if self.controller.memory is not None:
            self._delete([self.controller.memory.id])

    def _delete(self, ids: list[str]) -> None:
        if self.listing.trash.isChecked():
            return
        neighbour = self.listing.list.neighbour(ids)
        self.do(self._delete_all(ids, neighbour))

    async def _delete_all(self, ids: list[str], neighbour: str) -> None:
        await self.controller.settle()
        if len(ids) == 1:
            reply = await self.bridge.reply("note.delete", id=ids[0])
        else:
            reply = await self.bridge.reply("note.delete_many", ids=ids)
        if not isValid(self):
            return
        if self.controller.id in ids:
            self.controller.close()
        if neighbour:
            self.listing.list.choose(neighbour)
        if len(ids) == 1:
            title = display_title(reply.value.title, reply.value.content, self.tr("Untitled"))
            self.show_result(self.tr("Deleted ‘{title}’"), title, reply)
        else:
            self.show_notice(self.tr("Deleted {count} notes").format(count=len(ids)), history_of(reply))

    def _restore_current(self) -> None:
        if self.controller.memory is not None:
            self.bridge.start(self._restore([self.controller.memory.id]))

    async def _restore(self, ids: list[str]) -> None:
        history: list[int] = []
        try:
            for identity in ids:
                history += history_of(await self.bridge.reply("note.restore", id=identity))
        except KeepsakeError as error:
            self.show_error(error)
        if isValid(self) and history:
            self.show_notice(self.tr("Restored {count}").format(count=len(history)), tuple(history))

    def _ask_for_tags(self, ids: list[str]) -> None:
        question = self.tr("Tags for {count} notes, separated by commas:").format(count=len(ids))
        if len(ids) == 1:
            question = self.tr("Tags, separated by commas:")
        self.ask_for_tags(question, partial(self._start_tagging, ids))

    def _start_tagging(self, ids: list[str], tags: list[str]) -> None:
        self.do(self._tag_all(ids, tags))

    async def _tag_all(self, ids: list[str], tags: list[str]) -> None:
        await self.controller.settle()
        first = await self.bridge.call("note.get", id=ids[0])
        reply = await self.bridge.reply("note.tag_many", ids=ids, add=tags)
        if len(ids) == 1:
            title = display_title(first.title, first.content, self.tr("Untitled"))
            self.show_result(self.tr("Tagged ‘{title}’"), title, reply)
        elif isValid(self):
            words = self.tr("Tagged {count} notes").format(count=len(reply.value))
            self.show_notice(words, history_of(reply))

    def _on_rows_menu_requested(self, ids: list[str], where: QPoint) -> None:
        if self.listing.trash.isChecked():
            open_menu(self, where, [[(self.tr("Restore"), partial(self._start_restore, ids))]])
            return
        link: list[Entry] = []
        changing: list[Entry] = []
        delete = self.tr("Delete {count} notes").format(count=len(ids))
        if len(ids) == 1:
            link = [(self.tr("Copy link"), partial(self.copy_link, Place(self.name, ids[0])))]
            pinned = self._is_pinned(ids[0])
            changing = [
                (self.tr("Rename"), partial(self._on_rows_rename_requested, ids[0])),
                (self.tr("Unpin") if pinned else self.tr("Pin"), partial(self._start_pinning, ids, pinned=not pinned)),
            ]
            delete = self.tr("Delete")
        else:
            changing = [
                (self.tr("Pin"), partial(self._start_pinning, ids, pinned=True)),
                (self.tr("Unpin"), partial(self._start_pinning, ids, pinned=False)),
            ]
        changing += [
            (self.tr("Add tags…"), partial(self._ask_for_tags, ids)),
            (delete, partial(self._delete, ids)),
        ]
        open_menu(self, where, [link, changing])

    def _start_restore(self, ids: list[str]) -> None:
        self.bridge.start(self._restore(ids))
