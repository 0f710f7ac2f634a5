"""Quick controls: run now, pause and incognito, for tray, menu and palette."""

from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.agents.model import Agent, ConnectedAgent
from app.changes import ChangeSet
from app.errors import KeepsakeError, NotFoundError
from ui.actions import Action, Actions
from ui.engine_texts import engine_text
from ui.notice import Notice

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from ui.bridge import Bridge
    from ui.window_state import WindowState

GROUP = "work"
PAUSED_AGENTS = "agents/paused_together"
"""The agents that a private time paused: those, and no others, go on after it."""
LONG = timedelta(days=36500)
"""A pause that ends when the person ends it; the engine wants a date."""
_AREAS = frozenset({"agents", "presence", "schedules"})
_GOALS = 100


class QuickControls(QObject):
    """Registers what can be run, paused and resumed as actions.

    Args:
        bridge: The way to the engine.
        actions: Where the actions are registered.
        state: Keeps which agents a private time paused.
        parent: The Qt parent.
    """

    changed = Signal()
    notice = Signal(object)  # Notice

    def __init__(self, bridge: "Bridge", actions: Actions, state: "WindowState", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._actions = actions
        self._state = state
        self._agents: list[Agent] = []
        self.connected: list[ConnectedAgent] = []
        self.paused_until: datetime | None = None
        self.run_ids: list[str] = []
        self._is_busy = False
        self._is_stale = False
        self._register()
        bridge.changed.connect(self._on_bridge_changed)
        bridge.start(self.refresh())

    @property
    def is_paused(self) -> bool:
        """True while all schedules are paused."""
        return self.paused_until is not None and self.paused_until > datetime.now(UTC)

    @property
    def is_private(self) -> bool:
        """True while no agent may read or record, because the person paused them together."""
        return bool(self._kept()) and not any(self._active())

    async def refresh(self) -> None:
        """Ask what can be run and who is connected, and emit ``changed``."""
        self._is_stale = True
        if self._is_busy:  # one at a time: an earlier answer must not replace a later one
            return
        self._is_busy = True
        try:
            while self._is_stale:
                self._is_stale = False
                await self._load()
        finally:
            self._is_busy = False
        self._actions.refresh()
        self.changed.emit()

    async def _load(self) -> None:
        call = self._bridge.call
        try:
            jobs = await call("upkeep.jobs")
            found = await call("schedule.search", status="active", limit=_GOALS)
            self.paused_until = (await call("schedule.status")).paused_until
            self._agents = await call("agent.list")
            self.connected = await call("agent.connected")
        except NotFoundError:
            return  # a host of an earlier version answers some of them not
        own = {schedule.id for job in jobs for schedule in job.schedules}
        runs = [
            (f"work.run.{job.name}", engine_text(job.title), partial(self._run_job, job.name, engine_text(job.title)))
            for job in jobs
        ]
        goals = [item for item in found.schedules if item.id not in own]
        runs += [(f"work.run.{goal.id}", goal.name, partial(self._run_goal, goal.id, goal.name)) for goal in goals]
        self._offer([(identity, title, self._starter(make)) for identity, title, make in runs])

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
                "work.private", self.tr("Incognito: pause all agents"), self._on_private, "eye-off", group=GROUP,
                enabled=self._can_be_private, checked=self._is_private_now,
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
            self.notice.emit(Notice(error.message, kind="error"))

    async def _run_job(self, job: str, title: str) -> None:
        self.notice.emit(Notice(self.tr("‘{name}’ runs").format(name=title), seconds=3))
        await self._bridge.call("upkeep.run", job=job)

    async def _run_goal(self, identity: str, name: str) -> None:
        await self._bridge.call("schedule.run_now", id=identity)
        self.notice.emit(Notice(self.tr("‘{name}’ runs").format(name=name), seconds=3))

    async def _pause(self, until: datetime | None, text: str) -> None:
        await self._bridge.call("schedule.pause_all", until=until)
        self.notice.emit(Notice(text))
        await self.refresh()

    async def _set_private(self, is_on: bool) -> None:
        if is_on:
            names = [agent.id for agent in self._active()]
            self._keep(sorted({*names, *self._kept()}))  # before the first is paused: a crash must not forget it
        else:
            names = self._kept()
        for name in names:
            try:
                await self._bridge.call("agent.trust", name=name, paused=is_on)
            except NotFoundError:
                continue  # removed meanwhile
        if not is_on:
            self._keep([])
        await self.refresh()
        on = self.tr("Incognito: your agents are paused and can neither read nor record.")
        self.notice.emit(Notice(on if is_on else self.tr("Your agents may read and record again.")))

    def _active(self) -> list[Agent]:
        return [agent for agent in self._agents if agent.revoked_at is None and not agent.paused]

    def _kept(self) -> list[str]:
        return self._state.texts(PAUSED_AGENTS)

    def _keep(self, names: list[str]) -> None:
        self._state.keep(PAUSED_AGENTS, names)
        self._state.write()

    def _can_resume(self) -> bool:
        return self.is_paused

    def _is_private_now(self) -> bool:
        return self.is_private

    def _can_be_private(self) -> bool:
        return bool(self._kept() or self._active())

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

    def _on_bridge_changed(self, changes: ChangeSet) -> None:
        if changes.areas & _AREAS:
            self._bridge.start(self.refresh())


def _nothing() -> None:
    """Do nothing: what was here is gone."""


def _never() -> bool:
    return False
