"""Queue of one client's calls, and the batches that they came in."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Protocol

from app.api.caller import Caller
from app.api.registry import Reply
from app.core.error_location import error_location
from app.errors import CancelledByPersonError, HostUnreachableError, KeepsakeError, TooManyCallsError, unexpected
from app.rpc.event_codec import changes_to_wire
from app.rpc.framing import Message
from app.rpc.messages import RequestId, RpcRequest, answer, failure
from app.sentence import Sentence

MAX_IN_FLIGHT = 16
MAX_PENDING = 256
MAX_PENDING_BYTES = 8 * 1024 * 1024  # beyond, nothing more is read from the client until some are answered
_log = logging.getLogger(__name__)

Cancellation = Literal["abandon", "requested", "refused"]
Respond = Callable[[Message | None], None]  # takes the answer, None for a notification


class Performer(Protocol):
    """Carries out the calls of clients."""

    def perform(self, request: RpcRequest, caller: Caller, job: str) -> Coroutine[Any, Any, Reply]:
        """Call the operation; ``job`` is the id that its long work has."""

    def begin(self, request: RpcRequest, caller: Caller) -> str:
        """Return the id of the call's job, ``""`` for a call without one."""

    def cancel(self, request: RpcRequest, job: str) -> Cancellation:
        """Ask the call's job to stop, and say what becomes of the call."""

    def end(self, job: str) -> None:
        """Take note that a call with a job has ended."""


@dataclass(eq=False, slots=True)
class PendingCall:
    """A call that is not answered yet."""

    request: RpcRequest
    respond: Respond
    size: int
    job: str = ""
    task: asyncio.Task[Reply] | None = None
    is_cancelled: bool = False


@dataclass(slots=True)
class BatchAnswers:
    """Answers to the calls of a batch, sent together when the last has come.

    Args:
        missing: How many are still to come.
        send: Sends the answers, unless there are none.
    """

    missing: int
    send: Callable[[list[Message]], None]
    found: list[Message] = field(default_factory=list)

    def add(self, message: Message | None) -> None:
        """Take an answer, ``None`` for a notification."""
        if message is not None:
            self.found.append(message)
        self.missing -= 1
        if not self.missing and self.found:
            self.send(self.found)


class CallQueue:
    """Runs the calls of a client, some at a time.

    Args:
        performer: Carries them out.
        caller: Returns who calls, as it is now.
        may_start: Whether the client reads its answers, so that more may be made.
        finished: Called when a call has ended.
    """

    def __init__(
        self,
        performer: Performer,
        caller: Callable[[], Caller],
        may_start: Callable[[], bool],
        finished: Callable[[], None],
    ) -> None:
        self._performer = performer
        self._caller = caller
        self._may_start = may_start
        self._finished = finished
        self._waiting: deque[PendingCall] = deque()
        self._running: set[PendingCall] = set()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._waiting) + len(self._running)

    @property
    def is_full(self) -> bool:
        """Return whether the waiting calls take all the memory that they may."""
        return self._bytes > MAX_PENDING_BYTES

    def add(self, request: RpcRequest, size: int, respond: Respond) -> None:
        """Run a call when its turn comes.

        Raises:
            TooManyCallsError: Too many wait already.
        """
        if len(self) >= MAX_PENDING:
            raise TooManyCallsError(
                Sentence(
                    "{most} calls of this program wait for their answers. Wait for some of them.", most=MAX_PENDING
                ),
                pending=MAX_PENDING,
                retry_after=0.1,
            )
        self._waiting.append(PendingCall(request, respond, size))
        self._bytes += size
        self.advance()

    def advance(self) -> None:
        """Start the calls whose turn has come."""
        while self._waiting and len(self._running) < MAX_IN_FLIGHT and self._may_start():
            call = self._waiting.popleft()
            self._running.add(call)
            caller = self._caller()
            call.job = self._performer.begin(call.request, caller)
            # Its own task, so that a failure of any kind is looked at here and never ends the connection.
            call.task = asyncio.create_task(self._performer.perform(call.request, caller, call.job), name="call")
            call.task.add_done_callback(partial(self._on_done, call))

    def cancel(self, request_id: RequestId) -> bool:
        """Cancel a call; return whether it stops or never began."""
        for call in self._waiting:
            if call.request.id == request_id:
                self._waiting.remove(call)
                self._end(call, _cancelled(call.request))
                return True
        for call in self._running:
            if call.request.id == request_id and call.task is not None:
                outcome = self._performer.cancel(call.request, call.job)
                if outcome == "abandon":
                    call.is_cancelled = True
                    call.task.cancel()
                return outcome != "refused"
        return False

    def abandon(self) -> None:
        """Cancel everything without an answer; the client is gone."""
        self._waiting.clear()
        for call in self._running:
            if call.task is not None:
                call.task.cancel()

    async def settled(self) -> None:
        """Return when every call has ended."""
        while self._running:
            await asyncio.wait([call.task for call in self._running if call.task is not None])
            await asyncio.sleep(0)  # their callbacks start those that waited

    def refuse_waiting(self) -> None:
        """Answer the calls that have not begun: the host is closing."""
        while self._waiting:
            call = self._waiting.popleft()
            self._end(call, _outcome(call))

    def _on_done(self, call: PendingCall, _: asyncio.Task[Reply]) -> None:
        self._running.discard(call)
        if call.job:
            self._performer.end(call.job)
        self._end(call, _outcome(call))
        self.advance()

    def _end(self, call: PendingCall, outcome: Message) -> None:
        self._bytes -= call.size
        if call.request.id is None:
            error = outcome.get("error")
            if error is not None:
                _log.debug("a notification failed: %s", error["code"])
            call.respond(None)
        else:
            call.respond(outcome)
        self._finished()


def _cancelled(request: RpcRequest) -> Message:
    return failure(request.id, CancelledByPersonError("This call was cancelled."))


def _outcome(call: PendingCall) -> Message:
    request, task = call.request, call.task
    if task is None or task.cancelled():
        if call.is_cancelled:
            return _cancelled(request)
        return failure(request.id, HostUnreachableError("Keepsake is closing and did not finish this."))
    error = task.exception()
    if error is None:
        reply = task.result()
        return answer(request.id, reply.value, changes_to_wire(reply.changes))
    if not isinstance(error, KeepsakeError):
        _log.error("the operation %s failed: %s", request.method, error_location(error))
        error = unexpected(error)
    return failure(request.id, error)
