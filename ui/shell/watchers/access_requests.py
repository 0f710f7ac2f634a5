"""Requests of unknown programs for access, kept up to date and decided."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.agents.model import AccessRequest
from app.changes import Area
from app.errors import NotFoundError
from ui import operations
from ui.notice import Notice
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge

AREA: Area = "agents"


class AccessRequests(QObject):
    """The programs that wait to be let in.

    Args:
        bridge: The way to the engine.
        parent: The Qt parent.
    """

    changed = Signal(list)  # of AccessRequest, oldest first
    notice = Signal(object)  # Notice

    def __init__(self, bridge: "Bridge", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self.waiting: list[AccessRequest] = []
        self._work.on_areas({AREA}, self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Fetch the requests, and emit ``changed`` if they differ."""
        # One at a time: an earlier answer must not replace a later one.
        self._work.coalesce(self._load)

    async def _load(self) -> None:
        requests = list(await self._bridge.call(operations.agent.requests()))
        if requests != self.waiting:
            self.waiting = requests
            self.changed.emit(requests)

    def allow(self, request: AccessRequest, trust: str, review: bool) -> None:
        """Let a program in.

        Args:
            request: Its request.
            trust: The trust it gets.
            review: Whether its writes wait in the inbox.
        """
        self._work.start(self._allow(request, trust, review=review))

    def refuse(self, request: AccessRequest) -> None:
        """Refuse a program."""
        self._work.start(self._refuse(request))

    async def _allow(self, request: AccessRequest, trust: str, *, review: bool) -> None:
        # Who has access already stays what it is; the bar asked whether this is the same program.
        options = {"replace_token": True} if request.has_access else {"trust": trust, "review": review}
        try:
            await self._bridge.call(operations.agent.allow(request=request.id, **options))
        except NotFoundError:
            self._tell_decided(request)
        else:
            self.notice.emit(Notice(self.tr("Allowed {name}").format(name=request.name)))
        self.refresh()

    async def _refuse(self, request: AccessRequest) -> None:
        try:
            await self._bridge.call(operations.agent.refuse(request=request.id))
        except NotFoundError:
            self._tell_decided(request)
        else:
            self.notice.emit(Notice(self.tr("Refused {name}").format(name=request.name)))
        self.refresh()

    def _tell_decided(self, request: AccessRequest) -> None:
        self.notice.emit(Notice(self.tr("The request of {name} is decided already").format(name=request.name)))
