"""One client at the socket, host side: hello, then its requests, several at a time."""

import asyncio
import hmac
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from app.api.caller import OWNER, Caller
from app.changes import Event
from app.errors import (
    AccessDeniedError,
    AccessRequiredError,
    IdleError,
    InputError,
    KeepsakeError,
    MachineError,
    TooManyCallsError,
)
from app.rpc.framing import (
    MAX_FRAME,
    MAX_HELLO,
    MAX_SHORT_FRAME,
    FrameError,
    FrameTextError,
    Message,
    decode,
    decode_batch,
    payload_of,
)
from app.rpc.messages import (
    Hello,
    RequestId,
    RpcRequest,
    answer,
    failure,
    hello_of,
    is_notification,
    request_of,
    valid_id,
)
from app.rpc.server.call_queue import MAX_PENDING, BatchAnswers, CallQueue, Performer, Respond
from app.rpc.server.event_filter import event_filter
from app.rpc.server.frame_stream import FrameStream, SilenceError
from app.rpc.server.outgoing import Outgoing
from app.rpc.server.rate_limit import Rate, TokenBucket
from app.rpc.server.subscription import Subscription
from app.sentence import Sentence

MAX_UNSENT = 8 * 1024 * 1024  # beyond, no more requests are taken from a client that does not read its answers
MAX_BATCH = 100
_LONG_FRAMES = 2  # received at once
_MAX_REST_SECONDS = 0.05  # a client that calls too often is read from no faster than this allows
_UNKNOWN_RATE = Rate(20, 100)  # of a program that the person has not let in
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ClientTimeouts:
    """Time limits of a client in seconds.

    Args:
        hello: For the hello.
        settle: Before a connection without a hello may be turned away for others.
        frame: For a message.
        answer: For taking an answer.
        idle: An agent's silence.
    """

    hello: float = 5.0
    settle: float = 0.5
    frame: float = 60.0
    answer: float = 60.0
    idle: float = 1800.0


@dataclass(frozen=True, slots=True)
class ServerContext:
    """Shared state of the server for its connections.

    Args:
        token: The token of the person's own programs.
        welcome: The answer to a client that was let in.
        calls: Carries out calls.
        greeted: Called when a hello has come, before it is looked at.
        admit: Called once it is known who the client is; raises when no place is free.
        authenticate: Returns the caller that a hello with another token is from.
        current: Returns the caller as the person's decisions until now make it.
        bucket: Returns the calls that an agent may make at present.
        refused: Takes note of a limit that a client came up against.
        timeouts: How long it may take.
        long_frames: Taken while a long frame is received, by all connections together.
    """

    token: str
    welcome: Message
    calls: Performer
    greeted: Callable[["Connection"], None]
    admit: Callable[["Connection"], None]
    authenticate: Callable[[Hello], Coroutine[Any, Any, Caller]]
    current: Callable[[Caller], Caller]
    bucket: Callable[["Connection"], TokenBucket]
    refused: Callable[[str], None]
    timeouts: ClientTimeouts = ClientTimeouts()
    long_frames: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_LONG_FRAMES))


class Connection:
    """A client at the socket.

    Args:
        reader: What it sends.
        writer: What it is sent.
        context: The server's shared state.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, context: ServerContext) -> None:
        self._writer = writer
        self._context = context
        self.caller = OWNER
        self.hello = Hello("")
        self.own_bucket = TokenBucket(lambda: _UNKNOWN_RATE)
        self._stream = FrameStream(reader, context.timeouts.frame, context.long_frames)
        self._outgoing = Outgoing(writer, self._stream.framed, context.timeouts.answer, self._on_room)
        self._calls = CallQueue(context.calls, lambda: context.current(self.caller), self._reads_answers, self._on_room)
        self._has_room = asyncio.Event()
        self._rest = 0.0
        self._reading: asyncio.Task[None] | None = None
        self._subscription: Subscription | None = None
        self._events: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve the client until it leaves, misbehaves or ``finish`` is called."""
        try:
            self._reading = asyncio.create_task(self._read(), name="requests")
            await asyncio.wait({self._reading})
            if not self._reading.cancelled():
                self._reading.result()
            # A client that only closed its sending side still gets its answers, and writes are never torn.
            await self._calls.settled()
            while len(self._calls) and not self._writer.is_closing():
                await self._outgoing.sent()
                self._calls.advance()
                await self._calls.settled()
            await self._outgoing.sent()
        finally:
            await self._close()

    def finish(self) -> None:
        """Take no more requests; ``run`` returns when those under way are answered."""
        self._calls.refuse_waiting()
        if self._reading is not None:
            self._reading.cancel()

    def turn_away(self, error: KeepsakeError) -> None:
        """Close the connection with a reason; ``run`` then returns."""
        self._outgoing.send(payload_of(failure(None, error)))
        self._writer.close()

    def wants(self, event: Event) -> bool:
        """Return whether the client has subscribed to such events."""
        return self._subscription is not None and self._subscription.wanted.accepts(event)

    def tell(self, payload: bytes) -> None:
        """Send an event to a subscriber."""
        if self._subscription is not None and not self._subscription.offer(payload):
            _log.info("a subscriber fell behind and was dropped")
            self._context.refused("slow_subscriber")
            self._subscription = None

    async def _read(self) -> None:
        try:
            await self._greet()
            while True:
                await self._room()
                self._receive(await self._next())
                if self._rest:
                    await asyncio.sleep(self._rest)
        except (FrameError, AccessDeniedError, MachineError) as error:
            self._context.refused(error.code)
            self._send(failure(None, error))
            await self._outgoing.sent()
            self._writer.close()
        except (EOFError, OSError) as error:
            # TimeoutError is an OSError too: a client that stalls has left, as far as we can tell.
            _log.debug("a client left: %r", error)
            if self._outgoing.is_cut_off:
                self._context.refused("slow_reader")

    async def _greet(self) -> None:
        try:
            async with asyncio.timeout(self._context.timeouts.hello):
                hello = hello_of(decode(await self._stream.next(MAX_HELLO)))
        except TimeoutError as error:
            raise FrameError(
                Sentence("No hello came within {seconds} seconds.", seconds=f"{self._context.timeouts.hello:g}")
            ) from error
        self._context.greeted(self)
        if not hmac.compare_digest(hello.token.encode("utf-8", "surrogatepass"), self._context.token.encode()):
            if not hello.name:
                raise AccessDeniedError("This token is not the one in the vault's host.json.")
            self.hello, self.caller = hello, await self._context.authenticate(hello)
        self._context.admit(self)
        shown = {"name": self.caller.name, "trust": self.caller.trust, "state": self.caller.state}
        self._send({**self._context.welcome, "caller": shown})

    async def _next(self) -> bytes:
        idle = None if self.caller.is_owner else self._context.timeouts.idle
        limit = MAX_FRAME if self.caller.is_owner else MAX_SHORT_FRAME
        while True:
            try:
                return await self._stream.next(limit, idle)
            except SilenceError as error:
                if not len(self._calls):
                    raise IdleError(
                        Sentence(
                            "Nothing came for {idle} seconds. Connect again; an empty line or a 'ping' now and then"
                            " keeps a connection open.",
                            idle=f"{idle:g}",
                        )
                    ) from error
            except TimeoutError as error:
                raise FrameError("A message stopped in the middle.") from error

    async def _room(self) -> None:
        """Return when there is room for another request."""
        while self._outgoing.unsent > MAX_UNSENT or self._calls.is_full or self._waits_for_answers():
            self._has_room.clear()
            await self._has_room.wait()

    def _waits_for_answers(self) -> bool:
        # An agent is told that it has too many calls; the person's programs are only slowed down.
        return self.caller.is_owner and len(self._calls) >= MAX_PENDING

    def _reads_answers(self) -> bool:
        return self._outgoing.unsent <= MAX_UNSENT and not self._writer.is_closing()

    def _on_room(self) -> None:
        self._has_room.set()
        self._calls.advance()

    def _receive(self, payload: bytes) -> None:
        self._rest = 0.0
        try:
            message = decode_batch(payload)
        except FrameTextError as error:
            request_id = valid_id(error.content)
            is_broken = isinstance(request_id, str) and not request_id.isascii()
            self._refuse(None if is_broken else request_id, error)
        except FrameError as error:
            self._refuse(None, error)
        else:
            if isinstance(message, dict):
                self._begin(message, len(payload), self._respond)
            else:
                self._begin_batch(message, len(payload))

    def _begin_batch(self, messages: list[Any], size: int) -> None:
        if not 0 < len(messages) <= MAX_BATCH:
            self._refuse(
                None, FrameError(Sentence("A batch must hold 1 to {most} requests.", most=MAX_BATCH), allowed=MAX_BATCH)
            )
            return
        answers = BatchAnswers(len(messages), self._send_batch)
        for message in messages:
            self._begin(message, size // len(messages), answers.add)

    def _begin(self, message: object, size: int, respond: Respond) -> None:
        """Begin a call, or refuse what is none; a notification is never answered."""
        try:
            self._take()
            request = request_of(message)
            if request.method in _METHODS:
                value = _METHODS[request.method](self, request)
                respond(None if request.id is None else answer(request.id, value))
            else:
                self._calls.add(request, size, respond)
        except InputError as error:
            if is_notification(message):
                self._context.refused(error.code)
                respond(None)
            else:
                respond(failure(valid_id(message), error))

    def _refuse(self, request_id: RequestId | None, error: KeepsakeError) -> None:
        try:
            self._take()
        except TooManyCallsError as too_many:
            error = too_many
        self._send(failure(request_id, error))

    def _take(self) -> None:
        """Count a call of an agent.

        Raises:
            TooManyCallsError: It calls too often; what it sends next is then read a little later.
        """
        if self.caller.is_owner:
            return
        try:
            self._context.bucket(self).take()
        except TooManyCallsError as error:
            self._rest = min(error.data["retry_after"], _MAX_REST_SECONDS)
            self._context.refused(error.code)
            raise

    def _ping(self, request: RpcRequest) -> bool:
        return True

    def _cancel(self, request: RpcRequest) -> bool:
        request_id = valid_id(request.params)
        if request_id is None or len(request.params) != 1:
            raise InputError("cancel: give the 'id' of the request that is to be cancelled.")
        return self._calls.cancel(request_id)

    def _subscribe(self, request: RpcRequest) -> bool:
        wanted = event_filter(request.params)
        if self.caller.state == "unknown":
            raise AccessRequiredError("Programs that the person has not let in hear of nothing.")
        if self._subscription is not None:
            self._subscription.wanted = wanted
            return True
        if self._events is not None:
            self._events.cancel()
        self._subscription = Subscription(self._outgoing, wanted)
        self._events = asyncio.create_task(self._subscription.run(), name="events")
        return True

    def _unsubscribe(self, request: RpcRequest) -> bool:
        if self._events is not None:
            self._events.cancel()
        self._events = self._subscription = None
        return True

    def _respond(self, message: Message | None) -> None:
        if message is not None:
            self._send(message)

    def _send(self, message: Message) -> None:
        self._outgoing.send(_payload(message))

    def _send_batch(self, messages: list[Message]) -> None:
        payloads = [_payload(message) for message in messages]
        if sum(map(len, payloads)) + len(payloads) >= MAX_FRAME:
            error = InputError("The answers to this batch are too long together. Ask for less at once.")
            payloads = [payload_of(failure(message.get("id"), error)) for message in messages]
        self._outgoing.send(b"[" + b",".join(payloads) + b"]")

    async def _close(self) -> None:
        self._calls.abandon()
        self._outgoing.stop()
        for task in (self._events, self._reading):
            if task is not None:
                task.cancel()
        self._writer.close()
        try:
            async with asyncio.timeout(self._context.timeouts.hello):
                await self._writer.wait_closed()
        except OSError as error:
            _log.debug("a client did not close: %r", error)
            self._writer.transport.abort()


_METHODS: dict[str, Callable[[Connection, RpcRequest], bool]] = {
    "ping": Connection._ping,
    "cancel": Connection._cancel,
    "subscribe": Connection._subscribe,
    "unsubscribe": Connection._unsubscribe,
}


def _payload(message: Message) -> bytes:
    try:
        return payload_of(message)
    except KeepsakeError as error:
        return payload_of(failure(message.get("id"), error))
