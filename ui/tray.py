"""Tray icon and menu, on desktops that have a tray."""

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from app.agents.model import AccessRequest, Agent
from app.changes import Progress
from app.core.text import excerpt
from ui import theme
from ui.actions import Actions
from ui.notify import notify
from ui.panes.agents.agent_labels import incognito_words
from ui.shell.navigation import Place
from ui.shell.quick_controls import QuickControls
from ui.shell.status.status_line import VaultSummary, job_text, status_text
from ui.style.icons import pixmap
from ui.widgets.plain_text import caption, without_markup

SIZES = (16, 22, 24, 32, 48)
STATES = {"idle": "text", "working": "accent", "paused": "muted", "attention": "danger"}
ICON = "keepsake-symbolic"
TOOLTIP_LIMIT = 120
NAME_LIMIT = 40
RECENT_LIMIT = 5
AGENT_LIMIT = 20


def available() -> bool:
    """Return whether this desktop shows tray icons."""
    return QGuiApplication.platformName() != "offscreen" and QSystemTrayIcon.isSystemTrayAvailable()


def state_icon(state: str) -> QIcon:
    """Return the icon of ``idle``, ``working``, ``paused`` or ``attention``, at the sizes trays ask for."""
    colour = str(getattr(theme.current().tokens, STATES[state]))
    result = QIcon()
    for size in SIZES:
        result.addPixmap(pixmap(ICON, size, colour))
    return result


class Tray(QObject):
    """Icon and menu; everything in it is in the window too."""

    open_requested = Signal()
    search_requested = Signal()
    schedule_requested = Signal(str)
    refused = Signal(object)  # AccessRequest
    cancel_requested = Signal(str)
    place_requested = Signal(object)  # Place

    def __init__(self, actions: Actions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions = actions
        self._jobs: dict[str, Progress] = {}
        self._summary: VaultSummary | None = None
        self._requests: list[AccessRequest] = []
        self._message_schedule = ""  # what the last message was about
        self.state = "idle"
        self.menu = QMenu()
        theme.current().add_root(self.menu)
        self._controls: QuickControls | None = None
        self._places: list[Place] = []
        self._build_menu()
        self.icon = QSystemTrayIcon(self)
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._on_activated)
        self.icon.messageClicked.connect(self._on_message_clicked)
        theme.current().changed.connect(self._show)
        self._show()

    def _build_menu(self) -> None:
        actions, menu = self._actions, self.menu
        self.line = menu.addAction(self.tr("Opening…"))
        self.line.setEnabled(False)
        self.cancel = menu.addAction(self.tr("Cancel"))
        self.cancel.triggered.connect(self._on_cancel_triggered)
        self.cancel.setVisible(False)
        menu.addSeparator()
        self._open = menu.addAction(self.tr("Open Keepsake"))
        self._open.triggered.connect(self.open_requested)
        menu.setDefaultAction(self._open)
        menu.addAction(actions.qaction("file.capture"))
        self._search = menu.addAction(self.tr("Search…"))
        self._search.triggered.connect(self.search_requested)
        self.recent = menu.addMenu(self.tr("Recent"))
        menu.addSeparator()
        self.run_now = menu.addMenu(self.tr("Run now"))
        self.pause = menu.addMenu(self.tr("Pause"))
        self.agents = menu.addMenu(self.tr("Agents"))
        self._private = menu.addSeparator()
        for submenu in (self.recent, self.run_now, self.pause, self.agents):
            submenu.menuAction().setVisible(False)
        menu.addAction(actions.qaction("file.settings"))
        menu.addAction(actions.qaction("file.quit"))

    def set_controls(self, controls: QuickControls) -> None:
        """Offer what can be run, paused and resumed."""
        self._controls = controls
        for identity in ("work.private", "work.private_hour"):
            self.menu.insertAction(self._private, self._actions.qaction(identity))
        for identity in ("work.pause_hour", "work.pause_tomorrow", "work.pause", "work.resume"):
            self.pause.addAction(self._actions.qaction(identity))
        self.pause.menuAction().setVisible(True)
        controls.changed.connect(self._on_controls_changed)
        self._on_controls_changed()

    def set_places(self, places: list[Place]) -> None:
        """Offer what was open lately."""
        self._places = [place for place in places if place.id and place.title][:RECENT_LIMIT]
        self.recent.clear()
        for place in self._places:
            entry = self.recent.addAction(caption(excerpt(place.title, NAME_LIMIT)))
            entry.triggered.connect(partial(self._on_recent_triggered, place))
        self.recent.menuAction().setVisible(bool(self._places))

    def show(self) -> None:
        """Put the icon into the tray."""
        self.icon.show()

    def hide(self) -> None:
        """Take the icon out of the tray."""
        self.icon.hide()

    def dispose(self) -> None:
        """Give up the menu, which has no parent that would."""
        self.hide()
        self.menu.deleteLater()

    def show_message(self, title: str, text: str, schedule: str = "") -> bool:
        """Show a notification; False where there is no way to show one.

        Args:
            title: A few words.
            text: One sentence.
            schedule: The id of the schedule that a click leads to, ``""`` for the window.
        """
        self._message_schedule = schedule
        return notify(self.icon, title, text)

    def set_summary(self, holdings: VaultSummary) -> None:
        """Take over what the vault holds."""
        self._summary = holdings
        self._show()

    def set_progress(self, progress: Progress) -> None:
        """Take over how far long work has come."""
        if progress.state in {"running", "paused"}:
            self._jobs[progress.job] = progress
        else:
            self._jobs.pop(progress.job, None)
        self._show()

    def set_requests(self, waiting: list[AccessRequest]) -> None:
        """Offer the programs that wait to be let in, and notify of a new one."""
        known = {request.id for request in self._requests}
        self._requests = waiting
        self._fill_agents()
        new = [request for request in waiting if request.id not in known]
        if new:
            text = self.tr("{name} asks for access to your memory.").format(name=excerpt(new[-1].name, NAME_LIMIT))
            self.show_message(self.tr("A program asks for access"), text)
        self._show()

    def _fill_agents(self) -> None:
        self.agents.clear()
        for request in self._requests:
            name = caption(excerpt(request.name, NAME_LIMIT))
            self.agents.addAction(self.tr("Allow {name}…").format(name=name)).triggered.connect(self.open_requested)
            refuse = self.agents.addAction(self.tr("Refuse {name}").format(name=name))
            refuse.triggered.connect(partial(self._on_refuse_triggered, request))
        connected = {agent.id for agent in self._controls.connected} if self._controls is not None else set()
        known = self._controls.with_access() if self._controls is not None else []
        if self._requests and known:
            self.agents.addSeparator()
        for agent in sorted(known, key=lambda candidate: (candidate.id not in connected, candidate.name.casefold()))[
            :AGENT_LIMIT
        ]:
            self._add_agent(agent, is_connected=agent.id in connected)
        self.agents.menuAction().setVisible(bool(self._requests or known))

    def _add_agent(self, agent: Agent, *, is_connected: bool) -> None:
        name = caption(excerpt(agent.name, NAME_LIMIT))
        if agent.paused:
            name = self.tr("{name} (paused)").format(name=name)
        elif is_connected:
            name = self.tr("{name} (connected)").format(name=name)
        submenu = self.agents.addMenu(name)
        submenu.addAction(self.tr("Open")).triggered.connect(
            partial(self._on_recent_triggered, Place("agents", agent.id))
        )
        pause = submenu.addAction(self.tr("Let it go on") if agent.paused else self.tr("Pause"))
        pause.triggered.connect(partial(self._on_pause_triggered, agent))

    def _on_controls_changed(self) -> None:
        if self._controls is None:
            return
        self.run_now.clear()
        for identity in self._controls.run_ids:
            self.run_now.addAction(self._actions.qaction(identity))
        self.run_now.menuAction().setVisible(bool(self._controls.run_ids))
        self._fill_agents()
        self._show()

    def _on_cancel_triggered(self) -> None:
        if self._jobs:
            self.cancel_requested.emit(next(reversed(self._jobs)))

    def _on_recent_triggered(self, place: Place) -> None:
        self.place_requested.emit(place)

    def _on_pause_triggered(self, agent: Agent) -> None:
        if self._controls is not None:
            self._controls.toggle_pause(agent)

    def _on_refuse_triggered(self, request: AccessRequest) -> None:
        self.refused.emit(request)

    def _show(self) -> None:
        job = next(reversed(self._jobs.values()), None)
        if job is not None:
            self.state = "paused" if job.state == "paused" else "working"
            text = job_text(job, len(self._jobs) - 1)
        elif self._summary is not None:
            needs_attention = self._summary.notes or self._requests
            self.state = "attention" if needs_attention else "idle" if self._summary.is_idle else "working"
            text = status_text(self._summary)
            if self._controls is not None and not needs_attention:
                text = self._add_pauses(self._controls, text)
        else:
            text = self.tr("Opening…")
        self.cancel.setVisible(job is not None)
        self.line.setText(caption(text))
        self.icon.setToolTip(without_markup(f"Keepsake — {text}"[:TOOLTIP_LIMIT]))
        self.icon.setIcon(state_icon(self.state))

    def _add_pauses(self, controls: QuickControls, text: str) -> str:
        """Return the line with what is paused before it, and set the state."""
        if controls.is_private:
            self.state = "paused"
            return f"{incognito_words(controls.incognito)} {text}"
        if controls.is_paused:
            self.state = "paused"
            return self.tr("Scheduled work is paused · {status}").format(status=text)
        return text

    def _on_message_clicked(self) -> None:
        if self._message_schedule:
            self.schedule_requested.emit(self._message_schedule)
        else:
            self.open_requested.emit()

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick):
            self.open_requested.emit()
