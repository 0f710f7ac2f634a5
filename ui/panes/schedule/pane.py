"""Schedule pane: recurring work and goals, as a list or a week."""

from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from app.changes import Area
from app.errors import NotFoundError
from app.schedule.model import SchedulePatch
from ui import operations, theme
from ui.actions import Action, Slot
from ui.engine_texts import engine_text
from ui.notice import Notice
from ui.panes.erasure_prompt import ask_to_erase, erase_for_ever
from ui.panes.list_detail_pane import ListDetailPane
from ui.panes.pane import Place
from ui.panes.pane_commands import pane_actions
from ui.panes.reading_pane import history_of, set_tab_chain
from ui.panes.schedule.cadence_words import cadence_words
from ui.panes.schedule.run_history import SHOWN_CHANGES
from ui.panes.schedule.run_labels import coming, state_badge, week_words
from ui.panes.schedule.schedule_editor import ScheduleEditor
from ui.panes.schedule.schedule_list import ScheduleList
from ui.panes.schedule.schedule_page import SchedulePage
from ui.panes.schedule.week_view import WeekView
from ui.style.design_tokens import Space
from ui.style.icons import icon
from ui.translation import spoken
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import icon_button, text_button
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from app.history.acts.model import Act, UndoneAct
    from app.schedule.model import Schedule, ScheduleClaim, ScheduleRun
    from ui.actions import Actions
    from ui.bridge import Bridge

LIST_WIDTH = 320
RUNS = 40
RELOAD_MS = 300
AREAS: frozenset[Area] = frozenset({"schedules", "memories", "entities", "sessions"})
NO_END = timedelta(days=3650)
"""A longer pause is one without an end."""
WEEK = timedelta(days=7)
FORECAST_JOB = "decay"


class SchedulePane(ListDetailPane):
    """A list of schedules beside the chosen one, or a week of runs."""

    name: ClassVar[str] = "schedule"
    title: ClassVar[str] = "Schedule"
    icon: ClassVar[str] = "calendar-clock"
    listing: ScheduleList

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self._jobs: dict[str, str] = {}
        self._awaited: dict[str, str] = {}
        """Names of schedules by the runs that the person began and that have not ended."""
        self._status: Any = None
        self._week = _monday(datetime.now().astimezone().date())
        self.listing = ScheduleList(bridge, self)
        self.page = SchedulePage(self)
        self.editor = ScheduleEditor(bridge, self)
        self.week = WeekView(self)
        self._empty = EmptyState(
            "calendar-clock",
            self.tr("Nothing chosen"),
            self.tr("Choose a schedule to see when it runs and what it did, or set a goal of your own."),
            self.tr("New schedule"),
            parent=self,
        )
        self._set_sides(LIST_WIDTH, self._empty, self.page, self.editor)
        self.work.on_areas(AREAS, self._load, RELOAD_MS, self)
        self._arrange()
        self._connect()
        set_tab_chain(
            self.as_list,
            self.as_week,
            self.pause,
            *self.listing.tab_chain,
            *self.page.tab_chain,
            *self.editor.tab_chain,
        )

    # --- what the window calls ---

    def open_place(self, place: Place) -> None:
        """Show the schedule of a place."""
        if place.id:
            self._show_list()
        super().open_place(place)

    def current_place(self) -> Place:
        """Return the open schedule, or the pane alone while a new one is written."""
        return Place(self.name) if self._is_writing_new else super().current_place()

    def focus_first(self) -> None:
        """Put the keyboard on the list."""
        if self._views.currentWidget() is self._week_page:
            self.week.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            super().focus_first()

    def regions(self) -> list[QWidget]:
        """Return list and page, or the week."""
        if self._views.currentWidget() is self._week_page:
            return [self.week]
        return [self.listing.list, self.editor.goal if self._right.currentWidget() is self.editor else self.page.run]

    def commands(self) -> list[Action]:
        """Return the actions of this pane."""
        slots: dict[str, Slot] = {
            "schedule.new": self._on_new,
            "schedule.run": self._on_run,
            "schedule.week": self._show_week,
        }
        enabled = {"schedule.run": lambda: bool(self._open) and not self._is_writing}
        checked = {"schedule.week": lambda: self._views.currentWidget() is self._week_page}
        return pane_actions(self.name, slots, enabled, checked)

    # --- loading ---

    def _load(self) -> None:
        self.listing.load()
        self.do(self._load_status())
        if self._open:
            self.do(self._load_page(self._open))
        self.do(self._load_week())

    async def _load_status(self) -> None:
        jobs = await self.bridge.call(operations.upkeep.status())
        status = await self.bridge.call(operations.schedule.status())
        self._jobs = {schedule.id: job.name for job in jobs for schedule in job.schedules}
        self._status = status
        now = datetime.now(UTC)
        if status.paused_until is not None and status.paused_until > now:
            words = self.tr("Everything is paused until {time}").format(time=coming(status.paused_until, now))
            if status.paused_until - now > NO_END:
                words = self.tr("Everything is paused until you resume it")
            self.pause.setText(self.tr("Resume"))
        else:
            running = [self.listing.schedule(claim.schedule_id) for claim in status.running]
            names = ", ".join(engine_text(schedule.name) for schedule in running if schedule is not None)
            next_time = coming(status.next_run_at, now) if status.next_run_at is not None else ""
            words = self.tr("Running: {names}").format(names=names) if names else ""
            if not words and next_time:
                words = self.tr("Next run: {time}").format(time=next_time)
            self.pause.setText(self.tr("Pause all"))
        self._state.setText(words)

    async def _load_page(self, identity: str) -> None:
        try:
            await self._fetch_page(identity)
        except NotFoundError:
            # deleted meanwhile: the list loses its row, and the page goes with it
            self.listing.load()

    async def _fetch_page(self, identity: str) -> None:
        if not self._jobs:
            await self._load_status()
        schedule: Schedule = await self.bridge.call(operations.schedule.get(id=identity))
        if identity != self._open:
            return
        waits = ""
        if self._status is not None and identity in self._status.waiting_goals:
            waits = schedule.waits or self.tr("It waits until a language model is set up, or an agent takes it on.")
        job = self._jobs.get(identity, "")
        self.page.show_schedule(schedule, has_plan=bool(job), waits=waits)
        words = await self.bridge.call(operations.schedule.words(cadence=schedule.cadence, language=spoken()))
        preview = None
        if schedule.status == "active" and schedule.cadence.kind != "once":
            preview = await self.bridge.call(operations.schedule.preview(cadence=schedule.cadence))
        runs: list[ScheduleRun] = await self.bridge.call(operations.schedule.runs(id=identity, limit=RUNS))
        acts: list[Act] = await self.bridge.call(operations.history.find(ids=[run.run_id for run in runs]))
        forecast = await self.bridge.call(operations.memory.forecast()) if job == FORECAST_JOB else None
        if identity != self._open:
            return
        self.page.show_times(cadence_words(schedule.cadence, words), preview, schedule)
        ended = [run for run in runs if run.run_id in self._awaited]
        self.page.show_runs(runs, acts, chosen=ended[0].run_id if ended else "")
        for run in ended:
            words = self.tr("‘{name}’ ran: {result}")
            result = run.output_summary or state_badge(run.status).text
            sentence = words.format(name=self._awaited.pop(run.run_id), result=" ".join(result.split()))
            self._announce(sentence)
        if forecast is not None:
            self.page.show_forecast(forecast)

    async def _load_week(self) -> None:
        first = datetime.combine(self._week, time()).astimezone()
        entries = await self.bridge.call(operations.schedule.calendar(after=first, before=first + WEEK))
        today = datetime.now().astimezone().date()
        self.week.show_week(self._week, entries, today, self.listing.titles())
        last = self._week + timedelta(days=6)
        self._week_title.setText(week_words(self._week, last))

    # --- what the person does ---

    @property
    def _is_writing(self) -> bool:
        return self._right.currentWidget() is self.editor

    @property
    def _is_writing_new(self) -> bool:
        return self._is_writing and not self.editor.identity

    def _keep_draft(self) -> None:
        """Keep what is in the form, and say how it comes back."""
        if self._is_writing and self.editor.keep():
            self.show_notice(
                self.tr("Your changes are kept. ‘Change…’ opens them again.")
                if self.editor.identity
                else self.tr("Your draft is kept. New schedule opens it again.")
            )

    def _edit(self, schedule: "Schedule | None") -> None:
        """Open the form for a schedule, or for a new one."""
        identity = schedule.id if schedule is not None else ""
        if not self._is_writing or self.editor.identity != identity:
            self._keep_draft()
            self.editor.begin(schedule)
            self._right.setCurrentWidget(self.editor)
        if schedule is None:
            # The row stays current: without one, the list would choose its first as soon as Tab comes to it.
            self.listing.list.clearSelection()
        self.editor.focus_first()

    def _leave_editor(self) -> None:
        """Show again what was open before the form."""
        self._right.setCurrentWidget(self.page if self._open else self._empty)
        if self._open:
            self.listing.list.choose(self._open, quiet=True)
        self.focus_first()

    def _open_title(self) -> str:
        schedule = self.listing.schedule(self._open)
        return engine_text(schedule.name) if schedule is not None else ""

    def _open_item(self, identity: str) -> None:
        self._keep_draft()
        self._open = identity
        self.listing.list.choose(identity, quiet=True)
        self._right.setCurrentWidget(self.page)
        self.do(self._load_page(identity))

    def _show_list(self) -> None:
        self._views.setCurrentWidget(self._splitter)
        self._refresh_toggles()

    def _show_week(self) -> None:
        self._views.setCurrentWidget(self._week_page)
        self._refresh_toggles()
        self.do(self._load_week())

    def _refresh_toggles(self) -> None:
        is_week = self._views.currentWidget() is self._week_page
        self.as_week.setChecked(is_week)
        self.as_list.setChecked(not is_week)
        self.registry.refresh()

    async def _create(self, values: dict[str, Any]) -> None:
        reply = await self.bridge.reply(operations.schedule.create(**values))
        self.editor.forget()
        self._open = reply.value.id
        self.listing.load()
        self._open_item(reply.value.id)
        self.show_notice(self.tr("Created ‘{name}’").format(name=engine_text(reply.value.name)), history_of(reply))

    async def _update(self, identity: str, patch: SchedulePatch, words: str) -> None:
        reply = await self.bridge.reply(operations.schedule.update(id=identity, patch=patch))
        if self.editor.identity == identity:
            self.editor.forget()
        self.listing.load()
        self._open_item(identity)
        self.show_notice(words.format(name=engine_text(reply.value.name)), history_of(reply))

    async def _delete(self, schedule: "Schedule") -> None:
        reply = await self.bridge.reply(operations.schedule.delete(id=schedule.id))
        self._open = ""
        self._right.setCurrentWidget(self._empty)
        self.listing.load()
        self.show_notice(self.tr("Deleted ‘{name}’").format(name=engine_text(schedule.name)), history_of(reply))

    async def _erase(self, schedule: "Schedule") -> None:
        notice = await erase_for_ever(self.bridge, self.tr("Erased the schedule for ever"), [schedule.id])
        self.editor.drop_draft(schedule.id)
        if self._open == schedule.id:
            self._open = ""
            self._right.setCurrentWidget(self._empty)
        self.listing.load()
        self.notice.emit(notice)

    async def _run(self, identity: str, name: str) -> None:
        claim: ScheduleClaim = await self.bridge.call(operations.schedule.run_now(id=identity))
        self._awaited[claim.run_id] = name
        self._announce(self.tr("‘{name}’ runs").format(name=name))
        self.work.after(RELOAD_MS, self._load)

    async def _take(self, identity: str, name: str) -> None:
        await self.bridge.call(operations.schedule.run_here(id=identity))
        self._announce(self.tr("‘{name}’ runs on this machine from now on").format(name=name))
        await self._load_page(identity)

    def _announce(self, words: str) -> None:
        """Tell screen readers what the page shows, which a notice would cover."""
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    async def _show_changes(self, run: str) -> None:
        report = await self.bridge.call(operations.upkeep.changes(run_id=run, limit=SHOWN_CHANGES))
        self.page.history.show_changes(report)

    async def _undo(self, act: "Act") -> None:
        """Undo a run, or bring back what it did."""
        is_to_redo = act.is_to_redo
        undone: UndoneAct = await self.bridge.call(operations.history.undo(id=act.undone_by if is_to_redo else act.id))
        words = self.tr("Brought back what the run did") if is_to_redo else self.tr("Undid the run")
        self.notice.emit(Notice(words, undone.history_ids))
        self.do(self._load_page(self._open))

    async def _plan(self, job: str) -> None:
        plan = await self.bridge.call(operations.upkeep.plan(job=job))
        self.page.show_plan(plan)

    async def _pause(self, until: datetime | None) -> None:
        await self.bridge.reply(operations.schedule.pause_all(until=until))
        self.do(self._load_status())

    # --- building ---

    def _arrange(self) -> None:
        self.as_list = icon_button("list", self.tr("List"), checkable=True, parent=self)
        self.as_week = icon_button("calendar-clock", self.tr("Week"), checkable=True, parent=self)
        self.pause = text_button(self.tr("Pause all"), icon_name="pause", parent=self)
        self._state = ElidedLabel("", self)
        theme.set_type(self._state, "small muted")
        bar = hbox(margins=(Space.M, Space.S, Space.M, Space.S), spacing=Space.S)
        for widget in (self.as_list, self.as_week):
            bar.addWidget(widget)
        bar.addWidget(self._state, 1)
        bar.addWidget(self.pause)
        self._week_page = self._make_week_page()
        self._views = QStackedWidget(self)
        self._views.addWidget(self._splitter)
        self._views.addWidget(self._week_page)
        self._column.setSpacing(0)
        self._column.addLayout(bar)
        self._column.addWidget(self._views, 1)
        self.as_list.setChecked(True)

    def _make_week_page(self) -> QWidget:
        page = QWidget(self)
        before = icon_button("chevron-left", self.tr("The week before"), parent=page)
        after = icon_button("chevron-right", self.tr("The week after"), parent=page)
        now = text_button(self.tr("This week"), "quiet", parent=page)
        self._week_title = ElidedLabel("", page)
        theme.set_type(self._week_title, "strong")
        before.clicked.connect(self._on_week_before)
        after.clicked.connect(self._on_week_after)
        now.clicked.connect(self._on_this_week)
        bar = hbox(margins=(Space.M, 0, Space.M, Space.S), spacing=Space.XS)
        for widget in (before, after, now):
            bar.addWidget(widget)
        bar.addSpacing(Space.S)
        bar.addWidget(self._week_title, 1)
        vbox(bar, (self.week, 1), parent=page, margins=0, spacing=0)
        return page

    def _connect(self) -> None:
        self.listing.list.opened.connect(self._on_row_chosen)
        self.listing.list.clicked.connect(self._on_row_clicked)
        self.listing.list.delete_requested.connect(self._on_delete_requested)
        self.listing.new.clicked.connect(self._on_new)
        self._empty.triggered.connect(self._on_new)
        self.page.run_requested.connect(self._on_run)
        self.page.switched.connect(self._on_switched)
        self.page.edit_requested.connect(self._on_edit)
        self.page.delete_requested.connect(self._on_delete)
        self.page.erase_requested.connect(self._on_erase)
        self.page.plan_requested.connect(self._on_plan)
        self.page.take_requested.connect(self._on_take)
        self.page.history.undo_requested.connect(self._on_undo_requested)
        self.page.history.changes_wanted.connect(self._on_changes_wanted)
        self.editor.saved.connect(self._on_saved)
        self.editor.cancelled.connect(self._on_cancelled)
        self.editor.left.connect(self._on_editor_left)
        self.week.opened.connect(self._on_week_opened)
        self.as_list.clicked.connect(self._show_list)
        self.as_week.clicked.connect(self._show_week)
        self.pause.clicked.connect(self._on_pause_clicked)

    # --- slots ---

    def _show_open(self) -> None:
        if self._open and self.listing.schedule(self._open) is None:
            self._open = ""
            if not self._is_writing_new:
                self._right.setCurrentWidget(self._empty)
        elif not self._open and self.listing.model.ids and not self._is_writing:
            self._open_item(self.listing.model.ids[0])
        elif self._open and not self._is_writing_new:
            self.listing.list.choose(self._open, quiet=True)

    def _on_row_chosen(self, identity: str) -> None:
        if identity and identity == self._open:
            self._keep_draft()
            self._right.setCurrentWidget(self.page)
        super()._on_row_chosen(identity)

    def _on_row_clicked(self) -> None:
        if self._is_writing and self.listing.list.selected_count == 1:
            self._on_row_chosen(self.listing.list.current_id())

    def _on_new(self) -> None:
        self._show_list()
        self._edit(None)

    def _on_edit(self) -> None:
        if (schedule := self.listing.schedule(self._open)) is not None:
            self._edit(schedule)

    def _on_saved(self, values: dict[str, Any]) -> None:
        if not self.editor.identity:
            self.do(self._create(values))
        else:
            known = {key: value for key, value in values.items() if value != ""}
            self.do(self._update(self.editor.identity, SchedulePatch(**known), self.tr("Changed ‘{name}’")))

    def _on_cancelled(self) -> None:
        self.editor.forget()
        self._leave_editor()

    def _on_editor_left(self) -> None:
        self._keep_draft()
        self._leave_editor()

    def _on_run(self) -> None:
        schedule = self.listing.schedule(self._open)
        if schedule is not None:
            self.do(self._run(schedule.id, engine_text(schedule.name)))

    def _on_take(self) -> None:
        schedule = self.listing.schedule(self._open)
        if schedule is not None:
            self.do(self._take(schedule.id, engine_text(schedule.name)))

    def _on_switched(self) -> None:
        schedule = self.listing.schedule(self._open)
        if schedule is None:
            return
        is_on = schedule.status == "active"
        patch = SchedulePatch(status="paused" if is_on else "active")
        words = self.tr("Switched off ‘{name}’") if is_on else self.tr("Switched on ‘{name}’")
        self.do(self._update(schedule.id, patch, words))

    def _on_delete(self) -> None:
        schedule = self.listing.schedule(self._open)
        if schedule is not None and not schedule.is_built_in:
            self.do(self._delete(schedule))

    def _on_erase(self) -> None:
        schedule = self.listing.schedule(self._open)
        if schedule is not None and not schedule.is_built_in:
            text = self.tr("Erase the schedule ‘{name}’ for ever?").format(name=engine_text(schedule.name))
            what = self.tr("Its goal, its runs and its history are removed from this vault.")
            ask_to_erase(self, text, what, partial(self._on_erase_agreed, schedule))

    def _on_erase_agreed(self, schedule: "Schedule") -> None:
        self.do(self._erase(schedule))

    def _on_delete_requested(self, ids: list[str]) -> None:
        del ids
        if not self._is_writing_new:
            self._on_delete()

    def _on_plan(self) -> None:
        if job := self._jobs.get(self._open, ""):
            self.do(self._plan(job))

    def _on_changes_wanted(self, run: str) -> None:
        self.do(self._show_changes(run))

    def _on_undo_requested(self, act: "Act") -> None:
        self.do(self._undo(act))

    def _on_week_opened(self, identity: str) -> None:
        self._show_list()
        self._open_item(identity)
        self.navigate.emit(self.current_place())

    def _on_week_before(self) -> None:
        self._go_to_week(self._week - WEEK)

    def _on_week_after(self) -> None:
        self._go_to_week(self._week + WEEK)

    def _on_this_week(self) -> None:
        self._go_to_week(_monday(datetime.now().astimezone().date()))

    def _go_to_week(self, first: date) -> None:
        self._week = first
        self.do(self._load_week())

    def _on_pause_clicked(self) -> None:
        now = datetime.now(UTC)
        if self._status is not None and self._status.paused_until is not None and self._status.paused_until > now:
            self.do(self._pause(None))
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(icon("clock"), self.tr("For an hour")).triggered.connect(self._on_pause_hour)
        menu.addAction(icon("moon"), self.tr("Until tomorrow")).triggered.connect(self._on_pause_until_tomorrow)
        menu.popup(self.pause.mapToGlobal(self.pause.rect().bottomLeft()))

    def _on_pause_hour(self) -> None:
        self.do(self._pause(datetime.now(UTC) + timedelta(hours=1)))

    def _on_pause_until_tomorrow(self) -> None:
        tomorrow = datetime.now().astimezone().date() + timedelta(days=1)
        self.do(self._pause(datetime.combine(tomorrow, time()).astimezone()))


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())
