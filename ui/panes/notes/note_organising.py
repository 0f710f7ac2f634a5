"""The organising parts of the Notes pane: calendar, templates, saved filters, trash bar."""

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from ui.actions import Slot
from ui.panes.notes.calendar.day_calendar import DayCalendar
from ui.panes.notes.calendar.on_this_day import OnThisDay
from ui.panes.notes.new_notes import DAILY, NewNotes
from ui.panes.notes.trash_bar import TrashBar
from ui.panes.pane import Place
from ui.panes.reading_pane import ReadingPane, history_of
from ui.widgets.context_menu import Entry
from ui.widgets.filter_chip import FilterChip

if TYPE_CHECKING:
    from ui.bridge import TypedReply
    from ui.panes.notes.note_actions import NoteActions
    from ui.panes.notes.note_facets import NoteFacets
    from ui.panes.notes.note_inspector import NoteInspector
    from ui.panes.notes.note_list import NoteList


class PaneDoors(NamedTuple):
    """Actions of the Notes pane that its organising parts call.

    Args:
        begin: Begins an empty note of a title and tags.
        opened: Opens a note by its id.
        show_facets: Shows the column of facets.
    """

    begin: Callable[[str, tuple[str, ...]], None]
    opened: Callable[[str], None]
    show_facets: Callable[[], None]


class NoteOrganising(QObject):
    """Builds the parts that keep notes in order and connects them.

    Args:
        pane: The pane that tells what was done.
        listing: Its list.
        facets: Its facets.
        inspector: Its inspector.
        actions: Its actions on notes.
        doors: What it opens and shows.
    """

    def __init__(
        self,
        pane: ReadingPane,
        listing: "NoteList",
        facets: "NoteFacets",
        inspector: "NoteInspector",
        actions: "NoteActions",
        doors: PaneDoors,
    ) -> None:
        super().__init__(pane)
        self._pane, self._listing, self._facets = pane, listing, facets
        self._actions, self._doors = actions, doors
        self.new_notes = NewNotes(pane, doors.begin, doors.opened)
        self.calendar = DayCalendar(pane.bridge, facets)
        self.on_this_day = OnThisDay(pane.bridge, facets)
        self.trash_bar = TrashBar(pane, listing, actions.restore, listing)
        self.filter_chip = FilterChip(listing)
        listing.add_below_head(self.filter_chip)
        listing.new.customContextMenuRequested.connect(self.choose_template)
        listing.add_below_head(self.trash_bar)
        facets.add_below(self.calendar)
        facets.add_below(self.on_this_day)
        self.on_this_day.opened.connect(pane.navigate)
        self.on_this_day.load()
        facets.read_words = listing.filter.text
        actions.offer_more(self._entries)
        self._connect(inspector)

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return (
            *self._facets.tab_chain,
            *self.calendar.tab_chain,
            *self.on_this_day.tab_chain,
            self.filter_chip.cross,
        )

    def slots(self) -> dict[str, Slot]:
        """Return what the commands for templates, calendar and filters do."""
        return {
            "notes.template": self.choose_template,
            "notes.calendar": self.show_calendar,
            "notes.save_filter": self._facets.save,
            "notes.empty_trash": self.trash_bar.ask_to_empty,
            "notes.merge": self._merge,
        }

    def choose_template(self) -> None:
        """Open the menu of templates below the button for a new note."""
        button = self._listing.new
        self.new_notes.choose_template(button.mapToGlobal(button.rect().bottomLeft()))

    def show_calendar(self) -> None:
        """Put the keyboard on the calendar."""
        self._doors.show_facets()
        self.calendar.sheet.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _connect(self, inspector: "NoteInspector") -> None:
        pane, calendar = self._pane, self.calendar
        calendar.daily_requested.connect(self.new_notes.open_daily)
        calendar.notes_requested.connect(self._on_calendar_notes_requested)
        calendar.sessions_requested.connect(self._on_calendar_sessions_requested)
        self._facets.changed.connect(self._on_facets_changed)
        self.filter_chip.cleared.connect(self._on_filter_chip_cleared)
        self._facets.words_chosen.connect(self._listing.filter.set_text_quietly)
        self._facets.saved.noticed.connect(pane.show_notice)
        self._listing.named.connect(self._facets.show_entities)
        self._listing.filter.searched.connect(self._facets.refresh_buttons)
        inspector.done.connect(self._on_inspector_done)
        inspector.failed.connect(pane.show_error)
        inspector.project_chosen.connect(self._on_inspector_project_chosen)
        inspector.project.left.connect(pane.focus_first)
        self._listing.loaded.connect(self._on_first_loaded)

    def _entries(self, ids: list[str]) -> list[Entry]:
        """Return the menu entries of a template."""
        row = self._listing.model.value(ids[0]) if len(ids) == 1 else None
        if row is None or row.kind != "note":
            return []
        use: Entry = (self.tr("New note from this"), partial(self.new_notes.use_template, row.id))
        if not any(tag == "template" or tag.startswith("template/") for tag in row.tags):
            return [use]
        daily: Entry = (self.tr("Use for the daily note"), partial(self.new_notes.set_daily_template, row.id))
        return [use] if DAILY in row.tags else [use, daily]

    def has_several(self) -> bool:
        """Return whether several notes are selected that are not deleted."""
        return self._listing.list.selected_count > 1 and not self._listing.trash.isChecked()

    def _merge(self) -> None:
        self._actions.bulk.merge(self._listing.list.selected_ids())

    # --- events ---

    def _on_first_loaded(self) -> None:
        self._listing.loaded.disconnect(self._on_first_loaded)
        self.calendar.load()

    def _on_calendar_notes_requested(self, day: date) -> None:
        self._listing.trash.setChecked(False)
        self._facets.choose_day(day)

    def _on_calendar_sessions_requested(self, day: date) -> None:
        self._pane.navigate.emit(Place("search", extra=f"kind:message on:{day.isoformat()}"))

    def _on_facets_changed(self) -> None:
        self.calendar.sheet.set_chosen(self._facets.chosen_day)
        self.filter_chip.show_filters(self._facets.chosen_labels)

    def _on_filter_chip_cleared(self) -> None:
        self._facets.clear()
        self._listing.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_inspector_project_chosen(self, memory: str, project: str) -> None:
        self._actions.bulk.set_project(memory, project)

    def _on_inspector_done(self, words: str, reply: "TypedReply[object]") -> None:
        self._pane.show_notice(words, history_of(reply))
