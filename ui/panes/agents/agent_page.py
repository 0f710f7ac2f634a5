"""The page of one agent: what it may do, and what it did."""

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QLayout, QScrollArea, QWidget

from app.core.stores import STORES
from ui import operations, theme
from ui.models.card_list_model import CardListModel
from ui.models.cards import Card
from ui.models.dates import format_number, full_date, short_date
from ui.panes.agents.agent_labels import LEVELS, activity_words, call_words, outcome_badge, seen_words, trust_words
from ui.panes.agents.call_items import places_of, titles_of
from ui.panes.labels import store_label
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, vbox
from ui.widgets.button import text_button
from ui.widgets.elided_combo_box import ElidedComboBox
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.lists.list_view import CardList
from ui.widgets.plain_text import PlainLabel
from ui.widgets.reading_column import ReadingColumn
from ui.widgets.wrapped_button import WrappedCheckBox

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.agents.ledger.model import AgentActivity, LedgerCall
    from app.agents.model import Agent
    from app.core.stores import StoreName
    from ui.panes.pane import Place

WIDTH = 760
LIST_HEIGHT = 300
RATES = (0, 1, 5, 20, 100)
"""Calls a second to choose from; 0 is what the settings say."""
_REACH = {"full": STORES, "inner": STORES[1:], "familiar": STORES[2:], "public": ()}


class AgentPage(QScrollArea):
    """An agent with its limits, its calls, and what takes both back."""

    changed = Signal(object)
    """Arguments of ``agent.trust`` that change."""
    undo_requested = Signal(str)
    """Take back what it wrote since ``today`` or another time."""
    hide_requested = Signal()
    release_requested = Signal()
    revoke_requested = Signal()
    disconnect_requested = Signal(str)
    """The program to take Keepsake out of."""
    rotate_requested = Signal()
    call_opened = Signal(object, object)
    """The place of a call's subject, and the global position of its row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_filling = False
        self._items: Mapping[str, Place] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget(self)
        self._title = self._label("title", page)
        self._about = self._label("body muted", page)
        self.trust = ElidedComboBox(page)
        self.trust.setAccessibleName(self.tr("Trust"))
        for level in LEVELS:
            self.trust.addItem(trust_words(level), level)
        self.stores: dict[StoreName, QCheckBox] = {store: QCheckBox(store_label(store), page) for store in STORES}
        self.review = WrappedCheckBox(self.tr("What it writes waits in the inbox until you accept it"), page)
        self.rate = ElidedComboBox(page)
        self.rate.setAccessibleName(self.tr("How often it may call"))
        for rate in RATES:
            self.rate.addItem(self._rate_words(rate), rate)
        self.pause = text_button("", parent=page)
        self.rotate = text_button(self.tr("New token"), icon_name="refresh-cw", parent=page)
        self.revoke = text_button(self.tr("End its access"), "danger", icon_name="unlink", parent=page)
        self.unplug = text_button("", icon_name="plug", parent=page)
        self._client = ""
        self._sentence = self._label("body", page)
        self._echo = self._label("small muted", page)
        self.forget_today = text_button(self.tr("Undo all it wrote today"), icon_name="undo-2", parent=page)
        self.hide_all = text_button(self.tr("Hide all it wrote"), icon_name="eye-off", parent=page)
        self.release = text_button(self.tr("Show what is hidden again"), icon_name="eye", parent=page)
        self.model = CardListModel(self._card, self)
        self.calls = CardList(self.tr("Calls"), page)
        self.calls.set_source(self.model)
        self._nothing = self._label("body muted", page)
        self._nothing.setText(self.tr("It has not called yet."))
        self._arrange(page)
        self._connect()
        theme.current().changed.connect(self._fit)
        self._fit()

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return (
            self.trust,
            *self.stores.values(),
            self.review,
            self.rate,
            self.pause,
            self.rotate,
            self.revoke,
            self.unplug,
            self.calls,
            self.forget_today,
            self.hide_all,
            self.release,
        )

    def show_agent(self, agent: "Agent") -> None:
        """Show an agent."""
        self._is_filling = True
        self._title.setText(agent.name)
        now = datetime.now(UTC)
        parts = [agent.client, seen_words(agent, now)]
        if agent.revoked_at is not None:
            parts.append(self.tr("its access ended on {when}").format(when=full_date(agent.revoked_at)))
        if agent.isolated:
            parts.append(self.tr("in a vault of its own"))
        self._about.setText("  ·  ".join(part for part in parts if part))
        has_access = agent.revoked_at is None
        self.trust.setCurrentIndex(LEVELS.index(agent.trust))
        reach = _REACH[agent.trust]
        for store, box in self.stores.items():
            box.setEnabled(has_access and store in reach)
            box.setChecked(store in reach and (not agent.stores or store in agent.stores))
        self.review.setChecked(agent.review)
        self.pause.setText(self.tr("Let it go on") if agent.paused else self.tr("Pause"))
        self._show_rate(agent.rate)
        self.rate.setEnabled(has_access)
        self.trust.setEnabled(has_access)
        self.review.setEnabled(has_access)
        self.pause.setVisible(has_access)
        self.revoke.setVisible(has_access)
        self._is_filling = False

    def show_activity(self, activity: "AgentActivity", hidden: int) -> None:
        """Show what it did in words, and how much of it is hidden."""
        self._sentence.setText(activity_words(activity))
        words = self.tr("{rate} % of what it wrote was text that Keepsake had told it; that is not stored again.")
        self._echo.setText(words.format(rate=round(100 * activity.echo_rate)) if activity.echoes else "")
        self._echo.setVisible(bool(activity.echoes))
        self.release.setVisible(bool(hidden))

    def show_program(self, client: str, title: str) -> None:
        """Offer to disconnect the program that an agent is, no program where empty."""
        self._client = client
        self.unplug.setText(self.tr("Disconnect {title}…").format(title=title))
        self.unplug.setVisible(bool(client))

    def show_calls(self, calls: "Sequence[LedgerCall]", items: "Mapping[str, Place]") -> None:
        """Show its latest calls, and what they were about by the ids of ``items``."""
        self._items = items
        self.model.set_rows({str(call.id): call for call in calls})
        self.calls.setVisible(bool(calls))
        self._nothing.setVisible(not calls and not self._sentence.text())

    def _card(self, call: "LedgerCall") -> Card:
        parts = titles_of(call, self._items)
        if read := len(call.read) + call.more_read:
            parts.append(self.tr("{n} read").format(n=format_number(read)))
        if written := len(call.written) + call.more_written:
            parts.append(self.tr("{n} written").format(n=format_number(written)))
        badge = outcome_badge(call)
        return Card(
            call_words(call),
            "  ·  ".join(parts),
            short_date(call.at, datetime.now(UTC)),
            (badge,) if badge is not None else (),
            icon="pencil" if call.access == "write" else "eye",
        )

    def _arrange(self, page: QWidget) -> None:
        stores = FlowLayout(spacing=Space.L)
        for box in self.stores.values():
            stores.addWidget(box)
        access = FlowLayout(spacing=Space.S)
        for button in (self.pause, self.rotate, self.revoke, self.unplug):
            access.addWidget(button)
        back = FlowLayout(spacing=Space.S)
        for button in (self.forget_today, self.hide_all, self.release):
            back.addWidget(button)
        limits = self._card_frame(self.tr("What it may do"), (self.trust, stores, self.review, self.rate, access), page)
        parts = (self._sentence, self._echo, self._nothing, self.calls, back)
        did = self._card_frame(self.tr("What it did"), parts, page)
        column = vbox(self._title, self._about, limits, did, Stretch(), margins=Space.XL, spacing=Space.M)
        ReadingColumn(column, page, WIDTH)
        self.setWidget(page)

    def _connect(self) -> None:
        self.trust.currentIndexChanged.connect(self._on_trust_changed)
        for box in self.stores.values():
            box.toggled.connect(self._on_stores_changed)
        self.review.toggled.connect(self._on_review_changed)
        self.rate.currentIndexChanged.connect(self._on_rate_changed)
        self.pause.clicked.connect(self._on_pause_clicked)
        self.calls.opened.connect(self._on_call_opened)
        self.calls.menu_requested.connect(self._on_menu_requested)
        self.rotate.clicked.connect(self.rotate_requested)
        self.revoke.clicked.connect(self.revoke_requested)
        self.unplug.clicked.connect(self._on_unplug_clicked)
        self.forget_today.clicked.connect(self._on_forget_clicked)
        self.hide_all.clicked.connect(self.hide_requested)
        self.release.clicked.connect(self.release_requested)

    def _card_frame(self, heading: str, parts: "Sequence[QWidget | QLayout]", parent: QWidget) -> QFrame:
        card = QFrame(parent)
        card.setObjectName("card")
        head = PlainLabel(heading, card, style="small muted")
        column = vbox(head, parent=card, margins=(Space.L, Space.M, Space.L, Space.L), spacing=Space.M)
        for part in parts:
            if isinstance(part, QLayout):
                column.addLayout(part)
            else:
                column.addWidget(part)
        return card

    def _label(self, kind: str, parent: QWidget) -> PlainLabel:
        label = PlainLabel("", parent, wraps=True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme.set_type(label, kind)
        return label

    def _fit(self) -> None:
        self.calls.setFixedHeight(theme.current().scaled(LIST_HEIGHT))

    def _on_trust_changed(self) -> None:
        if not self._is_filling:
            self.changed.emit(partial(operations.agent.trust, trust=self.trust.currentData(), stores=[]))

    def _on_stores_changed(self) -> None:
        if self._is_filling:
            return
        reach = [store for store, box in self.stores.items() if box.isEnabled()]
        chosen = [store for store in reach if self.stores[store].isChecked()]
        # No store at all would mean all of them; an agent that may see none has the trust for that.
        trust = operations.agent.trust
        self.changed.emit(partial(trust, stores=chosen) if chosen else partial(trust, trust="public", stores=[]))

    def _on_review_changed(self, on: bool) -> None:
        if not self._is_filling:
            self.changed.emit(partial(operations.agent.trust, review=on))

    def _on_unplug_clicked(self) -> None:
        self.disconnect_requested.emit(self._client)

    def _rate_words(self, rate: float) -> str:
        if not rate:
            return self.tr("May call as often as the settings allow")
        if rate == 1:
            return self.tr("May call once a second")
        return self.tr("May call {n} times a second").format(n=f"{rate:g}")

    def _show_rate(self, rate: float | None) -> None:
        shown = rate or 0
        at = self.rate.findData(shown)
        if at < 0:  # one that was set by a command
            self.rate.addItem(self._rate_words(shown), shown)
            at = self.rate.count() - 1
        self.rate.setCurrentIndex(at)

    def _on_rate_changed(self) -> None:
        if not self._is_filling:
            self.changed.emit(partial(operations.agent.trust, rate=self.rate.currentData()))

    def _on_call_opened(self, identity: str) -> None:
        if (call := self.model.value(identity)) is not None:
            corner = self.calls.visualRect(self.calls.currentIndex()).bottomLeft()
            self.call_opened.emit(places_of(call, self._items), self.calls.viewport().mapToGlobal(corner))

    def _on_menu_requested(self, ids: list[str], where: QPoint) -> None:
        if ids and (call := self.model.value(ids[0])) is not None:
            self.call_opened.emit(places_of(call, self._items), where)

    def _on_pause_clicked(self) -> None:
        self.changed.emit(partial(operations.agent.trust, paused=self.pause.text() == self.tr("Pause")))

    def _on_forget_clicked(self) -> None:
        self.undo_requested.emit("today")
