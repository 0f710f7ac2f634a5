"""The running program: opens the vault, shows the window, and leaves in order."""

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal

from app.errors import InternalError, KeepsakeError
from ui import tray as trays
from ui.actions import Actions
from ui.bridge import Backend, Bridge
from ui.notice import Notice
from ui.notify import notify
from ui.process.error_reporter import Faults
from ui.process.single_instance import TOKEN, Instance, Wish
from ui.shell.quick_capture import Capture
from ui.window import Window
from ui.window_state import WindowState

ASKED = "window/close_asked"
_log = logging.getLogger(__name__)


class OpenVault(Backend, Protocol):
    """A vault that is open: answers calls until it is stopped."""

    def stop(self) -> None:
        """Close the vault; blocks until everything is written."""


VaultOpener = Callable[[Path], OpenVault]


class Program(QObject):
    """Owns window, tray, capture and host; each may come and go while the program stays.

    Args:
        vault: The vault's folder.
        instance: Listens for later launches.
        faults: Hears of failures nobody waited for.
        open_vault: Opens the vault; called on another thread, and again when the person tries again.
    """

    finished = Signal()
    opened = Signal()

    def __init__(self, vault: Path, instance: Instance, faults: Faults, open_vault: VaultOpener) -> None:
        super().__init__()
        self._open_host = open_vault
        self._vault = vault
        self._instance = instance
        # With a parent it goes with this object, on this thread; its sockets and timers must not die on another.
        instance.setParent(self)
        self._host: OpenVault | None = None
        self.bridge: Bridge | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._leaving = False
        self._wishes: list[Wish] = []
        self._actions = Actions(self)
        self._state = WindowState(vault)
        self.window = Window(self._actions, self._state, faults)
        self.capture = Capture(self._state)
        self.tray = trays.Tray(self._actions, self) if trays.available() else None
        self._faults = faults
        self._connect()

    def start(self, *, hidden: bool, wishes: list[Wish]) -> None:
        """Show the window, unless it stays in the tray, and open the vault."""
        self._wishes = wishes
        if self.tray is not None:
            self.tray.show()
        if not (hidden and self.tray is not None):
            self.window.show()
        self.open_vault()

    def open_vault(self) -> None:
        """Open the vault in a thread; the window says that it opens, or why it cannot."""
        self.window.start_page.show_opening(str(self._vault))
        self._run(self._open())

    def quit(self) -> None:
        """Leave in order: what is typed is saved, work stopped, the vault closed."""
        if not self._leaving:
            self._leaving = True
            self._run(self._leave())

    def fulfil(self, wish: Wish) -> None:
        """Do what a second launch asked, now or when the vault is open."""
        if wish.token:
            os.environ[TOKEN] = wish.token
        if wish.command == "capture":
            self.capture.bring(" ".join(wish.arguments))
            return
        self.window.bring()
        if self.bridge is None:
            self._wishes.append(wish)
        elif wish.command == "import":
            self.window.import_paths(list(wish.arguments))
        elif wish.command == "search":
            self.window.palette_popup.show_titles()
        elif wish.command == "open" and wish.arguments:
            self.window.open_link(wish.arguments[0])

    def _connect(self) -> None:
        window = self.window
        window.capture_asked.connect(self._on_capture_asked)
        window.quit_asked.connect(self.quit)
        window.closed.connect(self._on_window_closed)
        window.close_decided.connect(self._on_close_decided)
        window.start_page.retry_asked.connect(self.open_vault)
        window.start_page.quit_asked.connect(self.quit)
        self.capture.saved.connect(self._on_capture_saved)
        self._instance.asked.connect(self.fulfil)
        if self.tray is not None:
            self.tray.open_asked.connect(window.bring)
            self.tray.search_asked.connect(self._on_search_asked)

    async def _open(self) -> None:
        try:
            self._host = await asyncio.get_running_loop().run_in_executor(None, self._open_host, self._vault)
        except KeepsakeError as error:
            self.window.bring()
            self.window.start_page.show_error(error)
            return
        self.bridge = bridge = Bridge(self._host, self)
        if self.tray is not None:
            bridge.progressed.connect(self.tray.set_progress)
        self.capture.set_bridge(bridge)
        self.window.attach(bridge)
        if self.tray is not None and self.window.watch is not None:
            self.window.watch.holdings_changed.connect(self.tray.set_holdings)
        self.opened.emit()
        wishes, self._wishes = self._wishes, []
        for wish in wishes:
            self.fulfil(wish)

    async def _leave(self) -> None:
        _log.info("leaving: no new work")
        self._instance.close()
        self.capture.dismiss()
        self.window.keep_state()
        if self.window.panes is not None:
            _log.info("leaving: saving what is typed")
            await self.window.panes.settle()
        self.window.retire()
        if self.tray is not None:
            self.tray.dispose()
        if self.bridge is not None:
            await self.bridge.close()
        if self._host is not None:
            _log.info("leaving: closing the vault")
            await asyncio.get_running_loop().run_in_executor(None, self._host.stop)
        _log.info("leaving: done")
        self.finished.emit()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_event_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)

    def _on_task_done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is None:
            return
        self._faults.report(error)
        if self._leaving:
            self.finished.emit()
        elif self.bridge is None:
            self.window.start_page.show_error(InternalError(f"The vault could not be opened: {error}"))

    def _on_capture_asked(self) -> None:
        self.capture.bring()

    def _on_search_asked(self) -> None:
        self.window.bring()
        self.window.palette_popup.show_titles()

    def _on_capture_saved(self, notice: Notice) -> None:
        if self.window.isVisible():
            self.window.show_notice(notice)
        else:
            notify(self.tray.icon if self.tray is not None else None, self.tr("Saved"), self.tr("Kept as a note."))

    def _on_window_closed(self) -> None:
        appearance, desk = self.window.appearance, self.window.desk
        if self.tray is None or appearance is None:
            self.quit()
        elif desk is not None and not appearance.close_decided and not self._state.text(ASKED):
            desk.ask_close()
        elif appearance.close_to_tray:
            self.window.hide()
        else:
            self.quit()

    def _on_close_decided(self, to_tray: bool) -> None:
        if self.window.appearance is not None:
            self.window.appearance.decide_close(to_tray=to_tray)
        # The settings file keeps only what differs from the defaults, so it cannot tell that the person was asked.
        self._state.keep(ASKED, "yes")
        self._on_window_closed()
