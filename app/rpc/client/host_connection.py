"""One connection to a host, for any number of calls at a time."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from app.errors import HostUnreachableError, IdleError, KeepsakeError
from app.rpc.client.dial import ConnectionLostError
from app.rpc.client.stream import Stream
from app.rpc.error_codec import from_wire
from app.rpc.framing import Message, call_payload, decode, payload_of
from app.rpc.messages import EventListener, notification, request, stray, value_and_changes
from app.sentence import Sentence

Convert = Callable[[Any, Any], Any]  # makes an answer of a value and the record of what changed, both JSON values


@dataclass(eq=False, slots=True)
class Call:
    """A call and its state.

    Args:
        operation: The operation.
        arguments: Its arguments as JSON values.
        is_repeatable: Whether a second call does no harm; ``None`` where only the host knows.
        convert: Makes the answer.
        answer: Holds the answer, or the failure.
        number: Its id on the connection.
        until: When the host will have been away too long, ``None`` before it is away.
        may_be_done: Whether a host that went away may have carried it out.
        reason: What that host said of it, if anything.
        is_single: Whether it fails with its connection instead of being made again.
    """

    operation: str
    arguments: Mapping[str, Any]
    is_repeatable: bool | None
    convert: Convert
    answer: "Future[Any]" = field(default_factory=Future)
    number: int = 0
    until: float | None = None
    may_be_done: bool = False
    reason: str = ""
    is_single: bool = False

    @property
    def is_refused(self) -> bool:
        """Return whether it must not be made again."""
        return self.may_be_done and self.is_repeatable is False

    def finish(self, message: Message) -> None:
        """Take the host's answer, a failure included."""
        try:
            value = self.convert(*value_and_changes(message))
        except Exception as error:  # noqa: BLE001  (whatever it is, the caller waits for it)
            self.fail(error)
        else:
            if self._is_awaited():
                self.answer.set_result(value)

    def fail(self, error: BaseException) -> None:
        """Fail, unless the caller gave up."""
        if self._is_awaited():
            self.answer.set_exception(error)

    def uncertain(self) -> HostUnreachableError:
        """Return the failure of a call that may have been carried out."""
        ended = self.reason or Sentence("Keepsake was closed meanwhile.")
        return HostUnreachableError(
            Sentence(
                "{ended} '{operation}' may or may not have been done. Look before you repeat it.",
                ended=ended,
                operation=self.operation,
            ),
            operation=self.operation,
            may_be_done=True,
        )

    def _is_awaited(self) -> bool:
        """Return whether the answer is still awaited; afterwards it cannot be cancelled."""
        return self.answer.running() or (not self.answer.cancelled() and self.answer.set_running_or_notify_cancel())


class HostConnection:
    """A connection to a host, with a thread that reads.

    Args:
        stream: The greeted stream; closed at the end.
        limit: Bytes that a call may have.
        listener: Hears of events, on the thread that reads.
        on_lost: Told of this connection and the calls that were on their way when it ended, and of how it ended.
    """

    def __init__(
        self,
        stream: Stream,
        limit: int,
        listener: EventListener,
        on_lost: "Callable[[HostConnection, list[Call], ConnectionLostError], None]",
    ) -> None:
        self._stream = stream
        self._limit = limit
        self._listener = listener
        self._on_lost = on_lost
        self._calls: dict[int, Call] = {}
        self._leaving: Call | None = None  # being sent: only its sender knows whether it left
        self._lost: ConnectionLostError | None = None
        self._last_number = 0
        self._lock = threading.Lock()
        self.is_open = True
        self.is_left = False  # closed by this side
        self._thread = threading.Thread(target=self._read, name="keepsake-answers", daemon=True)
        self._thread.start()

    def send(self, call: Call) -> None:
        """Send a call; only one thread may.

        Raises:
            InputError: It cannot be put on the wire, or is too long.
            ConnectionLostError: The host went away before it was sent.
        """
        number = self._last_number + 1
        payload = call_payload(request(number, call.operation, call.arguments), self._limit)
        with self._lock:
            if not self.is_open or self.is_left:
                raise ConnectionLostError(was_sent=False)
            self._last_number = call.number = number
            self._calls[number] = self._leaving = call
        try:
            self._stream.send(payload)
        except OSError as error:
            with self._lock:
                self.is_open = False
                self._leaving = None
                is_ours = self._calls.pop(number, None) is not None
            if is_ours:  # else the host has answered it
                raise ConnectionLostError(was_sent=False) from error
        else:
            with self._lock:
                self._leaving = None
                lost = self._lost if self._calls.get(number) is call else None
                if lost is not None:
                    del self._calls[number]
            if lost is not None:  # while it was sent, and the reading thread left it to us
                self._on_lost(self, [call], lost)

    def cancel(self, call: Call) -> None:
        """Cancel a call at the host that its caller gave up."""
        if self._calls.get(call.number) is call:
            self.notify("cancel", {"id": call.number})

    def notify(self, method: str, arguments: Mapping[str, Any]) -> None:
        """Send what has no answer."""
        try:
            self._stream.send(payload_of(notification(method, arguments)))
        except OSError:
            return  # the reading thread notices, too

    def close(self) -> None:
        """Leave; the calls on their way are told of as lost."""
        self.is_left = True
        self._stream.shut_down()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _read(self) -> None:
        try:
            while True:
                self._take(decode(self._stream.receive()))
        except OSError:
            lost = ConnectionLostError(was_sent=True)
        except IdleError:
            lost = ConnectionLostError(was_sent=False)  # whatever crossed with it was not read
        except KeepsakeError as error:
            # It is about the connection: what becomes of the calls on their way is not known.
            lost = ConnectionLostError(was_sent=True, reason=error.sentence)
        except ValueError as error:
            lost = ConnectionLostError(was_sent=True, reason=str(error))
        with self._lock:
            self.is_open, self._lost = False, lost
            calls = [call for call in self._calls.values() if call is not self._leaving]
            self._calls = {number: call for number, call in self._calls.items() if call is self._leaving}
        self._stream.close()
        self._on_lost(self, calls, lost)

    def _take(self, message: Message) -> None:
        number, method = message.get("id"), message.get("method")
        if isinstance(method, str):
            self._listener(method, message.get("params"))
        elif number is None:
            raise stray(message)
        elif (call := self._calls.get(number)) is not None:
            del self._calls[number]
            if _is_closing(message):
                self.is_open = False  # for new calls; answers to others may still come
                self._on_lost(self, [call], ConnectionLostError(was_sent=True))
            else:
                call.finish(message)


def _is_closing(message: Message) -> bool:
    """Return whether an answer says that the host is closing."""
    return "error" in message and isinstance(from_wire(message["error"]), HostUnreachableError)
