"""The base class of panes with a list beside the page of its open item."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from ui.panes.loading_list import LoadingList
from ui.panes.pane import Place
from ui.panes.reading_pane import ReadingPane
from ui.widgets.box_layouts import vbox
from ui.widgets.splitter import PaneSplitter

if TYPE_CHECKING:
    from ui.actions import Actions
    from ui.bridge import Bridge

LIST_LEAST = 220
PAGE_SIZES = (800, 360)
"""Width of the page at first, and at least."""


class ListDetailPane(ReadingPane):
    """A list at the left, the page of its open item at the right.

    Subclasses make the list and the pages.
    """

    listing: LoadingList

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self._open = ""
        self._right = QStackedWidget(self)
        self._splitter = PaneSplitter(parent=self)
        self._column = vbox(parent=self, margins=0)

    # --- for subclasses to implement ---

    def _open_item(self, identity: str) -> None:
        """Show the page of an item."""
        raise NotImplementedError

    def _open_title(self) -> str:
        return ""

    def _show_open(self) -> None:
        """Show the open item as the list has it now."""
        raise NotImplementedError

    # --- what the window calls ---

    def open_place(self, place: Place) -> None:
        """Show the item of a place."""
        if place.id:
            self._open_item(place.id)

    def current_place(self) -> Place:
        """Return the open item."""
        return Place(self.name, self._open, title=self._open_title())

    def focus_first(self) -> None:
        """Put the keyboard on the list."""
        self.listing.list.setFocus(Qt.FocusReason.TabFocusReason)

    def save_state(self) -> bytes:
        """Return the sizes of list and page."""
        return self._splitter.state()

    def restore_state(self, state: bytes) -> None:
        """Apply what ``save_state`` returned."""
        self._splitter.restore(state)

    # --- what subclasses use ---

    def _set_sides(
        self, width: int, *pages: QWidget, least: int = LIST_LEAST, sizes: tuple[int, int] = PAGE_SIZES
    ) -> None:
        """Put the list, so wide at first, beside its pages."""
        for page in pages:
            self._right.addWidget(page)
        self._splitter.add(self.listing, width, least=least)
        self._splitter.add(self._right, sizes[0], least=sizes[1], stretch=1)
        self.listing.loaded.connect(self._show_open)
        self.listing.failed.connect(self.show_error)
        self.listing.list.chosen.connect(self._on_row_chosen)

    def _on_row_chosen(self, identity: str) -> None:
        if identity and identity != self._open:
            self._open_item(identity)
            self.navigate.emit(self.current_place())
