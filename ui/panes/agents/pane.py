"""Agents pane: programs that use the vault, their limits and their calls."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from app.changes import Area
from app.errors import KeepsakeError
from ui import operations
from ui.actions import Action
from ui.engine_texts import error_text
from ui.panes.agents.agent_list import AgentList
from ui.panes.agents.agent_page import AgentPage
from ui.panes.agents.call_items import load_items
from ui.panes.agents.connect_form import ConnectForm
from ui.panes.agents.incognito_bar import IncognitoBar
from ui.panes.agents.new_agent import NewAgentForm
from ui.panes.list_detail_pane import ListDetailPane
from ui.panes.pane import Place
from ui.panes.pane_commands import pane_actions
from ui.panes.reading_pane import history_of, set_tab_chain
from ui.widgets.context_menu import Entry, open_menu
from ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.agents.ledger.model import LedgerPage
    from app.agents.model import Agent, AgentToken
    from app.changes import ChangeSet
    from app.connections.model import ClientState, ConnectionPreview, ConnectionResult
    from app.quarantine.model import AgentRun
    from ui.actions import Actions
    from ui.bridge import Bridge
    from ui.typed_call import TypedCall

LIST_WIDTH = 300
CALLS = 200
RELOAD_MS = 300
AREAS: frozenset[Area] = frozenset({"agents", "inbox", "presence"})


class AgentsPane(ListDetailPane):
    """Agents at the left, the chosen one at the right."""

    name: ClassVar[str] = "agents"
    title: ClassVar[str] = "Agents"
    icon: ClassVar[str] = "bot"
    listing: AgentList

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self.listing = AgentList(bridge, self)
        self.page = AgentPage(self)
        self.form = NewAgentForm(self)
        self.connect_form = ConnectForm(self)
        self._empty = EmptyState(
            "bot",
            self.tr("No agents yet"),
            self.tr(
                "Programs such as Claude Code can use your memories, within limits that you set. You see what each"
                " one reads and writes, and can take it back."
            ),
            self.tr("Connect a program…"),
            second=self.tr("Add an agent by hand"),
            hint=self.tr("keepsake agent connect claude-code does it from a terminal."),
            parent=self,
        )
        self._empty.show_blank()
        self.incognito = IncognitoBar(self)
        self._set_sides(LIST_WIDTH, self._empty, self.page, self.form, self.connect_form, least=200)
        self._column.addWidget(self.incognito)
        self._column.addWidget(self._splitter, 1)
        self._connect()
        set_tab_chain(
            self.incognito.hour,
            self.incognito.switch,
            self.listing.connect_new,
            self.listing.new,
            self.listing.list,
            *self.page.tab_chain,
            *self.form.tab_chain,
            *self.connect_form.tab_chain,
        )

    # --- what the window calls ---

    def shown(self) -> None:
        """Load agents and calls: agents call without a change that would be announced."""
        self.listing.load()

    def refresh(self, changes: "ChangeSet") -> None:
        """Load the agents again when one was added, changed or wrote."""
        if self.isVisible() and (AREAS & changes.areas or self.listing.model.ids):
            self.work.after(RELOAD_MS, self.listing.load)

    def regions(self) -> list[QWidget]:
        """Return list and page."""
        front = self._right.currentWidget()
        if front is self.page:
            return [self.listing.list, self.page.trust]
        if front is self.connect_form:
            return [self.listing.list, self.connect_form.front]
        return [self.listing.list, self.form.name if front is self.form else self._empty.button]

    def commands(self) -> list[Action]:
        """Return the actions of this pane."""
        return pane_actions(self.name, {"agents.connect": self._on_connect, "agents.new": self._on_new})

    # --- loading ---

    async def _load_page(self, identity: str) -> None:
        agent = self.listing.agent(identity)
        if agent is None:
            return
        self.page.show_agent(agent)
        activity = await self.bridge.call(operations.agent.activity(agent=agent.name))
        page: LedgerPage = await self.bridge.call(operations.agent.ledger(agent=agent.name, limit=CALLS))
        hidden = await self.bridge.call(operations.agent.quarantined(name=agent.name))
        clients: list[ClientState] = await self.bridge.call(operations.connection.list())
        program = next((client for client in clients if client.is_connected and client.agent == agent.name), None)
        items = await load_items(self.bridge, page.calls)
        if identity == self._open:
            self.page.show_activity(activity, len(hidden))
            self.page.show_calls(page.calls, items)
            self.page.show_program(
                program.name if program is not None else "", program.title if program is not None else ""
            )

    def _open_item(self, identity: str) -> None:
        self._open = identity
        self.listing.list.choose(identity, quiet=True)
        self._right.setCurrentWidget(self.page)
        self.do(self._load_page(identity))

    # --- what the person does ---

    async def _add(self, call: "TypedCall[AgentToken]") -> None:
        token = await self.bridge.call(call)
        self._open = token.id
        self.form.show_token(token)
        self.listing.load()

    async def _rotate(self, name: str) -> None:
        token = await self.bridge.call(operations.agent.rotate(name=name))
        self.form.show_token(token)
        self._right.setCurrentWidget(self.form)

    async def _revoke(self, name: str) -> None:
        await self.bridge.reply(operations.agent.revoke(name=name))
        self.listing.load()
        self.show_notice(self.tr("{name} has no access any more; what it wrote stays").format(name=name))

    async def _run(self, words: str, name: str, call: "TypedCall[AgentRun]") -> None:
        reply = await self.bridge.reply(call)
        self.show_notice(words.format(name=name), history_of(reply))
        self.do(self._load_page(self._open))

    # --- connecting programs ---

    async def _begin_connecting(self, chosen: str = "") -> None:
        clients: list[ClientState] = await self.bridge.call(operations.connection.list())
        names = {agent.name for agent in self.listing.agents if agent.revoked_at is None}
        self._right.setCurrentWidget(self.connect_form)
        self.connect_form.begin(clients, names, chosen)

    async def _preview(self, call: "TypedCall[ConnectionPreview]") -> None:
        try:
            preview = await self.bridge.call(call)
        except KeepsakeError as error:
            self.connect_form.show_problem(error_text(error))
            return
        self.connect_form.show_preview(preview)

    async def _write(self, call: "TypedCall[ConnectionResult]", *, is_removal: bool = False) -> None:
        try:
            result = await self.bridge.call(call)
        except KeepsakeError as error:
            self.show_error(error)
            await self._preview_again(call, is_removal=is_removal)
            return
        self._open = result.agent_id
        self.connect_form.show_result(result, is_removal=is_removal)
        self.listing.load()

    async def _preview_again(self, call: "TypedCall[ConnectionResult]", *, is_removal: bool) -> None:
        """Show the change as it is by now, so that the next attempt can succeed."""
        client, hooks = str(call.arguments["client"]), bool(call.arguments.get("hooks", False))
        await self._preview(operations.connection.preview(client=client, hooks=hooks, removal=is_removal))

    # --- wiring ---

    def _connect(self) -> None:
        self.incognito.switched.connect(self._on_incognito_switched)
        self.listing.new.clicked.connect(self._on_new)
        self.listing.connect_new.clicked.connect(self._on_connect)
        self._empty.triggered.connect(self._on_connect)
        self._empty.second_triggered.connect(self._on_new)
        self.connect_form.preview_requested.connect(self._on_preview_requested)
        self.connect_form.write_requested.connect(self._on_write_requested)
        self.connect_form.remove_requested.connect(self._on_remove_requested)
        self.connect_form.closed.connect(self._on_connect_closed)
        self.page.disconnect_requested.connect(self._on_disconnect)
        self.form.requested.connect(self._on_form_requested)
        self.form.closed.connect(self._on_form_closed)
        self.page.changed.connect(self._on_changed)
        self.page.rotate_requested.connect(self._on_rotate)
        self.page.call_opened.connect(self._on_call_opened)
        self.page.revoke_requested.connect(self._on_revoke)
        self.page.undo_requested.connect(self._on_undo)
        self.page.hide_requested.connect(self._on_hide)
        self.page.release_requested.connect(self._on_release)

    def _open_title(self) -> str:
        agent = self.listing.agent(self._open)
        return agent.name if agent is not None else ""

    async def _switch_incognito(self, is_on: bool, hours: int) -> None:
        until = datetime.now(UTC) + timedelta(hours=hours) if hours else None
        state = await self.bridge.call(operations.agent.incognito.set(on=is_on, until=until))
        self.incognito.show_state(state)

    def _on_incognito_switched(self, is_on: bool, hours: int) -> None:
        self.do(self._switch_incognito(is_on, hours))

    def _show_open(self) -> None:
        ids = self.listing.model.ids
        self.incognito.show_state(self.listing.incognito)
        if self._right.currentWidget() is self.form:
            return
        if self._right.currentWidget() is self.connect_form:
            self.connect_form.note_agents(self.listing.agents)
            return
        if self._open in ids:
            self._open_item(self._open)
        elif ids:
            self._open_item(ids[0])
        else:
            self._open = ""
            self._empty.show_nothing()
            self._right.setCurrentWidget(self._empty)

    def _on_row_chosen(self, identity: str) -> None:
        if identity and self._right.currentWidget() is not self.page:
            self._open = ""  # a form is open instead
        super()._on_row_chosen(identity)

    def _on_new(self) -> None:
        self._right.setCurrentWidget(self.form)
        self.form.begin()

    def _on_connect(self) -> None:
        self.do(self._begin_connecting())

    def _on_disconnect(self, client: str) -> None:
        self.do(self._begin_connecting(client))

    def _on_preview_requested(self, call: "TypedCall[ConnectionPreview]") -> None:
        self.do(self._preview(call))

    def _on_write_requested(self, call: "TypedCall[ConnectionResult]") -> None:
        self.do(self._write(call))

    def _on_remove_requested(self, call: "TypedCall[ConnectionResult]") -> None:
        self.do(self._write(call, is_removal=True))

    def _on_connect_closed(self, agent: str) -> None:
        if agent:
            self._open = agent
        self._on_form_closed()

    def _on_form_requested(self, call: "TypedCall[AgentToken]") -> None:
        self.do(self._add(call))

    def _on_form_closed(self) -> None:
        self._right.setCurrentWidget(self.page)
        self._show_open()
        self.focus_first()

    def _on_changed(self, change: "Callable[..., TypedCall[Agent]]") -> None:
        if name := self._open_title():
            self.work.start(self.bridge.reply(change(name=name)), self.show_error, self.listing.load)

    def _on_call_opened(self, places: list[Place], where: QPoint) -> None:
        if not places:
            self.show_notice(self.tr("Nothing of this call can be shown: it named no item, or all are gone."))
        elif len(places) == 1:
            self.navigate.emit(places[0])
        else:
            entries: list[Entry] = [(place.title, partial(self.navigate.emit, place)) for place in places]
            open_menu(self, where, [entries])

    def _on_rotate(self) -> None:
        if name := self._open_title():
            self.do(self._rotate(name))

    def _on_revoke(self) -> None:
        if name := self._open_title():
            self.do(self._revoke(name))

    def _on_undo(self, since: str) -> None:
        if name := self._open_title():
            self.do(
                self._run(self.tr("Undid what {name} wrote today"), name, operations.agent.undo(name=name, since=since))
            )

    def _on_hide(self) -> None:
        if name := self._open_title():
            self.do(self._run(self.tr("Hid what {name} wrote"), name, operations.agent.quarantine(name=name)))

    def _on_release(self) -> None:
        if name := self._open_title():
            self.do(self._run(self.tr("What {name} wrote shows again"), name, operations.agent.release(name=name)))
