"""Saved and recent searches, and the button that saves the one in the search box."""

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.changes import Area
from app.errors import KeepsakeError
from ui import operations
from ui.engine_texts import error_text
from ui.notice import Notice
from ui.panes.erasure_prompt import ask_to_erase, erase_for_ever
from ui.panes.pane_commands import SAVE_SEARCH_KEY
from ui.panes.reading_pane import history_of
from ui.style.icons import icon
from ui.widgets.button import icon_button, name_button
from ui.work import Work

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from PySide6.QtWidgets import QWidget

    from app.retrieval.saved.model import SavedSearch
    from ui.bridge import Bridge
    from ui.widgets.fields.search_box import SearchBox

RECENT_LIMIT = 12
AREA: Area = "saved_searches"


class SearchHistory(QObject):
    """Keeps searches that were saved, and the last ones that led somewhere.

    Saved searches are the person's own work, so they stand in the vault; recent ones are the window's state.

    Args:
        bridge: The connection to the engine.
        box: The search box.
        parent: The pane, where the button goes.
    """

    noticed = Signal(object)
    """A ``Notice`` about what was done."""
    changed = Signal()
    """Other searches are saved."""

    def __init__(self, bridge: "Bridge", box: "SearchBox", parent: "QWidget") -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._parent = parent
        self._work = Work(self, bridge)
        self._box = box
        self._unsent: list[str] = []
        self.saved: Sequence[SavedSearch] = ()
        self.recent: list[str] = []
        self.button = icon_button("bookmark-plus", self.tr("Save this search"), shortcut=SAVE_SEARCH_KEY, parent=parent)
        self.button.clicked.connect(self.toggle_saved)

    @property
    def recent_unsaved(self) -> list[str]:
        """Recent searches that are not saved, latest first."""
        saved = {search.query for search in self.saved}
        return [text for text in self.recent if text not in saved]

    @property
    def state(self) -> dict[str, Any]:
        """The searches to keep between starts."""
        return {"recent": self.recent, **({"saved": self._unsent} if self._unsent else {})}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned; searches that an older version saved here go into the vault."""
        self._unsent = [str(text) for text in state.get("saved") or ()]
        self.recent = [str(text) for text in state.get("recent") or ()]

    def remember(self, text: str) -> None:
        """Put a search first among the recent ones."""
        text = text.strip()
        if text:
            self.recent = [text, *(known for known in self.recent if known != text)][:RECENT_LIMIT]

    def load(self) -> None:
        """Fetch the saved searches."""
        self._start(self._load())

    def toggle_saved(self) -> None:
        """Save the search in the box, or delete it from the saved ones."""
        text = self._box.text().strip()
        known = self._known(text)
        if known is not None:
            self.delete(known)
        elif text:
            self._start(self._save(text))

    def rename(self, identity: str, name: str) -> None:
        """Give a saved search another name."""
        self._start(self._bridge.call(operations.saved_search.rename(id=identity, name=name)))

    def delete(self, search: "SavedSearch") -> None:
        """Delete a saved search; the notice about it takes that back."""
        self._start(self._delete(search))

    def ask_to_erase(self, search: "SavedSearch") -> None:
        """Ask whether a saved search may be erased for ever."""
        text = self.tr("Erase the saved search ‘{name}’ for ever?").format(name=search.name)
        what = self.tr("Its name, its words and its history are removed from this vault.")
        ask_to_erase(self._parent, text, what, partial(self._on_erase_agreed, search))

    def set_order(self, ids: "Sequence[str]") -> None:
        """Put the saved searches into another order."""
        self._start(self._bridge.call(operations.saved_search.order(ids=list(ids))))

    def show_state(self) -> None:
        """Show on the button whether the search in the box is saved."""
        text = self._box.text().strip()
        known = self._known(text) is not None
        title = self.tr("Delete this saved search") if known else self.tr("Save this search")
        name_button(self.button, title, SAVE_SEARCH_KEY)
        self.button.setIcon(icon("bookmark", "accent") if known else icon("bookmark-plus"))
        self.button.setEnabled(bool(text))

    def _known(self, text: str) -> "SavedSearch | None":
        wanted = _joined(text)
        return next((search for search in self.saved if search.query == wanted), None)

    def _start(self, work: "Coroutine[Any, Any, Any]") -> None:
        self._work.start(self._run(work))

    async def _run(self, work: "Coroutine[Any, Any, Any]") -> None:
        try:
            await work
        except KeepsakeError as error:
            self.noticed.emit(Notice(error_text(error), kind="error"))

    async def _load(self) -> None:
        while self._unsent:
            await self._bridge.call(operations.saved_search.save(query=self._unsent[0]))
            del self._unsent[:1]
        saved = await self._bridge.call(operations.saved_search.list())
        self.saved = saved
        self.show_state()
        self.changed.emit()

    async def _save(self, text: str) -> None:
        reply = await self._bridge.reply(operations.saved_search.save(query=text))
        words = self.tr("Saved the search ‘{name}’").format(name=reply.value.name)
        self.noticed.emit(Notice(words, history_of(reply)))

    def _on_erase_agreed(self, search: "SavedSearch") -> None:
        self._start(self._erase(search))

    async def _erase(self, search: "SavedSearch") -> None:
        notice = await erase_for_ever(self._bridge, self.tr("Erased the saved search for ever"), [search.id])
        # The same words stand among the recent searches, which the window keeps outside the vault.
        self.recent = [text for text in self.recent if _joined(text) != search.query]
        if _joined(self._box.text()) == search.query:
            self._box.set_text_quietly("")
        self.noticed.emit(notice)
        await self._load()

    async def _delete(self, search: "SavedSearch") -> None:
        reply = await self._bridge.reply(operations.saved_search.delete(id=search.id))
        words = self.tr("Deleted the saved search ‘{name}’").format(name=search.name)
        self.noticed.emit(Notice(words, history_of(reply)))


def _joined(text: str) -> str:
    """Return a search with its blanks as they are saved."""
    return " ".join(text.split())
