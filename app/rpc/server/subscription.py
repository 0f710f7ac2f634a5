"""Queue of events for one subscriber, bounded for one that does not read."""

import asyncio
from collections import deque

from app.rpc.framing import payload_of
from app.rpc.messages import DROPPED, notification
from app.rpc.server.event_filter import EventFilter
from app.rpc.server.outgoing import Outgoing

MAX_WAITING = 1000
MAX_BYTES = 8 * 1024 * 1024
_REASON = (
    f"This subscriber fell behind by {MAX_WAITING:,} events or {MAX_BYTES:,} bytes and is told no more. "
    "Subscribe again and read anew what is shown."
)


class Subscription:
    """Sends events in order, at the subscriber's pace.

    Args:
        outgoing: The way to the subscriber.
        wanted: What it asked to hear of.
    """

    def __init__(self, outgoing: Outgoing, wanted: EventFilter) -> None:
        self.wanted = wanted
        self._outgoing = outgoing
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._more = asyncio.Event()
        self._open = True

    def offer(self, payload: bytes) -> bool:
        """Queue an event and return True; False when the subscriber fell behind.

        Then only the reason is still sent.
        """
        # One event may be longer than all that may wait.
        too_long = bool(self._waiting) and self._bytes + len(payload) > MAX_BYTES
        full = too_long or len(self._waiting) >= MAX_WAITING
        if full:
            self._open = False
            self._waiting.clear()
            self._bytes = 0
            payload = payload_of(notification(DROPPED, {"reason": _REASON}))
        self._waiting.append(payload)
        self._bytes += len(payload)
        self._more.set()
        return not full

    async def run(self) -> None:
        """Send what comes, until the subscriber falls behind."""
        while self._open or self._waiting:
            await self._more.wait()
            self._more.clear()
            while self._waiting:
                await self._outgoing.sent()
                payload = self._waiting.popleft()
                self._bytes -= len(payload)
                self._outgoing.send(payload)
