"""Stream of one client's frames, in the framing that its first byte chose."""

import asyncio
import contextlib

from app.rpc.framing import FIRST_OF_LINE, HEADER_BYTES, MAX_SHORT_FRAME, NEWLINE, FrameError, length_of, with_length
from app.sentence import Sentence

_PART = 1 << 16
_EMPTY = (NEWLINE, b"\r")


class SilenceError(TimeoutError):
    """Nothing came between two messages for too long."""


class FrameStream:
    """Receives frames.

    Args:
        reader: What the client sends.
        frame_seconds: How long a frame may take from its first byte to its last.
        long_frames: Held while a long frame is received, by all connections together.
    """

    def __init__(self, reader: asyncio.StreamReader, frame_seconds: float, long_frames: asyncio.Semaphore) -> None:
        self._reader = reader
        self._frame_seconds = frame_seconds
        self._long_frames = long_frames
        self.has_lines: bool | None = None

    def framed(self, payload: bytes) -> bytes:
        """Return a message in the client's framing; until that is known, with its length."""
        return payload + NEWLINE if self.has_lines else with_length(payload)

    async def next(self, limit: int, idle_seconds: float | None = None) -> bytes:
        """Return the next message.

        Args:
            limit: The most bytes it may have.
            idle_seconds: How long nothing may come, ``None`` for ever.

        Raises:
            FrameError: It is empty or too long.
            SilenceError: Nothing came.
            TimeoutError: The frame stopped in the middle.
            EOFError: The client left.
        """
        if self.has_lines:
            return await self._line(await self._begun(1, idle_seconds), limit)
        header = await self._begun(1 if self.has_lines is None else HEADER_BYTES, idle_seconds)
        if self.has_lines is None:
            self.has_lines = header == FIRST_OF_LINE
            if self.has_lines:
                return await self._line(header, limit)
        async with asyncio.timeout(self._frame_seconds):
            if len(header) < HEADER_BYTES:
                header += await self._reader.readexactly(HEADER_BYTES - len(header))
            length = length_of(header, limit)
            if length <= MAX_SHORT_FRAME:
                return await self._reader.readexactly(length)
        async with self._long_frames, asyncio.timeout(self._frame_seconds):
            return await self._reader.readexactly(length)

    async def _begun(self, count: int, idle_seconds: float | None) -> bytes:
        """Return the first bytes of a message; empty lines are passed over."""
        while True:
            try:
                async with asyncio.timeout(idle_seconds):
                    first = await self._reader.readexactly(count)
            except TimeoutError as error:
                raise SilenceError from error
            if not self.has_lines or first not in _EMPTY:
                return first
            await asyncio.sleep(0)

    async def _line(self, begun: bytes, limit: int) -> bytes:
        line = bytearray(begun)
        async with contextlib.AsyncExitStack() as holding:
            is_long = False
            async with asyncio.timeout(self._frame_seconds) as ending:
                while not line.endswith(NEWLINE):
                    line += await self._part()
                    if len(line) > limit + 1:
                        raise FrameError(
                            Sentence("A message must have 1 to {limit} bytes.", limit=limit), allowed=limit
                        )
                    if len(line) > MAX_SHORT_FRAME and not is_long:
                        is_long = True
                        ending.reschedule(None)
                        await holding.enter_async_context(self._long_frames)
                        ending.reschedule(asyncio.get_running_loop().time() + self._frame_seconds)
        return bytes(line[:-1])

    async def _part(self) -> bytes:
        """Return the rest of a line, as far as it fits in the buffer."""
        try:
            return await self._reader.readuntil(NEWLINE)
        except asyncio.LimitOverrunError as error:
            return await self._reader.readexactly(min(max(error.consumed, 1), _PART))
