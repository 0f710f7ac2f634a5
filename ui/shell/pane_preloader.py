"""Pane preloader: builds panes before they are opened, while the window rests."""

import asyncio

from PySide6.QtCore import QObject, QTimer

from ui.shell.pane_stack import PANES, PaneStack, read_pane

REST_MS = 300
"""Between the window being filled and the first step."""
STEP_MS = 20
"""Between two steps, so that what the person does comes in between."""


class PanePreloader(QObject):
    """Builds the panes in short steps, their code read in a thread.

    Args:
        panes: Where they are built.
    """

    def __init__(self, panes: PaneStack) -> None:
        super().__init__(panes)
        self._panes = panes
        self._waiting = [pane.name for pane in PANES]
        self._reading: asyncio.Future[bool] | None = None
        self._timer = QTimer(self, singleShot=True, interval=REST_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._timer.start()

    @property
    def is_done(self) -> bool:
        """True when every pane is built, or cannot be."""
        return not self._waiting

    def stop(self) -> None:
        """Build no more."""
        self._waiting.clear()
        self._timer.stop()

    def _on_timer_timeout(self) -> None:
        if not self._waiting:
            return
        if not self._panes.window().isVisible():
            self._timer.start(REST_MS)  # nobody waits for panes of a window in the tray
            return
        name = self._waiting[0]
        if self._panes.is_whole(name):
            self._waiting.pop(0)
            self._timer.start(0)
        elif self._reading is None:
            loop = asyncio.get_event_loop()
            self._reading = loop.run_in_executor(None, read_pane, name)
            self._reading.add_done_callback(self._on_read)
        else:
            self._panes.build_part(name)
            if self._panes.is_whole(name):
                self._waiting.pop(0)
                self._reading = None
            self._timer.start(STEP_MS)

    def _on_read(self, reading: "asyncio.Future[bool]") -> None:
        if reading.cancelled() or not self._waiting:
            return
        if not reading.result():
            self._waiting.pop(0)
            self._reading = None
        self._timer.start(STEP_MS)
