"""Queue of events for one subscriber, bounded for one that does not read."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from app.rpc.framing import encode
from app.rpc.messages import DROPPED, notification

MAX_WAITING = 1000
MAX_BYTES = 8 * 1024 * 1024
_REASON = (
    f"This subscriber fell behind by {MAX_WAITING:,} events or {MAX_BYTES:,} bytes and is told no more. "
    "Subscribe again and read anew what is shown."
)


class Subscription:
    """Sends frames in order, at the subscriber's pace.

    Args:
        send: Sends one frame and returns when the next may come.
    """

    def __init__(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        self._send = send
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._more = asyncio.Event()
        self._open = True

    def offer(self, frame: bytes) -> bool:
        """Queue a frame and return True; False when the subscriber fell behind.

        Then only the reason is still sent.
        """
        # One frame may be longer than all that may wait.
        too_long = bool(self._waiting) and self._bytes + len(frame) > MAX_BYTES
        full = too_long or len(self._waiting) >= MAX_WAITING
        if full:
            self._open = False
            self._waiting.clear()
            self._bytes = 0
            frame = encode(notification(DROPPED, {"reason": _REASON}))
        self._waiting.append(frame)
        self._bytes += len(frame)
        self._more.set()
        return not full

    async def run(self) -> None:
        """Send what comes, until the subscriber falls behind."""
        while self._open or self._waiting:
            await self._more.wait()
            self._more.clear()
            while self._waiting:
                frame = self._waiting.popleft()
                self._bytes -= len(frame)
                await self._send(frame)
