"""The dialog that says why a search does not show something."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.core.text import excerpt
from app.errors import KeepsakeError
from app.memories.model import MemoryFilter
from app.sessions.model import SessionFilter
from ui import operations, theme
from ui.dialogs.base_dialog import BaseDialog, note
from ui.engine_texts import error_text
from ui.panes.labels import display_title, kind_icon
from ui.panes.search.why.why_not_sentence import why_not_sentence
from ui.style.icons import icon
from ui.translation import translate
from ui.widgets.button import text_button
from ui.widgets.fields.search_box import SearchBox
from ui.widgets.lists.row_list import Index, RowList, RowModel
from ui.widgets.plain_text import PlainLabel
from ui.work import Work

if TYPE_CHECKING:
    from app.explain.model import Explanation
    from app.memories.model import MemoryRow
    from app.retrieval.model import Found, Hit
    from app.sessions.model import Session
    from ui.bridge import Bridge

MOST = 8
"""Items offered of each sort."""
TITLE = 70
ICON = 15
LONGEST = 200
"""The explanation's own limit of results."""


@dataclass(frozen=True, slots=True)
class _Item:
    """Something to ask about."""

    id: str
    title: str
    icon: str


class ItemModel(RowModel["_Item"]):
    """Conversations and memories by title."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a title or an icon."""
        if not index.isValid():
            return None
        item = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return excerpt(item.title, TITLE)
        return icon(item.icon) if role == Qt.ItemDataRole.DecorationRole else None


class WhyNotDialog(BaseDialog):
    """Dialog that says why a search does not show a chosen conversation or memory.

    Args:
        bridge: The connection to the engine.
        query: The search.
        recipe: How it ranks; the setting when ``None``.
        limit: How many results are shown.
        parent: The window.
    """

    search_requested = Signal(str)
    """Search for this instead."""

    def __init__(
        self, bridge: "Bridge", query: str, recipe: str | None, limit: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(translate("WhyNotDialog", "Why not …?"), parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._asking: dict[str, Any] = {"query": query, "recipe": recipe, "limit": min(limit, LONGEST)}
        self._better = ""
        self.body.addWidget(
            note(
                self.tr("Choose what you expected among the results of ‘{query}’.").format(query=excerpt(query, TITLE)),
                self,
            )
        )
        self.box = SearchBox(self.tr("What you expected"), self.tr("Words of it, or its title…"), parent=self)
        self.source = ItemModel(self)
        self.items = RowList(self.tr("Conversations and memories"), self)
        self.items.setObjectName("rowList")
        self.items.setModel(self.source)
        self.items.setMinimumHeight(theme.current().scaled(210))
        side = theme.current().scaled(ICON)
        self.items.setIconSize(QSize(side, side))
        self.items.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.answer = PlainLabel(self, style="strong", wraps=True)
        self.hint = note("", self)
        for widget in (self.box, self.items, self.answer, self.hint):
            self.body.addWidget(widget)
        self.instead = self.add_button(text_button(self.tr("Search that way"), "primary", parent=self), left=True)
        self.instead.hide()
        close = self.add_button(text_button(self.tr("Close"), parent=self))
        close.clicked.connect(self.close)
        self.instead.clicked.connect(self._on_instead_clicked)
        self.box.searched.connect(self._on_box_searched)
        self.box.stepped_down.connect(self._on_box_stepped_down)
        self.items.selectionModel().currentChanged.connect(self._on_items_current_changed)
        self.resize(theme.current().scaled(520), theme.current().scaled(480))
        self.box.setFocus()
        self._on_box_searched("")

    def _on_box_stepped_down(self) -> None:
        if self.source.rows:
            self.items.setFocus(Qt.FocusReason.TabFocusReason)
            self.items.setCurrentIndex(self.source.index(max(0, self.items.currentIndex().row())))

    def _on_box_searched(self, text: str) -> None:
        self._work.cancel(self._explain)
        self._work.latest(self._offer, text.strip())

    async def _offer(self, text: str) -> None:
        """List matching conversations and memories, the latest where nothing is typed."""
        call = self._bridge.call
        try:
            sessions, memories = await asyncio.gather(
                call(operations.session.list(filter=SessionFilter(text=text), limit=MOST)),
                call(operations.note.list(filter=MemoryFilter(text=text), limit=MOST)),
            )
            choices = [*map(self._session, sessions), *map(self._memory, memories)]
            if text:
                hits: Found = await call(operations.memory.search(query=text, limit=MOST))
                choices += [_Item(hit.id, _said_in(hit), kind_icon(hit.kind)) for hit in hits.hits]
                deleted = MemoryFilter(text=text, deleted=True)
                choices += map(self._memory, await call(operations.note.list(filter=deleted, limit=MOST)))
        except KeepsakeError as error:
            self.answer.setText(error_text(error))
            return
        self._show(list({choice.id: choice for choice in choices}.values()))

    def _session(self, session: "Session") -> _Item:
        return _Item(session.id, display_title(session.title, session.preview, self.tr("Untitled")), "messages-square")

    def _memory(self, row: "MemoryRow") -> _Item:
        return _Item(row.id, display_title(row.title, row.preview, self.tr("Untitled")), kind_icon(row.kind))

    def _show(self, items: list[_Item]) -> None:
        self.source.show_rows(items)
        self._offer_better("")
        self.hint.setText("")
        nothing = self.tr("There is nothing with these words or this title in the vault.")
        self.answer.setText("" if items else nothing)

    def _on_items_current_changed(self, index: Index) -> None:
        self._offer_better("")
        self.hint.setText("")
        if not index.isValid():
            self.answer.setText("")
            return
        self.answer.setText(self.tr("Looking…"))
        self._work.cancel(self._offer)
        self._work.latest(self._explain, self.source.rows[index.row()].id)

    async def _explain(self, identity: str) -> None:
        try:
            explanation: Explanation = await self._bridge.call(operations.search.explain(id=identity, **self._asking))
        except KeepsakeError as error:
            self.answer.setText(error_text(error))
            return
        self.answer.setText(why_not_sentence(explanation))
        is_message = "#" in explanation.id and "#" not in identity
        about = self.tr("This is about the message of the conversation that fits best.")
        better = explanation.remedies[0].query if explanation.remedies else ""
        instead = self.tr("This search shows it: {query}").format(query=excerpt(better, LONGEST)) if better else ""
        self.hint.setText("\n".join(part for part in (about if is_message else "", instead) if part))
        self._offer_better(better)

    def _offer_better(self, query: str) -> None:
        """Offer another search that shows what is asked about."""
        self._better = query
        self.instead.setVisible(bool(query))

    def _on_instead_clicked(self) -> None:
        self.search_requested.emit(self._better)
        self.close()


def _said_in(hit: "Hit") -> str:
    """Return the words by which a person recognises a hit."""
    return hit.snippet if hit.target == "message" else display_title(hit.title, hit.snippet, "")
