"""Inbox pane: what agents propose, and what Keepsake did by itself."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtWidgets import QWidget

from app.changes import Area
from ui import operations
from ui.actions import Action, Slot
from ui.notice import Notice
from ui.panes.inbox.night_page import NightPage, night_words
from ui.panes.inbox.proposal_list import NIGHT, ProposalList
from ui.panes.inbox.proposal_page import ProposalPage
from ui.panes.list_detail_pane import ListDetailPane
from ui.panes.pane import Place
from ui.panes.pane_commands import pane_actions
from ui.panes.reading_pane import history_of, set_tab_chain
from ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from app.inbox.model import ProposalDecision, RuleAction
    from app.schedule.model import ScheduleRun
    from ui.actions import Actions
    from ui.bridge import Bridge
    from ui.typed_call import TypedCall

LIST_WIDTH = 340
RELOAD_MS = 200
NIGHT_LENGTH = timedelta(hours=24)
RUNS = 60
AREAS: frozenset[Area] = frozenset({"inbox", "schedules"})
_WITHOUT_CONTENT = frozenset({"sch-housekeeping"})
"""Schedules whose runs change no content, so that there is nothing to tell of."""


class InboxPane(ListDetailPane):
    """Proposals at the left, the chosen one at the right."""

    name: ClassVar[str] = "inbox"
    title: ClassVar[str] = "Inbox"
    icon: ClassVar[str] = "inbox"
    listing: ProposalList

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self.listing = ProposalList(bridge, self)
        self.page = ProposalPage(self)
        self.night = NightPage(self)
        self._empty = EmptyState(
            "inbox",
            self.tr("Nothing waits for you"),
            self.tr(
                "What agents want to write appears here when you review them, and so does what contradicts something"
                " that you pinned or confirmed. Nothing is stored before you accept it."
            ),
            self.tr("Open Agents"),
            parent=self,
        )
        self._empty.show_blank()
        self._set_sides(LIST_WIDTH, self._empty, self.page, self.night)
        self._column.addWidget(self._splitter)
        self.work.on_areas(AREAS, self._load, RELOAD_MS, self)
        self._connect()
        set_tab_chain(self.listing.states, self.listing.list, *self.page.tab_chain, self.night.undo_all)

    # --- what the window calls ---

    def regions(self) -> list[QWidget]:
        """Return list and page."""
        front = self._right.currentWidget()
        shown = self.page.accept if front is self.page else self.night.undo_all
        return [self.listing.list] if front is self._empty else [self.listing.list, shown]

    def commands(self) -> list[Action]:
        """Return the actions of this pane."""

        def waits() -> bool:
            proposal = self.listing.proposal(self._open)
            return proposal is not None and proposal.state == "waiting"

        slots: dict[str, Slot] = {"inbox.accept": self.page.accept.click, "inbox.reject": self.page.reject.click}
        return pane_actions(self.name, slots, dict.fromkeys(slots, waits))

    # --- loading ---

    def _load(self) -> None:
        self.listing.load()
        self.do(self._load_night())

    async def _load_night(self) -> None:
        runs: list[ScheduleRun] = await self.bridge.call(operations.schedule.runs(limit=RUNS))
        since = datetime.now(UTC) - NIGHT_LENGTH
        known = await self.bridge.call(operations.upkeep.status())
        names = {schedule.id: job.title for job in known for schedule in job.schedules}
        recent = [
            run
            for run in runs
            if run.started_at >= since
            and run.status in ("succeeded", "failed")
            and run.schedule_id in names
            and run.schedule_id not in _WITHOUT_CONTENT
        ]
        self.night.show_runs(recent, names)
        words = self.tr("One job ran") if len(recent) == 1 else self.tr("{n} jobs ran").format(n=len(recent))
        self.listing.show_night(words if recent else "")
        if not recent and self._open == NIGHT:
            self._open = ""
        self._show_open()

    def _open_item(self, identity: str) -> None:
        self._open = identity
        self._show_open()

    def _show_open(self) -> None:
        """Show the open row, or the first one."""
        ids = self.listing.model.ids
        if self._open not in ids:
            self._open = ids[0] if ids else ""
        if self._open == NIGHT:
            self._right.setCurrentWidget(self.night)
        elif (proposal := self.listing.proposal(self._open)) is not None:
            self.page.show_proposal(proposal)
            self._right.setCurrentWidget(self.page)
        else:
            if self.listing.is_loaded:
                self._empty.show_nothing()
            self._right.setCurrentWidget(self._empty)
        if self._open:
            self.listing.list.choose(self._open, quiet=True)
        self.registry.refresh()

    # --- what the person does ---

    async def _decide(self, words: str, call: "TypedCall[list[ProposalDecision]]") -> None:
        """Accept or reject the open proposal, and go to the next one."""
        decided = int(call.arguments["id"])
        reply = await self.bridge.reply(call)
        decision: ProposalDecision = reply.value[0]
        if decision.state in ("accepted", "rejected"):
            self.page.form.forget(decided)
        if decision.state in ("stale", "failed"):
            self.show_notice(decision.message or self.tr("It could not be done; it still waits."))
        else:
            self._open = self.listing.list.neighbour([str(decided)])
            self.notice.emit(Notice(words, history_of(reply), act=decision.run_id))
        self.listing.load()

    async def _keep_draft(self, proposal: int, texts: dict[str, str]) -> None:
        await self.bridge.call(operations.inbox.draft(id=proposal, texts=texts))

    async def settle(self) -> None:
        """Keep what is being typed, before the window closes."""
        if (unkept := self.page.form.take_unkept()) is not None:
            await self._keep_draft(*unkept)

    async def _keep_both(self) -> None:
        """Store the proposed fact beside what is there, and refuse to replace that."""
        proposal = self.listing.proposal(self._open)
        if proposal is None:
            return
        reply = await self.bridge.reply(operations.fact.remember(content=str(proposal.arguments["content"])))
        await self._decide(
            self.tr("Kept both"), operations.inbox.reject(id=int(self._open), reason=self.tr("Both are kept."))
        )
        self.show_notice(self.tr("Stored the new fact beside the old one"), history_of(reply))

    async def _set_rule(self, action: "RuleAction") -> None:
        proposal = self.listing.proposal(self._open)
        if proposal is None:
            return
        await self.bridge.reply(operations.inbox.rule.set(action=action, agent=proposal.agent, kind=proposal.kind))
        words = {
            "accept": self.tr("From now on this is accepted without asking: {kind} of {agent}"),
            "reject": self.tr("From now on this is refused: {kind} of {agent}"),
        }[action]
        self.show_notice(words.format(kind=proposal.kind, agent=proposal.agent))

    async def _undo(self, run_ids: list[str]) -> None:
        undone: list[int] = []
        for run_id in run_ids:
            undone += history_of(await self.bridge.reply(operations.memory.undo(run_id=run_id)))
        self.show_notice(self.tr("Undone") if undone else self.tr("There is nothing left to undo."), tuple(undone))

    async def _undo_night(self) -> None:
        reply = await self.bridge.reply(operations.upkeep.undo_night())
        self.show_notice(night_words(reply.value), history_of(reply))
        self._load()

    # --- wiring ---

    def _connect(self) -> None:
        self._empty.triggered.connect(self._on_open_agents)
        self.page.form.typed.connect(self._on_form_typed)
        self.page.accepted.connect(self._on_accepted)
        self.page.rejected.connect(self._on_rejected)
        self.page.both_kept.connect(self._on_both_kept)
        self.page.rule_requested.connect(self._on_rule_requested)
        self.page.undo_requested.connect(self._on_undo_one)
        self.night.undo_requested.connect(self._on_undo_requested)
        self.night.undo_all.clicked.connect(self._on_undo_all_clicked)
        self.night.schedule_opened.connect(self._on_schedule_opened)

    def _on_form_typed(self, proposal: int, texts: dict[str, str]) -> None:
        self.do(self._keep_draft(proposal, texts))

    def _on_accepted(self, arguments: Any) -> None:
        options = {"arguments": arguments} if arguments is not None else {}
        self.do(self._decide(self.tr("Accepted"), operations.inbox.accept(id=int(self._open), **options)))

    def _on_rejected(self, reason: str) -> None:
        self.do(self._decide(self.tr("Rejected"), operations.inbox.reject(id=int(self._open), reason=reason)))

    def _on_both_kept(self) -> None:
        self.do(self._keep_both())

    def _on_rule_requested(self, action: "RuleAction") -> None:
        self.do(self._set_rule(action))

    def _on_undo_one(self, run_id: str) -> None:
        self.do(self._undo([run_id]))

    def _on_undo_requested(self, run_ids: list[str]) -> None:
        self.do(self._undo(run_ids))

    def _on_undo_all_clicked(self) -> None:
        self.do(self._undo_night())

    def _on_schedule_opened(self, identity: str) -> None:
        self.navigate.emit(Place("schedule", identity))

    def _on_open_agents(self) -> None:
        self.navigate.emit(Place("agents"))
