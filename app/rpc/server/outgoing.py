"""Queue of frames to one client, with a limit for one that does not read."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable

_log = logging.getLogger(__name__)


class Outgoing:
    """Queue of frames; a client that takes none in time is cut off.

    Args:
        writer: The way to the client.
        framed: Puts a message into the client's framing.
        seconds: How long it may take to read a frame.
        drained: Called after frames were read.
    """

    def __init__(
        self,
        writer: asyncio.StreamWriter,
        framed: Callable[[bytes], bytes],
        seconds: float,
        drained: Callable[[], None],
    ) -> None:
        self._writer = writer
        self._framed = framed
        self._seconds = seconds
        self._drained = drained
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._more = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._pump = asyncio.create_task(self._run(), name="outgoing")
        self.is_cut_off = False

    @property
    def unsent(self) -> int:
        """The bytes that the client has not read yet, beyond what the system holds."""
        transport = self._writer.transport
        return self._bytes + (0 if transport.is_closing() else transport.get_write_buffer_size())

    def send(self, payload: bytes) -> None:
        """Send a message when those before it are sent."""
        if self._writer.is_closing():
            return
        frame = self._framed(payload)
        if self._idle.is_set():
            self._writer.write(frame)
            if self._writer.transport.get_write_buffer_size():
                self._idle.clear()
                self._more.set()
        else:
            self._waiting.append(frame)
            self._bytes += len(frame)

    async def sent(self) -> None:
        """Return when everything is sent or the client is gone."""
        await self._idle.wait()

    def stop(self) -> None:
        """Send no more."""
        self._pump.cancel()

    async def _run(self) -> None:
        try:
            while True:
                await self._more.wait()
                self._more.clear()
                await self._drain()
                while self._waiting:
                    frame = self._waiting.popleft()
                    self._bytes -= len(frame)
                    self._writer.write(frame)
                    await self._drain()
                self._idle.set()
                self._drained()
        except OSError as error:
            # TimeoutError is an OSError too.
            _log.debug("a client takes nothing more: %r", error)
            self.is_cut_off = isinstance(error, TimeoutError)
            self._writer.transport.abort()
        finally:
            self._waiting.clear()
            self._bytes = 0
            self._idle.set()
            self._drained()

    async def _drain(self) -> None:
        async with asyncio.timeout(self._seconds):
            await self._writer.drain()
        self._drained()
