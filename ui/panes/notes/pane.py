"""The Notes pane: facets, list, the open memory, and what belongs to it."""

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QSize, Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.changes import Area
from ui.actions import Action, Slot
from ui.panes.labels import display_title
from ui.panes.list_pane import RELOAD_MS, ListPane
from ui.panes.notes.document import MODES, Document, Mode
from ui.panes.notes.editor_controller import EditorController
from ui.panes.notes.note_actions import NoteActions
from ui.panes.notes.note_editing import NoteEditing
from ui.panes.notes.note_facets import NoteFacets
from ui.panes.notes.note_inspector import NoteInspector
from ui.panes.notes.note_list import NoteList
from ui.panes.notes.note_organising import NoteOrganising, PaneDoors
from ui.panes.pane import Place
from ui.panes.pane_commands import pane_actions
from ui.panes.pane_state import bytes_of, pack, unpack
from ui.panes.reading_pane import set_tab_chain
from ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from app.changes import ChangeSet
    from app.memories.model import Memory
    from ui.actions import Actions
    from ui.bridge import Bridge

WIDE = 1180
"""From this width on, facets show by themselves beside one text."""
WIDE_SPLIT = 1400
WIDE_BOTH = 1320
"""From this width on, the inspector shows by itself beside facets and one text."""
WIDE_BOTH_SPLIT = 1600
"""The same beside source and preview."""
LIST_MIN, RIGHT_MIN, FACETS_MIN, INSPECTOR_MIN = 220, 320, 140, 180
AREAS: frozenset[Area] = frozenset({"memories", "tags", "links"})


class NotesPane(ListPane):
    """Write, read and tidy every memory."""

    name = "notes"
    title = str(QT_TRANSLATE_NOOP("Panes", "Notes"))
    icon, has_inspector = "notebook-pen", True
    listing: NoteList

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self._restored = ""
        self._in_trash = False
        self._before_trash = ""
        self._words: tuple[str, ...] = ()
        self._words_of = ""
        """The note that the words were found in."""
        self._inspecting: bool | None = None
        self._faceted: bool | None = None
        self._facets_first = True
        self.listing = NoteList(bridge, self)
        self.facets = NoteFacets(self)
        self.document = Document(bridge, self)
        self.inspector = NoteInspector(bridge, self)
        self.controller = EditorController(bridge, self.document, self.inspector, self)
        self.editing = NoteEditing(bridge, self.document, self.controller, self.inspector, self)
        self._actions = NoteActions(self, self.listing, self.controller)
        self._summary = self._actions.summary
        self._organising = NoteOrganising(
            self,
            self.listing,
            self.facets,
            self.inspector,
            self._actions,
            PaneDoors(self.begin_titled, self._go, self.show_facets),
        )
        self._arrange()
        self._connect()
        self.work.on_areas(AREAS, self.listing.load, RELOAD_MS, self)
        set_tab_chain(*self._organising.tab_chain, *self.listing.tab_chain, *self.document.tab_chain)

    # --- what the frame calls ---

    def open_place(self, place: Place) -> None:
        """Open a memory, or the list narrowed to a tag."""
        if place.id:
            self._restored = ""
            if self.listing.model.row_of(place.id) < 0:
                self.listing.trash.setChecked(False)
            self._words, self._words_of = place.words, place.id
            # The row that the keyboard rested on must not take its place.
            self._choice.stop()
            self.listing.drop_restored()
            self.listing.choose(place.id)
            self.controller.open(place.id)
            if self.controller.memory is not None and self.controller.memory.id == place.id:
                self._read_words()

    def current_place(self) -> Place:
        """Return the open memory."""
        memory = self.controller.memory
        if memory is None:
            return Place(self.name)
        return Place(self.name, memory.id, title=display_title(memory.title, memory.content, ""), kind=memory.kind)

    def commands(self) -> list[Action]:
        """Return what can be done here."""
        listing, document = self.listing, self.document
        opened: dict[str, Slot] = {
            "notes.next": partial(self._go_to_mark, 1),
            "notes.previous": partial(self._go_to_mark, -1),
            "notes.attach": self.editing.attachments.choose,
            "notes.write": partial(document.set_mode, "write"),
            "notes.split": partial(document.set_mode, "split"),
            "notes.read": partial(document.set_mode, "read"),
            "notes.fold": self._fold,
            "notes.unfold": document.editor.folds.unfold_all,
        }
        changing: dict[str, Slot] = {
            "notes.pin": self._actions.toggle_pin,
            "notes.delete": self._actions.delete_selected,
            "notes.tag": self._add_tag,
        }
        always: dict[str, Slot] = {
            "notes.daily": self.daily_note,
            "notes.filter": listing.filter.setFocus,
            "notes.trash": listing.trash.toggle,
            "notes.facets": listing.sides.click,
        }
        enabled = {
            **dict.fromkeys(opened, self._is_open),
            **dict.fromkeys(changing, self._actions.can_change),
            "notes.tag": self._can_tag,
            "notes.merge": self._organising.has_several,
        }
        # It works from every pane and takes the place of the window's own.
        new = Action("notes.new", self.tr("New note"), self.new_note, "plus", "Ctrl+N", "file", keywords="create write")
        slots = {**opened, **changing, **always, **self._organising.slots()}
        return [new, *pane_actions(self.name, slots, enabled)]

    def _fold(self) -> None:
        if not self.document.editor.isVisible():
            self.document.set_mode("write")
        if not self.document.editor.folds.toggle():
            self.show_notice(self.tr("There is no heading above the cursor."))

    def _go_to_mark(self, step: int) -> None:
        self.document.go_to_mark(step)

    def regions(self) -> list[QWidget]:
        """Return facets, list, text and inspector, those that are shown."""
        parts: list[QWidget] = [
            self.facets.tree,
            self._organising.calendar.sheet,
            self.listing.list,
            self.document.editor,
            self.document.preview.page,
        ]
        parts.append(self.inspector)
        return [part for part in parts if part.isVisible()]

    def refresh(self, changes: "ChangeSet") -> None:
        """Follow what agents, imports and the person changed."""
        if not changes.areas & AREAS:
            return
        self._reload_list(changes)
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
            "split": self._splitter.state(),
            "opened": memory.id if memory else "",
            "mode": self.document.mode,
            "inspector": self._inspecting,
            "facets": self._faceted,
            "filters": self.facets.state,
            **self.listing.state,
        })  # fmt: skip

    def restore_state(self, state: bytes) -> None:
        """Apply what ``save_state`` returned."""
        values = unpack(state)
        self._inspecting = values.get("inspector")
        self._faceted = values.get("facets")
        self.facets.saved.restore(values.get("filters"))
        self._splitter.restore(bytes_of(values, "split"))
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
        width = LIST_MIN + max(RIGHT_MIN, self.document.least_width) + self._splitter.handleWidth()
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
        self._trash_empty = EmptyState(
            "trash-2",
            self.tr("The trash is empty"),
            self.tr("Notes you delete wait here until you restore them."),
            parent=self,
        )
        pages = (self._nothing_chosen, self.document, self._summary, self._trash_empty)
        self._splitter.add(self.facets, 190, least=FACETS_MIN)
        self._set_sides(320, *pages, least=LIST_MIN, sizes=(700, RIGHT_MIN))
        self._splitter.add(self.inspector, 250, least=INSPECTOR_MIN)
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
        self._whole.addWidget(self._empty)
        # Its own least width is without facets and inspector: see minimumSizeHint.
        self._column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        self.inspector.hide()

    def _connect(self) -> None:
        rows = self.listing.list
        rows.opened.connect(self._on_rows_opened)
        rows.rename_requested.connect(self._on_rows_rename_requested)
        rows.selection_changed.connect(self._on_rows_selection_changed)
        self._actions.rename_requested.connect(self._on_rows_rename_requested)
        self._summary.cleared.connect(self._on_summary_cleared)
        self.listing.counted.connect(self.facets.show_counts)
        self.listing.new.clicked.connect(self.new_note)
        self.listing.sides.clicked.connect(self._on_sides_clicked)
        self.facets.changed.connect(self.listing.set_facets)
        self._empty.triggered.connect(self.new_note)
        self._nothing_chosen.triggered.connect(self.new_note)
        self.controller.opened.connect(self._show_right)
        self.controller.closed.connect(self._show_right)
        self.controller.created.connect(self._on_controller_created)
        self.controller.stored.connect(self._on_controller_stored)
        self.controller.failed.connect(self.show_error)
        self.controller.restored.connect(self._on_controller_restored)
        self.document.pin_requested.connect(self._actions.toggle_pin)
        self.document.delete_requested.connect(self._actions.delete_open)
        self.document.restore_requested.connect(self._actions.restore_open)
        self.document.inspector_requested.connect(self.toggle_inspector)
        self.document.mode_changed.connect(self._fit)
        self.document.preview.wiki_clicked.connect(self.follow_wiki)
        self.document.preview.tag_clicked.connect(self.facets.choose_tag)
        self.document.preview.link_clicked.connect(self.follow_link)
        self.inspector.opened.connect(self._go)
        self.inspector.missing_opened.connect(self.follow_wiki)
        self.inspector.session_opened.connect(self._on_details_session_opened)
        self.inspector.version_requested.connect(self.controller.compare)

    def _fit(self) -> None:
        """Show facets and inspector where there is room for them.

        Where only one has room beside a wide text, the other shows on request. The one that was requested last gets
        the room first.
        """
        right = max(RIGHT_MIN, self.document.least_width)
        self._right.setMinimumWidth(right)
        room = self.width() - LIST_MIN - right - 3 * self._splitter.handleWidth()
        split = self.document.mode == "split"
        both = self.width() >= (WIDE_BOTH_SPLIT if split else WIDE_BOTH)
        wide = both or (self.width() >= (WIDE_SPLIT if split else WIDE) and not self._inspecting)
        reading = self._right.currentWidget() is self.document
        # Between source and preview only the facets step aside, so that the buttons at the text's end stay in place.
        has_room = self.width() >= WIDE_BOTH
        facets_min = max(FACETS_MIN, self.facets.minimumSizeHint().width())
        self.facets.setMinimumWidth(facets_min)
        facets = (self.facets, wide if self._faceted is None else self._faceted, facets_min)
        details = (
            self.inspector,
            reading and (has_room if self._inspecting is None else self._inspecting),
            INSPECTOR_MIN,
        )
        for column, wanted, least in (facets, details) if self._facets_first else (details, facets):
            shown = wanted and room >= least
            room -= least if shown else 0
            column.setVisible(shown)
        self.listing.sides.setChecked(not self.facets.isHidden())

    # --- opening ---

    def new_note(self) -> None:
        """Begin a note, wherever one is; it exists from its first letter on."""
        if not self.isVisible():
            self.navigate.emit(Place(self.name))
        self._whole.setCurrentWidget(self._splitter)
        self.listing.trash.setChecked(False)
        self.listing.list.clear_choice()
        self.controller.begin()
        self.document.title.setFocus(Qt.FocusReason.OtherFocusReason)

    def daily_note(self) -> None:
        """Open today's note, writing its head when it is the first time today."""
        self._organising.new_notes.open_daily(datetime.now().astimezone().date())

    def begin_titled(self, title: str, tags: tuple[str, ...] = ()) -> None:
        """Begin a note of a title and tags, kept once something is written."""
        self.new_note()
        self.controller.prefill(title=title, tags=tags)
        self.document.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def title_missing(self, title: str) -> None:
        """Begin the note that a link names and that does not exist yet."""
        self.new_note()
        self.controller.prefill(title=title)
        self.document.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        self.document.show_state(self.tr("New note. It is kept once you write something."))

    def _go(self, identity: str) -> None:
        self.open_place(Place(self.name, identity))
        self.navigate.emit(Place(self.name, identity))

    def _is_open(self) -> bool:
        return self.controller.is_open and self.listing.list.selected_count <= 1

    def _can_tag(self) -> bool:
        return self._actions.can_change() or (self._is_open() and self.controller.memory is None)

    def _show_open(self) -> None:
        nothing = not self.listing.model.ids and not self.listing.filtered and not self.controller.busy
        self._whole.setCurrentWidget(self._empty if nothing else self._splitter)
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
        """Show a deleted note while the trash is listed.

        After the trash the note that was open before is shown again.
        """
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

    def _open_id(self) -> str:
        return self.controller.id

    def _open_item(self, identity: str) -> None:
        self.controller.open(identity)

    def _on_rows_opened(self, identity: str) -> None:
        self.controller.open(identity)
        self.document.focus_text()

    def _on_rows_rename_requested(self, identity: str) -> None:
        self.controller.open(identity)
        self.document.title.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.document.title.selectAll()

    def _on_controller_restored(self) -> None:
        self.show_notice(self.tr("The earlier version is restored. What was there before is in the history."))

    def _show_selection(self, count: int) -> None:
        self.controller.flush()
        self._actions.show_selection(count)

    def _show_right(self) -> None:
        page: QWidget = self._trash_empty if self._in_trash else self._nothing_chosen
        if self.controller.is_open:
            page = self.document
        if self.listing.list.selected_count > 1:
            page = self._summary
        self._right.setCurrentWidget(page)
        self._fit()
        self._read_words()
        self.registry.refresh()

    def _read_words(self) -> None:
        """Put the keyboard in the text that a search led to, with its words marked."""
        memory = self.controller.memory
        if not self._words or memory is None or memory.id != self.controller.id:
            return  # until the note that is being fetched is shown
        words, self._words = self._words, ()
        if memory.id == self._words_of:
            self.document.mark_words(words)
            self.document.focus_text()

    def _on_controller_created(self, memory: "Memory") -> None:
        self.listing.choose(memory.id)
        self.navigate.emit(Place(self.name, memory.id, title=memory.title))

    def _on_controller_stored(self, memory: "Memory") -> None:
        self.listing.model.invalidate([memory.id])

    def show_facets(self) -> None:
        """Show the column of facets and calendar."""
        if self.facets.isHidden():
            self._on_sides_clicked()

    def _on_sides_clicked(self) -> None:
        self._faceted = self.facets.isHidden()
        self._facets_first = True
        self._fit()

    def _on_details_session_opened(self, session: str) -> None:
        self.navigate.emit(Place("sessions", session))

    def _add_tag(self) -> None:
        if ids := self._actions.selected_ids():
            self._actions.ask_for_tags(ids)
        else:
            self.document.tags.field.setFocus()
