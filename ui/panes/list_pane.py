"""List panes: a list at one side, the item chosen in it at the other."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.core.declared_operations import declared_operations
from ui.panes.filtered_list import FilteredList
from ui.panes.list_detail_pane import ListDetailPane
from ui.panes.pane import Place
from ui.widgets.selection_summary import SelectionSummary

if TYPE_CHECKING:
    from app.changes import ChangeSet
    from ui.actions import Actions
    from ui.bridge import Bridge

PERSON = "person"
CHOICE_MS = 90
"""Rest on a row before it is opened."""
RELOAD_MS = 200


class ListPane(ListDetailPane):
    """A pane that opens the current row of its list.

    While several rows are selected, a summary of them takes the place of the page.
    """

    listing: FilteredList
    _summary: SelectionSummary

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self._right.setObjectName("sheet")
        self._whole = QStackedWidget(self)
        """List and page, or what stands in their place while there is nothing."""
        self._whole.addWidget(self._splitter)
        self._column.addWidget(self._whole)
        self._choice = QTimer(self, singleShot=True, interval=CHOICE_MS)
        self._choice.timeout.connect(self._on_choice_timeout)

    # --- for subclasses to implement ---

    def _open_id(self) -> str:
        """Return the id of the open item, empty when none is open."""
        raise NotImplementedError

    def _show_selection(self, count: int) -> None:
        """Fill the summary of so many rows."""
        raise NotImplementedError

    def _show_right(self) -> None:
        """Show the open item, or the summary while several are selected."""
        raise NotImplementedError

    # --- what subclasses use ---

    def _reload_list(self, changes: "ChangeSet") -> None:
        """Reload changed rows, and select those that came back in sight."""
        self.listing.model.invalidate(changes.ids)
        if self.isVisible() and changes.operation in declared_operations().brings_back and changes.actor == PERSON:
            self.listing.select_restored(changes.ids)

    def _on_row_chosen(self, identity: str) -> None:
        del identity
        self._choice.start()

    def _on_rows_selection_changed(self, count: int) -> None:
        if count > 1:
            self._show_selection(count)
        elif self._right.currentWidget() is self._summary:
            self._choice.start()
        if count > 1 or self._right.currentWidget() is self._summary:
            self._show_right()

    def _on_choice_timeout(self) -> None:
        """Open the row that the keyboard rests on.

        Rows that it only passes, with an arrow key held down, are not opened.
        """
        rows = self.listing.list
        if rows.selected_count > 1:
            return
        if rows.selected_count == 1 and (last := rows.selected_ids()[0]) != rows.current_id():
            rows.choose(last, quiet=True)
        identity = rows.current_id()
        if identity and identity != self._open_id():
            self._open_item(identity)
            self.navigate.emit(Place(self.name, identity, title=str(rows.currentIndex().data() or "")))

    def _on_summary_cleared(self) -> None:
        """Select the open item alone, or the current row."""
        rows = self.listing.list
        self.listing.choose(self._open_id() or rows.current_id())
        rows.setFocus(Qt.FocusReason.OtherFocusReason)
