"""Client of a host, for many calls at a time and across its restarts."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from app.changes import EVERYTHING
from app.core.declared_operations import declared_operations
from app.errors import AccessRequiredError, HostUnreachableError, KeepsakeError
from app.rpc.client.dial import ConnectionLostError, call_limit, dial
from app.rpc.client.host_connection import Call, Convert, HostConnection
from app.rpc.client.stream import Stream
from app.rpc.credentials import Credentials
from app.rpc.event_codec import changes_to_wire
from app.rpc.framing import MAX_FRAME
from app.rpc.messages import CHANGED, DROPPED, EventListener

if TYPE_CHECKING:
    from concurrent.futures import Future


RECONNECT_SECONDS = 5.0
_PAUSE_SECONDS = 0.1
_CLOSE_SECONDS = 10.0
_SOCKET_METHODS = frozenset({"ping", "describe", "subscribe", "unsubscribe"})
_log = logging.getLogger(__name__)


def is_keyed(operation: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether a second call with the same key would do nothing."""
    key = declared_operations().keys.get(operation)
    return key is not None and bool(arguments.get(key))


class Client:
    """A client of a host, from any thread; ``Client.connect`` makes it.

    When the host is restarted, the next call connects again, and a subscriber hears that everything may have changed.
    A call that was under way is repeated if it only reads or has a key against repetition; other writes fail with a
    sentence that says so.

    Args:
        reach: Returns a greeted connection; called on a thread of the client, and again after each loss.
        limit: Bytes that a call may have.
        reconnect_seconds: How long the host may be away during a call.
    """

    def __init__(
        self, reach: Callable[[], Stream], limit: int = MAX_FRAME, reconnect_seconds: float = RECONNECT_SECONDS
    ) -> None:
        self._reach = reach
        self._limit = limit
        self._seconds = reconnect_seconds
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._connection: HostConnection | None = None
        self._listener: EventListener | None = None
        self._wanted: Mapping[str, Any] = {}
        self._has_missed = False  # events, since the connection was lost
        self._reading: frozenset[str] | None = None

    @classmethod
    def connect(
        cls, vault: Path, credentials: Credentials | None = None, reconnect_seconds: float = RECONNECT_SECONDS
    ) -> Self:
        """Connect to the host of ``vault``, as the owner where no credentials are given.

        Raises:
            HostUnreachableError: None answers.
        """
        client = cls(partial(dial, vault, credentials), call_limit(credentials), reconnect_seconds)
        client.open()
        return client

    @property
    def connection(self) -> HostConnection | None:
        """Return the connection to the host as far as is known, ``None`` without one."""
        connection = self._connection
        return connection if connection is not None and connection.is_open else None

    def open(self) -> None:
        """Connect now and not at the first call.

        Raises:
            KeepsakeError: No host answers, or it does not let us in.
        """
        self._connected()

    def call(self, operation: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """Call an operation and return its answer as JSON values.

        Raises:
            KeepsakeError: What the host reports.
            HostUnreachableError: It went away and did not come back in time, or during a write without a key.
        """
        return self.submit(operation, arguments).result()

    def submit(
        self,
        operation: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        is_repeatable: bool | None = None,
        can_cancel: bool = True,
        convert: Convert = lambda value, _changes: value,
    ) -> "Future[Any]":
        """Call an operation without waiting; see ``call``.

        Args:
            operation: Its name.
            arguments: By name.
            is_repeatable: Whether it may be made twice without a key; the host is asked where it matters.
            can_cancel: Whether cancelling the future stops the call, at the host too as far as that does.
            convert: Makes the answer of the value and of the record of changes.
        """
        values = arguments or {}
        if operation in _SOCKET_METHODS or is_keyed(operation, values):
            is_repeatable = True
        call = Call(operation, values, is_repeatable, convert)
        if can_cancel:
            call.answer.add_done_callback(lambda answer: self._on_cancelled(call) if answer.cancelled() else None)
        else:
            call.answer.set_running_or_notify_cancel()
        self._send_later(call)
        return call.answer

    def subscribe(self, listener: EventListener, **wanted: Any) -> None:
        """Subscribe to events on a thread of the client, also after a restart.

        Args:
            listener: Hears of them; it must return at once, and call nothing.
            wanted: ``areas``, ``stores`` and ``progress``, as the method ``subscribe`` takes them.
        """
        self.follow(listener, **wanted).result()

    def follow(self, listener: EventListener, **wanted: Any) -> "Future[Any]":
        """Subscribe without waiting; see ``subscribe``."""
        self._listener, self._wanted = listener, wanted
        return self.submit("subscribe", wanted)

    def hang_up(self) -> None:
        """End the connection; the next call makes another."""
        if self._connection is not None:
            self._connection.close()

    def close(self) -> None:
        """Leave; calls that wait fail. Safe to call twice."""
        with self._lock:
            self._closed.set()
            thread, self._thread = self._thread, None
        self.hang_up()
        if thread is not None:
            self._work.put(None)
            if thread is not threading.current_thread():
                thread.join(_CLOSE_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send_later(self, call: Call) -> None:
        if not self._do_later(partial(self._send, call)):
            call.fail(ConnectionLostError(was_sent=False))

    def _do_later(self, work: Callable[[], None]) -> bool:
        """Have the thread that connects and sends do this; False once the client is closed."""
        with self._lock:
            if self._closed.is_set():
                return False
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="keepsake-client", daemon=True)
                self._thread.start()
            self._work.put(work)
            return True

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()

    def _send(self, call: Call) -> None:
        """Send a call once the host is there, unless it must not be repeated."""
        while not call.answer.cancelled():
            earlier = self.connection
            try:
                connection = self._connected()
                self._check_repetition(call, connection)
                connection.send(call)
                if call.answer.cancelled():
                    connection.cancel(call)
            except HostUnreachableError as error:
                if earlier is not None and not earlier.is_open and not call.is_refused:
                    continue  # only now one sees that the host had closed it; another connection may do
                if call.is_refused or not self._is_worth_waiting(call):
                    call.fail(call.uncertain() if call.may_be_done and not call.is_repeatable else error)
                    return
            except Exception as error:  # noqa: BLE001  (whatever it is, the caller waits for it)
                call.fail(error)
                return
            else:
                return

    def _is_worth_waiting(self, call: Call) -> bool:
        """Wait for a host that is away; return False after too long."""
        now = time.monotonic()
        if call.until is None:
            call.until = now + self._seconds
        return now < call.until and not self._closed.wait(_PAUSE_SECONDS)

    def _check_repetition(self, call: Call, connection: HostConnection) -> None:
        """Refuse to make a call twice that does not only read and has no key."""
        if call.may_be_done and call.is_repeatable is None:
            if self._reading is None:
                described = self._ask(connection, "describe", {})
                self._reading = frozenset(item["name"] for item in described if item["access"] == "read")
            call.is_repeatable = call.operation in self._reading
        if call.is_refused:
            raise call.uncertain()

    def _connected(self) -> HostConnection:
        """Return the connection, opened and subscribed again where it was lost."""
        connection = self.connection
        if connection is not None and not connection.is_left:
            return connection
        if self._closed.is_set():
            raise ConnectionLostError(was_sent=False)
        stream = self._reach()
        with self._lock:
            if self._closed.is_set():
                stream.close()
                raise ConnectionLostError(was_sent=False)
            connection = self._connection = HostConnection(stream, self._limit, self._on_event, self._on_lost)
        if self._listener is not None:
            self._subscribe_again(connection)
        return connection

    def _subscribe_again(self, connection: HostConnection) -> None:
        try:
            self._ask(connection, "subscribe", self._wanted)
        except AccessRequiredError as error:
            _log.info("changes are not followed for now: %s", error)
            return
        has_missed, self._has_missed = self._has_missed, False
        if has_missed and self._listener is not None:
            self._listener(CHANGED, changes_to_wire(EVERYTHING))

    def _ask(self, connection: HostConnection, operation: str, arguments: Mapping[str, Any]) -> Any:
        """Call an operation on the thread that sends; it fails with the connection."""
        call = Call(operation, arguments, is_repeatable=False, convert=lambda value, _changes: value, is_single=True)
        connection.send(call)
        return call.answer.result()

    def _follow_again(self) -> None:
        """Connect again for the listener's sake."""
        until = time.monotonic() + self._seconds
        while not self._closed.is_set():
            try:
                connection = self._connected()
                if self._has_missed:
                    self._subscribe_again(connection)
            except HostUnreachableError as error:
                if time.monotonic() < until and not self._closed.wait(_PAUSE_SECONDS):
                    continue
                _log.info("changes are not followed for now: %s", error)
            except KeepsakeError as error:
                _log.info("changes are not followed for now: %s", error.message)
            return

    def _on_event(self, kind: str, event: Any) -> None:
        if kind == DROPPED:  # we fell behind and hear no more
            self._has_missed = True
            self._do_later(self._follow_again)
        elif self._listener is not None:
            self._listener(kind, event)

    def _on_lost(self, connection: HostConnection, calls: list[Call], error: ConnectionLostError) -> None:
        for call in calls:
            call.may_be_done = call.may_be_done or error.was_sent
            call.reason = error.reason or call.reason
            if call.is_single:
                call.fail(error)
            elif self._closed.is_set() or call.is_refused:
                call.fail(call.uncertain() if call.is_refused else error)
            else:
                call.until = call.until or time.monotonic() + self._seconds
                self._send_later(call)
        if self._listener is not None and not connection.is_left:
            self._has_missed = True
            self._do_later(self._follow_again)

    def _on_cancelled(self, call: Call) -> None:
        connection = self._connection
        if connection is not None and call.number:
            self._do_later(partial(connection.cancel, call))
