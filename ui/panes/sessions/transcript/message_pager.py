"""Pager of a conversation: loads messages around the place being read."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.errors import KeepsakeError
from ui import operations
from ui.work import Arguments, Method, Work

if TYPE_CHECKING:
    from app.sessions.model import Message
    from ui.bridge import Bridge

PAGE = 100
KEPT = 500
BEYOND = 2**53


class MessagePager(QObject):
    """Loaded messages of one session, a range without gaps.

    The range grows by pages at either end and is cut at the other one; a jump loads another range.
    """

    replaced = Signal(object)
    """Another range is loaded: the number of the requested message, ``None`` for the last."""
    grew = Signal()
    """The range grew or was cut at an end."""
    failed = Signal(object)
    """A ``KeepsakeError``."""

    def __init__(self, bridge: "Bridge", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._busy = False
        self._again = False
        self.session = ""
        self.messages: list[Message] = []
        self.count = 0
        self._first = 0
        self._last = -1

    @property
    def at_start(self) -> bool:
        """True when the session's first message is loaded."""
        return not self.messages or self.messages[0].seq <= self._first

    @property
    def at_end(self) -> bool:
        """True when the session's last message is loaded."""
        return not self.messages or self.messages[-1].seq >= self._last

    @property
    def before(self) -> int:
        """Estimated number of messages before the range; exact if numbers have no gaps."""
        return 0 if self.at_start else max(1, round((self.messages[0].seq - self._first) * self._density))

    @property
    def after(self) -> int:
        """Estimated number of messages after the range."""
        return 0 if self.at_end else max(1, self.count - self.before - len(self.messages))

    @property
    def _density(self) -> float:
        return min(1.0, (self.count - 1) / max(1, self._last - self._first))

    def seq_near(self, place: int) -> int:
        """Return the approximate number of the message at position ``place``."""
        return self._first + round(place / self._density) if self._density else self._first

    def find(self, seq: int) -> int:
        """Return the index of the message ``seq``, -1 when it is not loaded."""
        return next((place for place, message in enumerate(self.messages) if message.seq == seq), -1)

    def open(self, session: str, seq: int | None = None) -> None:
        """Load messages around ``seq`` of ``session``, or its last ones.

        The messages shown before stay until the others arrive.
        """
        self._again = False
        self._begin(self._open, session, seq)

    def close(self) -> None:
        """Unload all messages."""
        self._work.cancel(self._run)
        self._busy = False
        self.session, self.messages, self.count = "", [], 0
        self.replaced.emit(None)

    def extend_before(self) -> None:
        """Fetch the page before, unless one is on its way."""
        if not self._busy and not self.at_start:
            self._begin(self._extend, forward=False)

    def extend_after(self) -> None:
        """Fetch the page after, unless one is on its way."""
        if not self._busy and not self.at_end:
            self._begin(self._extend, forward=True)

    def follow(self) -> None:
        """Load messages that were added to the session."""
        if self._busy:
            self._again = True
        elif self.session:
            self._begin(self._follow)

    def _begin(self, method: Method[Arguments], *args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        """Load by a method, in place of what is on its way."""
        self._busy = True
        self._work.latest(self._run, partial(method, *args, **kwargs))

    async def _run(self, load: Method[[]]) -> None:
        try:
            await load()
        except KeepsakeError as error:
            self._busy = False
            self.failed.emit(error)

    async def _open(self, session: str, seq: int | None) -> None:
        call = self._bridge.call
        around = (
            [call(operations.session.before(session=session, seq=BEYOND, limit=PAGE))]
            if seq is None
            else [
                call(operations.session.before(session=session, seq=seq, limit=PAGE // 2)),
                call(operations.session.messages(session=session, after=seq - 1, limit=PAGE)),
            ]
        )
        (first, last, count), pages = await asyncio.gather(
            asyncio.gather(
                call(operations.session.messages(session=session, after=-1, limit=1)),
                call(operations.session.before(session=session, seq=BEYOND, limit=1)),
                call(operations.session.length(session=session)),
            ),
            asyncio.gather(*around),
        )
        self.session, self.count = session, count
        self._first = first[0].seq if first else 0
        self._last = last[-1].seq if last else -1
        self.messages = [message for page in pages for message in page]
        self._busy = False
        self.replaced.emit(seq)
        self._catch_up()

    async def _extend(self, *, forward: bool) -> None:
        edge = self.messages[-1 if forward else 0].seq
        page = await (
            self._bridge.call(operations.session.messages(session=self.session, after=edge, limit=PAGE))
            if forward
            else self._bridge.call(operations.session.before(session=self.session, seq=edge, limit=PAGE))
        )
        self._busy = False
        if forward:
            self.messages = [*self.messages, *page][-KEPT:]
            self._last = max(self._last, self.messages[-1].seq) if page else edge
        else:
            self.messages = [*page, *self.messages][:KEPT]
            self._first = self._first if page else edge
        self.grew.emit()
        self._catch_up()

    async def _follow(self) -> None:
        last, count = await asyncio.gather(
            self._bridge.call(operations.session.before(session=self.session, seq=BEYOND, limit=1)),
            self._bridge.call(operations.session.length(session=self.session)),
        )
        near = self.at_end
        self._busy = False
        self.count = count
        self._last = last[-1].seq if last else -1
        if not self.messages and last:
            self.open(self.session)
        elif near:
            self.extend_after()
        self.grew.emit()

    def _catch_up(self) -> None:
        if self._again:
            self._again = False
            self.follow()
