"""The running program: opens the vault, shows the window, and leaves in order."""

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from PySide6.QtCore import QObject, QProcess, Signal

from app.core.process.program_command import program_command
from app.core.vault_opening import VaultOpening
from app.encryption.model import KEY_FILE
from app.errors import InternalError, KeepsakeError
from app.sentence import Sentence
from ui import operations
from ui import tray as trays
from ui.actions import Actions
from ui.bridge import Backend, Bridge
from ui.engine_texts import error_text
from ui.notice import Notice
from ui.notify import is_in_front
from ui.process import start_times
from ui.process.auto_lock import AutoLock
from ui.process.error_reporter import ErrorReporter
from ui.process.global_capture import GlobalCapture
from ui.process.relaunch import start_again
from ui.process.single_instance import TOKEN, LaunchRequest, SingleInstance
from ui.process.vault_rescue import VaultRecovery, VaultRescue
from ui.shell.navigation import Place
from ui.shell.pane_preloader import PanePreloader
from ui.shell.pane_stack import read_pane
from ui.shell.quick_capture import QuickCapture
from ui.shell.quick_controls import QuickControls
from ui.shell.watchers.activity_reporter import ActivityReporter
from ui.shell.watchers.schedule_notifier import ScheduleNotifier
from ui.window import Window
from ui.window_state import WindowState

Relaunch = Callable[[Path, Sequence[str]], bool]
CLOSE_QUESTION_ANSWERED = "window/close_asked"
HIDDEN_QUESTION_ANSWERED = "window/close_asked_without_tray"
WELCOMED = "window/welcomed"
NOTE_SECONDS = 8.0
_STORING_SECONDS = 5.0
"""Seconds to wait for fields that are stored as the window is hidden; a lost host never answers."""
_log = logging.getLogger(__name__)


class OpenVault(Backend, Protocol):
    """A vault that is open: answers calls until it is stopped."""

    def stop(self) -> None:
        """Close the vault; blocks until everything is written."""


@runtime_checkable
class JoinedVault(OpenVault, Protocol):
    """A vault that another process has open, and that may end before this window does."""

    def watch(self, watcher: Callable[[str, str], None]) -> None:
        """Subscribe to the states of the search for a host, on any thread."""


class VaultOpener(Protocol):
    """Opens a vault; called on another thread."""

    def __call__(self, vault: Path, *, safe_mode: bool = False, opening: VaultOpening | None = None) -> OpenVault:
        """Open ``vault``.

        Args:
            vault: Its folder.
            safe_mode: Without schedules, models and vectors.
            opening: Hears of the steps, on the thread that opens, and can stop them.

        Raises:
            KeepsakeError: It cannot be opened.
        """


class Program(QObject):
    """Owns window, tray, capture and host; each may come and go while the program stays.

    Args:
        vault: The vault's folder.
        instance: Listens for later launches.
        errors: Hears of failures nobody waited for.
        open_vault: Opens the vault; called again when the person tries again.
        recovery: Recovers a vault that does not open, and unlocks one that is encrypted.
        safe_mode: Begin without schedules, models, vectors and what the window kept of its appearance.
        relaunch: Starts this program anew, with further arguments.
    """

    finished = Signal()
    opened = Signal()
    _host_changed = Signal(str, object)
    _opening_step_begun = Signal(object)

    def __init__(
        self,
        vault: Path,
        instance: SingleInstance,
        errors: ErrorReporter,
        open_vault: VaultOpener,
        recovery: VaultRecovery,
        *,
        safe_mode: bool = False,
        relaunch: Relaunch = start_again,
    ) -> None:
        super().__init__()
        self._relaunch = relaunch
        self._next_arguments: list[str] | None = None
        self._is_safe_mode = safe_mode
        self._open_host = open_vault
        self._vault = vault
        self._instance = instance
        # With a parent it goes with this object, on this thread; its sockets and timers must not die on another.
        instance.setParent(self)
        self._host: OpenVault | None = None
        self.bridge: Bridge | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._opening = VaultOpening()
        self._opening_task: asyncio.Task[None] | None = None
        self._leaving = False
        self._requests: list[LaunchRequest] = []
        self._preloader: PanePreloader | None = None
        self._global_capture: GlobalCapture | None = None
        self._actions = Actions(self)
        self._state = WindowState(vault, has_appearance=not safe_mode)
        # Asked before the window keeps anything; a vault that was in a window before has a place in it.
        self._is_first = not (safe_mode or self._state.text(WELCOMED) or self._state.text("window/pane"))
        self.window = Window(self._actions, self._state, errors)
        self.capture = QuickCapture(self._state)
        self.tray = trays.Tray(self._actions, self) if trays.available() else None
        self._errors = errors
        self.rescue = VaultRescue(self.window.start_page, vault, recovery, self._run, self)
        self._connect()

    def start(self, *, hidden: bool, requests: list[LaunchRequest], locked: bool = False) -> None:
        """Show the window, unless it stays in the tray, and open the vault.

        Args:
            hidden: It stays in the tray.
            requests: What this launch and later ones asked for.
            locked: An encrypted vault stays locked until its passphrase is typed.
        """
        self._requests = requests
        if self.tray is not None:
            self.tray.show()
        if not (hidden and self.tray is not None):
            self.window.bring_to_front()
            start_times.mark("window")
        if locked and os.path.exists(self._vault / KEY_FILE):  # noqa: PTH110  (false where nobody may look)
            self.window.start_page.show_locked()
        else:
            self.open_vault()

    def open_vault(self) -> None:
        """Open the vault in a thread and show how that goes."""
        if self._leaving:
            return
        self.window.start_page.show_opening(str(self._vault))
        self._opening = VaultOpening(self._opening_step_begun.emit)
        self._opening_task = self._run(self._open())

    def quit(self) -> None:
        """Leave in order: what is typed is saved, work stopped, the vault closed."""
        if not self._leaving:
            self._leaving = True
            self._run(self._leave())

    def lock(self) -> None:
        """Lock the vault.

        This process ends, and its key with it; another one asks for the passphrase.
        """
        self.begin_anew("--locked")

    def begin_anew(self, *arguments: str) -> None:
        """Leave in order, and start this program again.

        Args:
            arguments: Further arguments of the window.
        """
        hidden = ["--hidden"] if self.tray is not None and not self.window.isVisible() else []
        self._next_arguments = [*hidden, *arguments]
        self.quit()

    def handle(self, request: LaunchRequest) -> None:
        """Do what a second launch asked, now or when the vault is open."""
        if request.token:
            os.environ[TOKEN] = request.token
        if request.command == "capture":
            self.capture.bring_to_front(" ".join(request.arguments))
            return
        self.window.bring_to_front()
        if self.bridge is None:
            self._requests.append(request)
        elif request.command == "import":
            self.window.import_paths(list(request.arguments))
        elif request.command == "search":
            self.window.palette_popup.show_titles()
        elif request.command == "open" and request.arguments:
            self.window.open_link(request.arguments[0])

    def _connect(self) -> None:
        window = self.window
        window.capture_requested.connect(self._on_capture_requested)
        window.quit_requested.connect(self.quit)
        window.lock_requested.connect(self.lock)
        window.closed.connect(self._on_window_closed)
        window.close_decided.connect(self._on_close_decided)
        window.start_page.retry_requested.connect(self.open_vault)
        window.start_page.quit_requested.connect(self.quit)
        self.rescue.reopen_requested.connect(self.open_vault)
        self.rescue.safe_mode_requested.connect(self._on_safe_mode_requested)
        self.rescue.left_for_other.connect(self.quit)
        self.capture.saved.connect(self._on_capture_saved)
        self._instance.requested.connect(self.handle)
        self._host_changed.connect(self._on_host_changed)
        self._opening_step_begun.connect(window.start_page.show_step)  # emitted on the engine's thread
        if self.tray is not None:
            self.tray.open_requested.connect(window.bring_to_front)
            self.tray.search_requested.connect(self._on_search_requested)
            self.tray.schedule_requested.connect(self._on_schedule_requested)

    def _on_safe_mode_requested(self) -> None:
        self._is_safe_mode = True
        self.open_vault()

    async def _open(self) -> None:
        try:
            loop = asyncio.get_running_loop()
            work = partial(self._open_host, self._vault, safe_mode=self._is_safe_mode, opening=self._opening)
            opening = loop.run_in_executor(None, work)
            # The code of the first pane is read meanwhile, and the window answers.
            reading = loop.run_in_executor(None, read_pane, self.window.first_pane)
            self._host = await opening
            await reading
        except KeepsakeError as error:
            if not self._leaving:
                self.window.bring_to_front()
                self.window.start_page.show_error(error)
            return
        start_times.mark("vault")
        if not self._leaving:
            await self._fill(self._host)

    async def _fill(self, host: OpenVault) -> None:
        """Fill the window: the vault is open."""
        if isinstance(host, JoinedVault):
            host.watch(self._host_changed.emit)  # emitted on its thread, delivered on ours
        self.bridge = bridge = Bridge(host, self)
        if self.tray is not None:
            bridge.progressed.connect(self.tray.set_progress)
        self.capture.set_bridge(bridge)
        self.capture.place_requested.connect(self._on_place_requested)
        for _ in self.window.attach_in_steps(bridge):
            await asyncio.sleep(0)
            if self._leaving:
                return
        if self._is_safe_mode:
            self.window.show_safe_mode(is_joined=isinstance(host, JoinedVault))
        start_times.mark("filled")
        if self.tray is not None and self.window.status_updater is not None:
            self.window.status_updater.summary_changed.connect(self.tray.set_summary)
        if self.tray is not None and self.window.access_requests is not None:
            self.window.access_requests.changed.connect(self.tray.set_requests)
            self.tray.refused.connect(self.window.access_requests.refuse)
        self.controls = QuickControls(bridge, self._actions, self)
        self.controls.notice.connect(self.window.show_notice)
        self.controls.changed.connect(self._on_controls_changed)
        self.window.status_line.incognito.clicked.connect(self._actions.qaction("work.private").trigger)
        self._connect_tray(bridge)
        self._welcome()
        self.schedule_notifier = ScheduleNotifier(bridge, self._show_schedule_note, self)
        self.activity = ActivityReporter(bridge, self.window, self)
        if self.window.panes is not None:
            self._preloader = PanePreloader(self.window.panes)
        self._global_capture = GlobalCapture(bridge, self)
        self.auto_lock = AutoLock(bridge, [self.window, self.capture], self)
        self.auto_lock.expired.connect(self.lock)
        self.auto_lock.encrypted_changed.connect(self._on_encrypted_changed)
        self._global_capture.pressed.connect(self._on_capture_requested)
        self._global_capture.notice.connect(self.window.show_notice)
        self.opened.emit()
        requests, self._requests = self._requests, []
        for request in requests:
            self.handle(request)

    def _on_join_request_arrived(self, sentence: str) -> None:
        """Tell of a machine that asks to come in, unless the window is seen."""
        if self.tray is not None and not is_in_front(self.window):
            self.tray.show_message(self.tr("A machine asks to come in"), sentence)

    def _welcome(self) -> None:
        """Offer the first steps where this vault was never in a window."""
        dialogs = self.window.dialogs
        if dialogs is None:
            return
        dialogs.vault, dialogs.has_tray = str(self._vault), self.tray is not None
        dialogs.sample_requested.connect(self._on_sample_requested)
        dialogs.restart_requested.connect(self._on_restart_requested)
        dialogs.lock_requested.connect(self.lock)
        if self._is_first and self.bridge is not None:
            self._is_first = False
            self.bridge.refresh(self._greet(self.bridge))

    async def _greet(self, bridge: Bridge) -> None:
        """Show the first steps, unless the vault was filled before it had a window."""
        status = await bridge.call(operations.vault.status())
        if self._leaving or self.window.dialogs is None:
            return
        if not (status.sessions or status.memories):
            self.window.dialogs.open_welcome()
        self._state.keep(WELCOMED, "yes")
        self._state.write()

    def _on_sample_requested(self) -> None:
        """Open the sample vault in a process of its own."""
        program, *arguments = program_command()
        started, _process = QProcess.startDetached(program, [*arguments, "demo"])
        if not started:
            self.window.show_notice(Notice(self.tr("The sample vault could not be opened."), kind="error"))

    def _on_restart_requested(self) -> None:
        self.begin_anew()

    def _on_encrypted_changed(self, is_encrypted: bool) -> None:
        self.window.commands.is_encrypted = is_encrypted
        self._state.has_content = not is_encrypted
        self._actions.refresh()

    def _on_controls_changed(self) -> None:
        self.window.status_line.incognito.show_state(self.controls.incognito)

    def _connect_tray(self, bridge: Bridge) -> None:
        if self.tray is None:
            return
        self.tray.set_controls(self.controls)
        if self.window.join_requests is not None:
            self.window.join_requests.arrived.connect(self._on_join_request_arrived)
        self.tray.cancel_requested.connect(partial(self._cancel_job, bridge))
        self.tray.place_requested.connect(self._on_place_requested)
        self.tray.menu.aboutToShow.connect(self._on_tray_opening)

    def _cancel_job(self, bridge: Bridge, job: str) -> None:
        bridge.start(bridge.call(operations.job.cancel(job=job)))

    def _on_place_requested(self, place: Place) -> None:
        self.window.bring_to_front()
        self.window.go(place)

    def _on_tray_opening(self) -> None:
        if self.tray is not None:
            self.tray.set_places(self.window.palette_popup.recent_places)

    async def _leave(self) -> None:
        _log.info("leaving: no new work")
        self._instance.close()
        self.capture.dismiss()
        if self.bridge is not None and not self._state.has_content:
            await self.capture.keep_draft()
        if self._preloader is not None:
            self._preloader.stop()
        if self._global_capture is not None:
            self._global_capture.stop()
        self.window.keep_state()
        if self.window.panes is not None:
            _log.info("leaving: saving what is typed")
            await self.window.panes.settle()
        await self._shut_window()
        if self.tray is not None:
            self.tray.dispose()
        _log.info("leaving: stopping what opens or rescues the vault")
        self._opening.stop.set()
        if self._opening_task is not None:
            await asyncio.wait([self._opening_task])
        await self.rescue.stop()
        if self.bridge is not None:
            await self.bridge.close()
        if self._host is not None:
            _log.info("leaving: closing the vault")
            await asyncio.get_running_loop().run_in_executor(None, self._host.stop)
        if self._next_arguments is not None and not self._relaunch(self._vault, self._next_arguments):
            _log.error("Keepsake could not be started again; start it yourself.")
        _log.info("leaving: done")
        self.finished.emit()

    async def _shut_window(self) -> None:
        """Hide the window; a field that is hidden stores what was typed."""
        if self.bridge is None:
            self.window.shut_down()
        else:
            await self.bridge.finish(self.window.shut_down, _STORING_SECONDS)

    def _run(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.get_event_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)
        return task

    def _on_task_done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is None:
            return
        self._errors.report(error)
        if self._leaving:
            self.finished.emit()
        elif self.bridge is None:
            self.window.start_page.show_error(
                InternalError(Sentence("The vault could not be opened: {error}", error=error))
            )

    def _on_host_changed(self, state: str, error: KeepsakeError | None) -> None:
        """Say what became of the program that had the vault open."""
        banner, window = self.window.banner, self.window
        if state == "lost":
            banner.show_notice(
                self.tr(
                    "The Keepsake that had your memories open has ended. "
                    "This window is opening them itself; what you type meanwhile is kept and saved then."
                )
            )
        elif state == "failed" and error is not None:
            banner.show_notice(
                self.tr(
                    "Your memories cannot be opened yet: {reason} What you typed is kept here; trying again."
                ).format(reason=error_text(error))
            )
        else:
            banner.hide()
            text = self.tr("Keepsake now runs in this window. What you typed is being saved.")
            if state == "rejoined":
                text = self.tr("Connected again. What you typed is being saved.")
            window.show_notice(Notice(text, seconds=NOTE_SECONDS))
            if window.panes is not None:
                self._run(window.panes.settle())

    def _on_capture_requested(self) -> None:
        self.capture.bring_to_front()

    def _on_search_requested(self) -> None:
        self.window.bring_to_front()
        self.window.palette_popup.show_titles()

    def _on_capture_saved(self, notice: Notice) -> None:
        if self.window.isVisible():
            self.window.show_notice(notice)
        elif self.tray is not None:
            self.tray.show_message(self.tr("Saved"), self.tr("Kept as a note."))

    def _show_schedule_note(self, text: str, schedule: str) -> bool:
        """Show a note about a schedule; False where the person would not see it."""
        window = self.window
        if is_in_front(window) or (self.tray is None and window.isVisible() and not window.isMinimized()):
            window.show_notice(Notice(text, seconds=NOTE_SECONDS))
            return True
        return self.tray is not None and self.tray.show_message(self.tr("Schedule"), text, schedule)

    def _on_schedule_requested(self, schedule: str) -> None:
        self.window.bring_to_front()
        self.window.go(Place("schedule", schedule))

    def _on_window_closed(self) -> None:
        appearance, dialogs = self.window.appearance, self.window.dialogs
        if appearance is None or dialogs is None:
            self.quit()
        elif self._has_close_decision(has_choice=appearance.close_decided, keeps_running=appearance.close_to_tray):
            if appearance.close_to_tray:
                self.window.hide()
            else:
                self.quit()
        else:
            dialogs.ask_close(has_tray=self.tray is not None)

    def _has_close_decision(self, *, has_choice: bool, keeps_running: bool) -> bool:
        """Return whether the person has decided what closing does."""
        if self.tray is None:
            return bool(self._state.text(HIDDEN_QUESTION_ANSWERED)) or (has_choice and not keeps_running)
        return has_choice or bool(self._state.text(CLOSE_QUESTION_ANSWERED))

    def _on_close_decided(self, to_tray: bool) -> None:
        if self.window.appearance is not None:
            self.window.appearance.decide_close(to_tray=to_tray)
        # The settings file keeps only what differs from the defaults, so it cannot tell that the person was asked.
        self._state.keep(CLOSE_QUESTION_ANSWERED, "yes")
        if self.tray is None:
            self._state.keep(HIDDEN_QUESTION_ANSWERED, "yes")
        self._state.write()
        self._on_window_closed()
