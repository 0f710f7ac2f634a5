"""Machines that ask to come in, told wherever the person is in the window."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.changes import Area
from app.core.text import excerpt
from app.devices.model import JoinRequest
from ui import operations
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.widgets.notices.sentence_bar import SentenceBar

AREA: Area = "devices"
_MAX_NAME = 60


class JoinRequests(QObject):
    """Shows who asks in a bar, and tells of who is new.

    Args:
        bridge: The way to the engine.
        bar: Where it is shown.
        parent: The Qt parent.
    """

    arrived = Signal(str)
    """Sentence about a machine that asks now."""

    def __init__(self, bridge: "Bridge", bar: "SentenceBar", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._bar = bar
        self._waiting: list[JoinRequest] = []
        self._work.on_areas({AREA}, self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Fetch who asks."""
        self._work.coalesce(self._load)

    async def _load(self) -> None:
        waiting = list(await self._bridge.call(operations.device.requests(known=True)))
        known = {request.id for request in self._waiting}
        if waiting == self._waiting:
            return
        self._waiting = waiting
        sentence = self._sentence(waiting[-1]) if waiting else ""
        self._bar.show_sentence(sentence)
        if any(request.id not in known for request in waiting):
            self.arrived.emit(sentence)

    def _sentence(self, request: JoinRequest) -> str:
        words = self.tr("{name} asks to hold your whole memory. Let it in if you typed the words there yourself.")
        return words.format(name=excerpt(request.name, _MAX_NAME))
