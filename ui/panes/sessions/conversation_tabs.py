"""Tabs of an open conversation: messages, facts, summary, scratchpad, and an agent's context."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QStackedWidget, QWidget

from ui.panes.sessions.agent_view import AgentView
from ui.panes.sessions.facts_tab import FactsTab, Tell
from ui.panes.sessions.scratchpad_tab import ScratchpadTab
from ui.panes.sessions.summary_tab import SummaryTab
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.folding_tabs import FoldingTabs

if TYPE_CHECKING:
    from ui.bridge import Bridge

MESSAGES, FACTS, SUMMARY, SCRATCHPAD, AGENT = range(5)


class ConversationTabs(QWidget):
    """A bar of tabs over pages that are filled once in front.

    Args:
        messages: The page with the messages.
        bridge: The way to the engine.
        do: Runs work in the background and reports its failure.
        tell: Tells what was done, with what undoes it.
        parent: Its parent.
    """

    def __init__(
        self,
        messages: QWidget,
        bridge: "Bridge",
        do: Callable[[Coroutine[Any, Any, None]], None],
        tell: Tell,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._do = do
        self._session = ""
        self._shown: set[int] = set()
        titles = (
            self.tr("Messages"),
            self.tr("Facts"),
            self.tr("Summary"),
            self.tr("Scratchpad"),
            self.tr("What an agent would be told"),
        )
        self._tabs = FoldingTabs(self.tr("Parts of the conversation"), titles, self)
        self.bar = self._tabs.bar
        self.facts = FactsTab(bridge, do, tell, self)
        self.summary = SummaryTab(bridge, do, self)
        self.scratchpad = ScratchpadTab(bridge, do, self)
        self.agent = AgentView(bridge, do, self)
        self._pages = (messages, self.facts, self.summary, self.scratchpad, self.agent)
        self._stack = QStackedWidget(self)
        for page in self._pages:
            self._stack.addWidget(page)
        column = vbox(parent=self, margins=0, spacing=0)
        row = hbox(self._tabs, margins=(Space.M, 0, Space.M, 0))
        column.addLayout(row)
        column.addWidget(self._stack, 1)
        self._tabs.changed.connect(self._on_tab_changed)

    def show_session(self, session: str) -> None:
        """Show the parts of another conversation; of none for ``""``."""
        if session != self._session:
            self._session = session
            self._shown.clear()
        self._tabs.setVisible(bool(session))
        if not session:
            self.bar.setCurrentIndex(MESSAGES)
        self._fill()

    def show_messages(self) -> None:
        """Bring the messages to the front."""
        self.bar.setCurrentIndex(MESSAGES)

    def refresh(self) -> None:
        """Fill the page in front again: the conversation changed."""
        self._shown.clear()
        self._fill()

    def refresh_facts(self) -> None:
        """Fill the page of facts again: memories changed."""
        self._shown.discard(FACTS)
        self._fill()

    def _fill(self) -> None:
        place = self.bar.currentIndex()
        if not self._session or place in self._shown:
            return
        self._shown.add(place)
        page = self._pages[place]
        if isinstance(page, FactsTab | SummaryTab | ScratchpadTab | AgentView):
            page.load(self._session)

    def _on_tab_changed(self, place: int) -> None:
        self._stack.setCurrentIndex(place)
        self._fill()
