"""Filtered lists: a filter field, an order, and rows that are fetched by pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.errors import KeepsakeError
from ui.models.id_list_model import IdListModel
from ui.widgets.fields.search_box import SearchBox
from ui.widgets.lists.list_view import CardList
from ui.widgets.lists.sort_menu import SortMenu
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.models.cards import Card
    from ui.typed_call import TypedCall


@dataclass(frozen=True, slots=True)
class ListLabels:
    """Labels of a list, translated.

    Args:
        rows: Accessible name of the rows.
        filter: Accessible name of the filter field.
        placeholder: Shown in the empty filter field.
        order: Name of the order button.
        orders: Key and label of each order; the first one is the default.
    """

    rows: str
    filter: str
    placeholder: str
    order: str
    orders: tuple[tuple[str, str], ...]


class FilteredList(QWidget):
    """A list of everything that fits a filter.

    Subclasses fetch the ids and describe the rows.

    Args:
        bridge: The connection to the engine.
        parent: Its parent.
    """

    loaded = Signal()
    """Other ids are shown."""
    failed = Signal(object)
    """A ``KeepsakeError``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._request = 0
        self._wanted = ""
        self._restored: tuple[str, ...] = ()
        labels = self._labels()
        self.model = IdListModel(self._rows, bridge.start, self._card, self)
        self.model.failed.connect(self.failed)
        self.filter = SearchBox(labels.filter, labels.placeholder, parent=self)
        self.filter.searched.connect(self.load)
        self.filter.stepped_down.connect(self._on_filter_stepped_down)
        self._sorting = SortMenu(labels.order, labels.orders, self)
        self._sorting.changed.connect(self.load)
        self.list = CardList(labels.rows, self)
        self.list.set_source(self.model)
        self.list.retried.connect(self.load)

    # --- for subclasses to implement ---

    @property
    def current_filter(self) -> Any:
        """The filter in force, as the operations take it."""
        raise NotImplementedError

    @property
    def filtered(self) -> bool:
        """True when the filter may leave something out."""
        raise NotImplementedError

    def _labels(self) -> ListLabels:
        raise NotImplementedError

    def _card(self, row: Any) -> "Card":
        raise NotImplementedError

    async def _load(self, chosen: Any, request: int) -> None:
        """Fetch and show the ids that fit a filter.

        Nothing is shown when a later request was made in the meantime.
        """
        raise NotImplementedError

    # --- what panes use ---

    @property
    def state(self) -> dict[str, Any]:
        """The state to keep between starts."""
        return {"order": self._sorting.current}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned."""
        self._sorting.restore(state.get("order"))

    def load(self) -> None:
        """Fetch the ids again; the old list shows until they arrive."""
        self._request += 1
        self._work.refresh(self._load(self.current_filter, self._request))

    def choose(self, identity: str) -> None:
        """Make a row current, now or when the list with it has arrived."""
        self._wanted = "" if self.list.choose(identity, quiet=True) else identity

    def select_restored(self, ids: Sequence[str]) -> None:
        """Select the row among ``ids`` that only the next list has."""
        self._restored = tuple(identity for identity in ids if self.model.row_of(identity) < 0)

    # --- what subclasses use ---

    def _is_current(self, request: int) -> bool:
        """Return whether an answer is still wanted."""
        return request == self._request

    def _fail(self, error: KeepsakeError, request: int) -> None:
        """Report a failed request, unless a later one was made.

        Where there are no rows it is said in their place.
        """
        if self._is_current(request) and not self.list.show_failure(error.message):
            self.failed.emit(error)

    def _show_ids(self, ids: Sequence[str], nothing: str) -> None:
        """Show other ids; ``nothing`` is the text where a filter leaves none."""
        self.list.clear_failure()
        self.list.set_empty_text(nothing if self.filtered else "")
        self.model.set_ids(ids)
        restored, self._restored = [one for one in self._restored if self.model.row_of(one) >= 0], ()
        if restored:
            self._wanted = ""
            self.list.choose(restored[0])
        elif self._wanted:
            self.choose(self._wanted)
        self.loaded.emit()

    async def _rows(self, ids: list[str]) -> Sequence[Any]:
        return await self._bridge.call(self._rows_call(ids))

    def _rows_call(self, ids: list[str]) -> "TypedCall[Sequence[Any]]":
        """Return the call for rows by their ids."""
        raise NotImplementedError

    def _on_filter_stepped_down(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)
