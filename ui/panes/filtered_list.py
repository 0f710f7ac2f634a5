"""Filtered lists: a filter field, an order, and rows that are fetched by pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from ui.models.id_list_model import IdListModel
from ui.panes.loading_list import LoadingList
from ui.widgets.fields.search_box import SearchBox
from ui.widgets.lists.sort_menu import SortMenu

if TYPE_CHECKING:
    from ui.bridge import Bridge
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


class FilteredList(LoadingList):
    """A list of everything that fits a filter.

    Subclasses fetch the ids and describe the rows.

    Args:
        bridge: The connection to the engine.
        parent: Its parent.
    """

    model: IdListModel

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        labels = self._labels()
        self.list.setAccessibleName(labels.rows)
        self._wanted = ""
        self._restored: tuple[str, ...] = ()
        self.model.failed.connect(self.failed)
        self.filter = SearchBox(labels.filter, labels.placeholder, parent=self)
        self.filter.searched.connect(self.load)
        self.filter.stepped_down.connect(self._on_filter_stepped_down)
        self._sorting = SortMenu(labels.order, labels.orders, self)
        self._sorting.changed.connect(self.load)

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

    def _make_model(self) -> IdListModel:
        return IdListModel(self._rows, self._bridge.start, self._card, self)

    # --- what panes use ---

    @property
    def state(self) -> dict[str, Any]:
        """The state to keep between starts."""
        return {"order": self._sorting.current}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned."""
        self._sorting.restore(state.get("order"))

    def choose(self, identity: str) -> None:
        """Make a row current, now or when the list with it has arrived."""
        self._wanted = "" if self.list.choose(identity, quiet=True) else identity

    def select_restored(self, ids: Sequence[str]) -> None:
        """Select the row among ``ids`` that only the next list has."""
        self._restored = tuple(identity for identity in ids if self.model.row_of(identity) < 0)

    def drop_restored(self) -> None:
        """Leave the row that is chosen meanwhile as it is."""
        self._restored = ()

    # --- what subclasses use ---

    def _show_ids(self, ids: Sequence[str], nothing: str) -> None:
        """Show other ids; ``nothing`` is the text where a filter leaves none."""
        self.list.set_empty_text(nothing if self.filtered else "")
        self.model.set_ids(ids)
        restored, self._restored = [identity for identity in self._restored if self.model.row_of(identity) >= 0], ()
        if restored:
            self._wanted = ""
            self.list.choose(restored[0])
        elif self._wanted:
            self.choose(self._wanted)

    async def _rows(self, ids: list[str]) -> Sequence[Any]:
        return await self._bridge.call(self._rows_call(ids))

    def _rows_call(self, ids: list[str]) -> "TypedCall[Sequence[Any]]":
        raise NotImplementedError

    def _on_filter_stepped_down(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)
