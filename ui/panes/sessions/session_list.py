"""The list of conversations: filter, agent, order, and a row for each."""

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.core.text import without_markup
from app.sessions.model import Session, SessionFilter, SessionOrder
from ui import operations
from ui.models.cards import Badge, Card
from ui.models.dates import counted, day_heading, format_number, short_span
from ui.panes.filtered_list import FilteredList, ListLabels
from ui.panes.pane_commands import NEW_SESSION_KEY
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import icon_button
from ui.widgets.elided_combo_box import ElidedComboBox
from ui.widgets.filter_chip import FilterChip

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.core.facets import Facet
    from ui.bridge import Bridge
    from ui.typed_call import TypedCall


class SessionList(FilteredList):
    """The conversations that fit a filter by words, agent and pending consolidation."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        self.new = icon_button("plus", self.tr("New conversation with yourself"), shortcut=NEW_SESSION_KEY, parent=self)
        self._agents = ElidedComboBox(self)
        self._agents.setAccessibleName(self.tr("Agent"))
        self._agents.addItem(self.tr("All agents"), "")
        self._agents.activated.connect(self.load)
        self._agents.hide()
        self._sorting.menu.addSeparator()
        self._grouped = self._sorting.menu.addAction(self.tr("Headings for days and agents"))
        self._grouped.setCheckable(True)
        self._grouped.setChecked(True)
        self._only_pending = self._sorting.menu.addAction(self.tr("Only those whose facts are not drawn yet"))
        self._only_pending.setCheckable(True)
        for choice in (self._grouped, self._only_pending):
            choice.toggled.connect(self.load)
        self._only_pending.toggled.connect(self._on_only_pending_toggled)
        self.filter_chip = FilterChip(self)
        self.filter_chip.cleared.connect(self._on_filter_chip_cleared)
        self._fact_counts: dict[str, int] = {}
        self._arrange()

    @property
    def current_filter(self) -> SessionFilter:
        """The filter in force."""
        return SessionFilter(
            text=self.filter.text().strip(),
            agent=self._agents.currentData() or "",
            pending=True if self._only_pending.isChecked() else None,
        )

    @property
    def filtered(self) -> bool:
        """True when the filter may leave something out."""
        return self.current_filter != SessionFilter()

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return self.filter, self._sorting.button, self.new, self._agents, self.filter_chip.cross, self.list

    @property
    def state(self) -> dict[str, Any]:
        """The state to keep between starts."""
        return {**super().state, "grouped": self._grouped.isChecked()}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned."""
        super().restore(state)
        self._grouped.setChecked(state.get("grouped") is not False)

    def _on_only_pending_toggled(self, is_on: bool) -> None:
        self.filter_chip.show_filters([self.tr("facts not drawn yet")] if is_on else [])

    def _on_filter_chip_cleared(self) -> None:
        self._only_pending.setChecked(False)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _arrange(self) -> None:
        first = hbox((self.filter, 1), self._sorting.button, self.new, spacing=Space.XS)
        head = vbox(
            first, self._agents, self.filter_chip, margins=(Space.M, Space.M, Space.S, Space.S), spacing=Space.S
        )
        self._lay_out(head)

    def _labels(self) -> ListLabels:
        orders = (
            ("recent", self.tr("Newest first")),
            ("oldest", self.tr("Oldest first")),
            ("title", self.tr("By title")),
            ("messages", self.tr("Longest first")),
            ("agent", self.tr("By agent")),
        )
        filtering = (self.tr("Filter conversations"), self.tr("Filter by title or agent"))
        return ListLabels(self.tr("Conversations"), *filtering, self.tr("Order and filters"), orders)

    def _rows_call(self, ids: list[str]) -> "TypedCall[list[Session]]":
        return operations.session.rows(ids=ids)

    async def _load(self) -> None:
        chosen, is_grouped, call = self.current_filter, self._grouped.isChecked(), self._bridge.call
        order: SessionOrder = self._sorting.current
        ids = await call(operations.session.ids(filter=chosen, order=order))
        groups = await call(operations.session.groups(filter=chosen, order=order)) if is_grouped else []
        agents = await call(operations.session.agents())
        self._show_agents(agents)
        self._show_ids(ids, self.tr("No conversation fits this filter."))
        self.list.set_groups([(self._heading(group.name, order), group.count) for group in groups])

    def _heading(self, name: str, order: str) -> str:
        if order == "agent":
            return name or self.tr("Without an agent")
        return day_heading(date.fromisoformat(name), datetime.now().astimezone().date())

    async def _rows(self, ids: list[str]) -> "Sequence[Session]":
        rows: Sequence[Session] = await super()._rows(ids)
        counts = await self._bridge.call(operations.session.memory_counts(sessions=ids))
        self._fact_counts |= {identity: counts.get(identity, 0) for identity in ids}
        return rows

    def _show_agents(self, agents: "Iterable[Facet]") -> None:
        named = [agent for agent in agents if agent.name]
        current = self._agents.currentData()
        known = [self._agents.itemData(row) for row in range(1, self._agents.count())]
        if known != [agent.name for agent in named]:
            self._agents.clear()
            self._agents.addItem(self.tr("All agents"), "")
            for agent in named:
                self._agents.addItem(agent.name, agent.name)
            self._agents.setCurrentIndex(max(0, self._agents.findData(current)))
        for row, agent in enumerate(named, 1):
            self._agents.setItemText(row, f"{agent.name}  ({format_number(agent.count)})")
        self._agents.setVisible(len(named) > 1)

    def facts_of(self, session: str) -> int:
        """Return how many facts were drawn from a session, 0 while that is not known."""
        return self._fact_counts.get(session, 0)

    def _card(self, session: Session) -> Card:
        badges = [Badge(format_number(session.message_count), icon="message-square")]
        if session.agent:
            badges.insert(0, Badge(session.agent, "accent"))
        title = session.label or self.tr("Untitled conversation")
        words = without_markup(session.preview)
        if not session.title:
            # The second line goes on where the first words end.
            begun = session.label.removesuffix("…")
            words = words.removeprefix(begun).strip()
        facts, pending = self._fact_counts.get(session.id, 0), session.consolidated_at is None
        if facts:
            badges.insert(0, Badge(format_number(facts), "good", "lightbulb"))
        elif pending:
            badges.insert(0, Badge("", icon="clock"))
        when = short_span(session.created_at, session.updated_at, datetime.now(UTC))
        spoken = self.tr("{title}, {agent}, {messages}, {when}").format(
            title=title,
            agent=session.agent or self.tr("no agent"),
            messages=counted(session.message_count, self.tr("1 message"), self.tr("{n} messages")),
            when=when,
        )
        drawn = self.tr("1 fact drawn from it") if facts == 1 else self.tr("{n} facts drawn from it")
        parts = [drawn.format(n=format_number(facts))] if facts else []
        if pending:
            parts.append(self.tr("what came since is not read yet") if facts else self.tr("facts are not drawn yet"))
        hint = ", ".join(parts)
        return Card(title, words, when, tuple(badges), hint=hint, spoken=", ".join(filter(None, (spoken, hint))))
