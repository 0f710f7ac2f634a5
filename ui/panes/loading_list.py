"""The base class of lists that are fetched from the engine and shown as cards."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLayout, QWidget

from app.errors import KeepsakeError
from ui.engine_texts import error_text
from ui.models.card_list_model import CardListModel
from ui.widgets.box_layouts import vbox
from ui.widgets.lists.list_view import CardList
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.models.cards import Card


class LoadingList(QWidget):
    """A list of cards; the old ones show until the new ones arrive.

    Subclasses name the cards.

    Args:
        bridge: The connection to the engine.
        parent: Its parent.
    """

    loaded = Signal()
    """The rows arrived."""
    failed = Signal(object)
    """A ``KeepsakeError``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self.model = self._make_model()
        self.list = CardList("", self)
        self.list.set_source(self.model)
        self.list.retried.connect(self.load)

    # --- for subclasses to implement ---

    async def _load(self) -> None:
        """Fetch what the list shows, and show it."""
        raise NotImplementedError

    def _card(self, row: Any) -> "Card":
        raise NotImplementedError

    def _make_model(self) -> CardListModel:
        return CardListModel(self._card, self)

    # --- what panes use ---

    def load(self) -> None:
        """Fetch the list again."""
        self._work.latest(self._refresh)

    # --- what subclasses use ---

    def _lay_out(self, head: QLayout) -> None:
        """Put the cards below ``head``."""
        vbox(head, (self.list, 1), parent=self, margins=0, spacing=0)

    async def _refresh(self) -> None:
        try:
            await self._load()
        except KeepsakeError as error:
            # Where there are no rows it is said in their place.
            if not self.list.show_failure(error_text(error)):
                self.failed.emit(error)
            return
        self.list.clear_failure()
        self.loaded.emit()
