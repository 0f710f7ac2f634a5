"""One client at the socket, host side: hello, then its requests, several at a time."""

import asyncio
import contextlib
import hmac
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from app.api.caller import OWNER, Caller
from app.api.registry import Reply
from app.core.error_location import error_location
from app.errors import AccessDeniedError, HostUnreachableError, KeepsakeError, MachineError, internal
from app.rpc.framing import (
    HEADER_BYTES,
    MAX_FRAME,
    MAX_HELLO,
    MAX_SHORT_FRAME,
    FrameError,
    FrameTextError,
    decode,
    encode,
    length_of,
)
from app.rpc.messages import Hello, Message, RpcRequest, answer, failure, hello_of, request_of
from app.rpc.subscription import Subscription

MAX_IN_FLIGHT = 16
MAX_UNSENT = 8 * 1024 * 1024  # beyond, no more requests are taken from a client that does not read its answers
_LONG_FRAMES = 2  # received at once
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ClientTimeouts:
    """Time limits of a client in seconds: hello, message, answer."""

    hello: float = 5.0
    frame: float = 60.0
    answer: float = 60.0


@dataclass(frozen=True, slots=True)
class ServerContext:
    """Shared state of the server for its connections.

    Args:
        token: The token of the person's own programs.
        welcome: The answer to a client that was let in.
        call: Answers a request of a caller.
        admit: Called once the token is right; raises when no place is free.
        authenticate: Returns the caller that a hello with another token is from.
        patience: How long it may take.
        long_frames: Taken while a long frame is received, by all connections together.
    """

    token: str
    welcome: Message
    call: Callable[[RpcRequest, Caller], Coroutine[Any, Any, Reply]]
    admit: Callable[["Connection"], None]
    authenticate: Callable[[Hello], Coroutine[Any, Any, Caller]]
    patience: ClientTimeouts = ClientTimeouts()
    long_frames: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_LONG_FRAMES))


class Connection:
    """A client at the socket.

    Args:
        reader: What it sends.
        writer: What it is sent.
        house: What it is let into.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, house: ServerContext) -> None:
        self._reader = reader
        self._writer = writer
        self._house = house
        self.caller = OWNER
        self.hello = Hello("")
        self._sending = asyncio.Lock()
        self._slots = asyncio.Semaphore(MAX_IN_FLIGHT)
        self._answers: set[asyncio.Task[None]] = set()
        self._unsent = 0
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._reading: asyncio.Task[None] | None = None
        self._subscription: Subscription | None = None
        self._pump: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve the client until it leaves, misbehaves or ``finish`` is called."""
        try:
            self._reading = asyncio.create_task(self._read())
            await asyncio.wait({self._reading})
            if not self._reading.cancelled():
                self._reading.result()
            if self._answers:
                # Whoever only closed its sending side still gets its answers, and writes are never torn.
                await asyncio.wait(self._answers)
        finally:
            await self._close()

    def finish(self) -> None:
        """Take no more requests; ``run`` returns when those under way are answered."""
        if self._reading is not None:
            self._reading.cancel()

    def turn_away(self, error: KeepsakeError) -> None:
        """Close the connection with a reason; ``run`` then returns."""
        self._writer.write(encode(failure(None, error)))
        self._writer.close()

    def tell(self, frame: bytes) -> None:
        """Send an event if the client has subscribed."""
        if self._subscription is not None and not self._subscription.offer(frame):
            _log.info("a subscriber fell behind and was dropped")
            self._subscription = None

    async def _read(self) -> None:
        try:
            await self._greet()
            while True:
                await self._slots.acquire()
                await self._has_room.wait()
                await self._receive()
        except (FrameError, AccessDeniedError, MachineError) as error:
            await self._send(failure(None, error))
            self._writer.close()
        except (EOFError, OSError) as error:
            # TimeoutError is an OSError too: a client that stalls has left, as far as we can tell.
            _log.debug("a client left: %r", error)

    async def _receive(self) -> None:
        try:
            self._start(request_of(await self._next(MAX_FRAME)))
        except FrameTextError as error:
            request_id = request_of(error.content).id
            if isinstance(request_id, str) and not request_id.isascii():
                raise
            await self._send(failure(request_id, error))
            self._slots.release()

    async def _greet(self) -> None:
        try:
            async with asyncio.timeout(self._house.patience.hello):
                said = hello_of(await self._next(MAX_HELLO))
        except TimeoutError as error:
            raise FrameError(f"No hello came within {self._house.patience.hello:g} seconds.") from error
        if not hmac.compare_digest(said.token.encode("utf-8", "surrogatepass"), self._house.token.encode()):
            if not said.name:
                raise AccessDeniedError("This token is not the one in the vault's host.json.")
            self.hello, self.caller = said, await self._house.authenticate(said)
        self._house.admit(self)
        shown = {"name": self.caller.name, "trust": self.caller.trust, "state": self.caller.state}
        await self._send({**self._house.welcome, "caller": shown})

    async def _next(self, limit: int) -> Message:
        length = length_of(await self._reader.readexactly(HEADER_BYTES), limit)
        async with self._house.long_frames if length > MAX_SHORT_FRAME else contextlib.nullcontext():
            async with asyncio.timeout(self._house.patience.frame):
                payload = await self._reader.readexactly(length)
        return decode(payload)

    def _start(self, request: RpcRequest) -> None:
        task = asyncio.create_task(self._serve(request))
        self._answers.add(task)
        task.add_done_callback(self._on_answered)

    def _on_answered(self, task: "asyncio.Task[None]") -> None:
        self._answers.discard(task)
        self._slots.release()
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("an answer could not be given: %s", error_location(error))

    async def _serve(self, request: RpcRequest) -> None:
        if request.method in {"subscribe", "unsubscribe"}:
            self._subscribe(wanted=request.method == "subscribe")
            await self._send(answer(request.id, value=True))
            return
        # Its own task, so that a failure of any kind is looked at here and never ends the connection.
        call = asyncio.create_task(self._house.call(request, self.caller))
        try:
            await asyncio.wait({call})
        finally:
            call.cancel()
        await self._send(_outcome(request, call))

    def _subscribe(self, *, wanted: bool) -> None:
        if self._pump is not None and (not wanted or self._subscription is None):
            self._pump.cancel()
            self._pump = self._subscription = None
        if wanted and self._subscription is None:
            self._subscription = Subscription(self._send_frame)
            self._pump = asyncio.create_task(self._subscription.run())

    async def _send(self, message: Message) -> None:
        try:
            frame = encode(message)
        except KeepsakeError as error:
            frame = encode(failure(message.get("id"), error))
        self._count_unsent(len(frame))
        try:
            await self._send_frame(frame)
        finally:
            self._count_unsent(-len(frame))

    def _count_unsent(self, size: int) -> None:
        self._unsent += size
        if self._unsent > MAX_UNSENT:
            self._has_room.clear()
        else:
            self._has_room.set()

    async def _send_frame(self, frame: bytes) -> None:
        async with self._sending:
            if self._writer.is_closing():
                return
            try:
                self._writer.write(frame)
                async with asyncio.timeout(self._house.patience.answer):
                    await self._writer.drain()
            except OSError as error:
                _log.debug("a client takes nothing more: %r", error)
                self._writer.transport.abort()

    async def _close(self) -> None:
        for task in [*self._answers, self._pump, self._reading]:
            if task is not None:
                task.cancel()
        self._writer.close()
        try:
            async with asyncio.timeout(self._house.patience.hello):
                await self._writer.wait_closed()
        except OSError as error:
            _log.debug("a client did not close: %r", error)
            self._writer.transport.abort()


def _outcome(request: RpcRequest, call: "asyncio.Task[Reply]") -> Message:
    if call.cancelled():
        return failure(request.id, HostUnreachableError("Keepsake is closing and did not finish this."))
    error = call.exception()
    if error is None:
        reply = call.result()
        return answer(request.id, reply.value, reply.changes)
    if not isinstance(error, KeepsakeError):
        _log.error("the operation %s failed: %s", request.method, error_location(error))
        error = internal(error)
    return failure(request.id, error)
