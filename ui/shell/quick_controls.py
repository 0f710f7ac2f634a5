"""Quick controls: run now, pause, agents and incognito, for tray, menu and palette."""

from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from app.agents.model import Agent, ConnectedAgent, Incognito
from app.changes import Area
from app.errors import KeepsakeError
from ui import operations
from ui.actions import Action, Actions
from ui.engine_texts import engine_text, error_text
from ui.notice import Notice
from ui.panes.agents.agent_labels import incognito_words
from ui.panes.inbox.night_page import night_words
from ui.panes.reading_pane import history_of
from ui.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from ui.bridge import Bridge

GROUP = "work"
LONG = timedelta(days=36500)
"""A pause that ends when the person ends it; the engine wants a date."""
_AREAS: frozenset[Area] = frozenset({"agents", "presence", "schedules"})
_GOALS = 100
_LONGEST_TIMER = timedelta(days=1)


class QuickControls(QObject):
    """Registers what can be run, paused and resumed as actions.

    Args:
        bridge: The way to the engine.
        actions: Where the actions are registered.
        parent: The Qt parent.
    """

    changed = Signal()
    notice = Signal(object)  # Notice

    def __init__(self, bridge: "Bridge", actions: Actions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._actions = actions
        self.agents: list[Agent] = []
        self.connected: list[ConnectedAgent] = []
        self.paused_until: datetime | None = None
        self.incognito = Incognito()
        self.run_ids: list[str] = []
        self._last_problem = ""
        self._ending = QTimer(self, singleShot=True)
        self._ending.timeout.connect(self.refresh)
        self._register()
        self._work.on_areas(_AREAS, self.refresh)
        self.refresh()

    @property
    def is_paused(self) -> bool:
        """True while all schedules are paused."""
        return self.paused_until is not None and self.paused_until > datetime.now(UTC)

    @property
    def is_private(self) -> bool:
        """True while no agent may read or record."""
        return self.incognito.is_on

    def refresh(self) -> None:
        """Ask what can be run and who is connected, and emit ``changed``."""
        # One at a time: an earlier answer must not replace a later one.
        self._work.coalesce(self._load)

    async def _load(self) -> None:
        problems = [await self._tried(load) for load in (self._load_agents, self._load_pause, self._load_runs)]
        problem = next(filter(None, problems), "")
        # Once: it is asked for again after every change.
        if problem and problem != self._last_problem:
            words = self.tr("Not all of what can be run or paused is shown. {reason}")
            self.notice.emit(Notice(words.format(reason=problem), kind="error"))
        self._last_problem = problem
        if isValid(self._actions):  # the window may have been closed meanwhile
            self._actions.refresh()
            self.changed.emit()

    @staticmethod
    async def _tried(load: "Callable[[], Coroutine[Any, Any, None]]") -> str:
        """Return why a part could not be loaded; what was known of it stays."""
        try:
            await load()
        except KeepsakeError as error:
            return error_text(error)
        return ""

    async def _load_agents(self) -> None:
        self.incognito = await self._bridge.call(operations.agent.incognito.get())
        self._await_ending()
        self.agents = await self._bridge.call(operations.agent.list())
        self.connected = await self._bridge.call(operations.agent.connected())

    async def _load_pause(self) -> None:
        self.paused_until = (await self._bridge.call(operations.schedule.status())).paused_until

    async def _load_runs(self) -> None:
        jobs = await self._bridge.call(operations.upkeep.status())
        page = await self._bridge.call(operations.schedule.search(status="active", limit=_GOALS))
        own = {schedule.id for job in jobs for schedule in job.schedules}
        runs = [
            (f"work.run.{job.name}", engine_text(job.title), partial(self._run_job, job.name, engine_text(job.title)))
            for job in jobs
        ]
        if not isValid(self._actions):
            return
        goals = [item for item in page.schedules if item.id not in own]
        runs += [(f"work.run.{goal.id}", goal.name, partial(self._run_goal, goal.id, goal.name)) for goal in goals]
        self._offer([(identity, title, self._starter(make)) for identity, title, make in runs])

    def _await_ending(self) -> None:
        """Look again when incognito ends by itself."""
        if not isValid(self._ending):  # the window was closed meanwhile
            return
        self._ending.stop()
        if self.incognito.until is not None:
            remaining = min(self.incognito.until - datetime.now(UTC), _LONGEST_TIMER)
            self._ending.start(max(0, round(remaining.total_seconds() * 1000)) + 50)

    def _offer(self, runs: "list[tuple[str, str, Callable[[], object]]]") -> None:
        new = [identity for identity, _, _ in runs]
        for identity in set(self.run_ids) - set(new):  # deleted meanwhile
            self._actions.register(Action(identity, "", _nothing, enabled=_never, listed=False))
        self.run_ids = new
        words = self.tr("Run now: {name}")
        self._actions.register(
            *(Action(identity, words.format(name=title), run, "play", group=GROUP) for identity, title, run in runs)
        )

    def _register(self) -> None:
        add = self._actions.register
        add(
            Action("work.pause_hour", self.tr("Pause for 1 hour"), self._on_pause_hour, "pause", group=GROUP),
            Action(
                "work.pause_tomorrow", self.tr("Pause until tomorrow"), self._on_pause_tomorrow, "moon", group=GROUP
            ),
            Action("work.pause", self.tr("Pause until I resume"), self._on_pause, "pause", group=GROUP),
            Action(
                "work.resume", self.tr("Resume scheduled work"), self._on_resume, "play", group=GROUP,
                enabled=self._can_resume,
            ),
            Action(
                "work.undo_night", self.tr("Undo the night: what jobs did in the past day"), self._on_undo_night,
                "undo-2", group=GROUP, keywords=self.tr("upkeep consolidation decay take back last night"),
            ),
            Action(
                "work.private", self.tr("Incognito: no agent reads or records"), self._on_private, "eye-off",
                group=GROUP, checked=self._is_private_now, keywords=self.tr("private agents reading recording stop"),
            ),
            Action(
                "work.private_hour", self.tr("Incognito for 1 hour"), self._on_private_hour, "eye-off", group=GROUP,
                keywords=self.tr("private agents reading recording stop"),
            ),
        )  # fmt: skip

    def _starter(self, make: "Callable[[], Coroutine[Any, Any, None]]") -> "Callable[[], None]":
        return partial(self._start, make)

    def _start(self, make: "Callable[[], Coroutine[Any, Any, None]]") -> None:
        self._bridge.start(self._reported(make()))

    async def _reported(self, work: "Coroutine[Any, Any, None]") -> None:
        try:
            await work
        except KeepsakeError as error:
            self.notice.emit(Notice(error_text(error), kind="error"))

    async def _run_job(self, job: str, title: str) -> None:
        self.notice.emit(Notice(self.tr("‘{name}’ runs").format(name=title), seconds=3))
        await self._bridge.call(operations.upkeep.run(job=job))

    async def _run_goal(self, identity: str, name: str) -> None:
        await self._bridge.call(operations.schedule.run_now(id=identity))
        self.notice.emit(Notice(self.tr("‘{name}’ runs").format(name=name), seconds=3))

    async def _pause(self, until: datetime | None, text: str) -> None:
        await self._bridge.call(operations.schedule.pause_all(until=until))
        self.notice.emit(Notice(text))
        self.refresh()

    async def _undo_night(self) -> None:
        reply = await self._bridge.reply(operations.upkeep.undo_night())
        self.notice.emit(Notice(night_words(reply.value), history_of(reply)))

    async def _set_private(self, is_on: bool, until: datetime | None = None) -> None:
        self.incognito = await self._bridge.call(operations.agent.incognito.set(on=is_on, until=until))
        self.refresh()
        self.notice.emit(Notice(incognito_words(self.incognito)))

    async def _set_paused(self, agent: Agent) -> None:
        await self._bridge.call(operations.agent.trust(name=agent.id, paused=not agent.paused))
        self.refresh()
        words = self.tr("{name} goes on") if agent.paused else self.tr("{name} is paused")
        self.notice.emit(Notice(words.format(name=agent.name)))

    def with_access(self) -> list[Agent]:
        """Return the agents that have access, by name."""
        return [agent for agent in self.agents if agent.revoked_at is None]

    def toggle_pause(self, agent: Agent) -> None:
        """Pause an agent, or let it go on."""
        self._start(partial(self._set_paused, agent))

    def _can_resume(self) -> bool:
        return self.is_paused

    def _is_private_now(self) -> bool:
        return self.is_private

    def _on_pause_hour(self) -> None:
        until = datetime.now(UTC) + timedelta(hours=1)
        self._start(partial(self._pause, until, self.tr("Scheduled work is paused for 1 hour")))

    def _on_pause_tomorrow(self) -> None:
        tomorrow = datetime.now().astimezone().date() + timedelta(days=1)
        until = datetime.combine(tomorrow, time()).astimezone()
        self._start(partial(self._pause, until, self.tr("Scheduled work is paused until tomorrow")))

    def _on_pause(self) -> None:
        until = datetime.now(UTC) + LONG
        self._start(partial(self._pause, until, self.tr("Scheduled work is paused until you resume it")))

    def _on_resume(self) -> None:
        self._start(partial(self._pause, None, self.tr("Scheduled work goes on")))

    def _on_private(self) -> None:
        self._start(partial(self._set_private, not self.is_private))

    def _on_undo_night(self) -> None:
        self._start(self._undo_night)

    def _on_private_hour(self) -> None:
        self._start(partial(self._set_private, True, datetime.now(UTC) + timedelta(hours=1)))


def _nothing() -> None:
    """Do nothing: what was here is gone."""


def _never() -> bool:
    return False
